//! The loops that decide when jobs run, and write down what came of it.
//!
//! [`Engine`] is a machine without hands: it is told what happened ([`Input`]), and says what is to be done ([`Effect`]).
//! It reads no clock but the one it is given, waits for nothing, and does the same whenever it is told the same. So a
//! simulation can lead it through years of crashes in a second. The driver ([`run`]) gives it hands: it carries out what the
//! machine says, on threads, disks and networks.
//!
//! ```text
//!      due ──▶ window ──▶ read ──▶ lane ──▶ ring ──▶ attempt ──▶ settlement ──▶ batch ──▶ written
//!       ▲      (keys)     (rows,   (ready)  (turns,   (in          (model)       (one         │
//!       │                 definitions)      limits)    flight)                 transaction)   │
//!       ╰───────────────────────────── what is next for the row ◀─────────────────────────────╯
//! ```

mod alerts;
mod beside_rows;
mod cluster;
mod concurrency;
mod definitions;
mod driver;
mod engine;
mod flights;
mod lanes;
mod maintenance;
mod number_map;
mod ownership;
mod reads;
mod row;
mod rows;
mod settlement;
mod timepiece;
mod troubles;
mod watermark;

pub use alerts::{AlertDeps, watch as watch_alerts};
pub use cluster::{ClusterStatus, Lease, LeaseStep, Membership, Plan, PlanFor, Sent};
pub use driver::{Deps, run};
pub use engine::{ConcurrencyLimits, Effect, Engine, Holdings, Input, Settings, WindowLimits};
pub use flights::{Flights, NotedFlight};
pub use maintenance::Retention;
pub use ownership::{Ownership, lease_clock};
pub use row::FlightId;
pub use troubles::TroubleCounts;
