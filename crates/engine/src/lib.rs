//! The loops that decide when jobs run, and write down what came of it.
//!
//! [`Engine`] is a machine without hands: it is told what happened ([`Input`]), and says what is to be done ([`Effect`]).
//! It reads no clock but the one it is given, waits for nothing, and does the same whenever it is told the same. So a
//! simulation can lead it through years of crashes in a second. The driver ([`run`]) gives it hands: it carries out what the
//! machine says, on threads, disks and networks.
//!
//! ```text
//!      due ──▶ window ──▶ load ──▶ lane ──▶ ring ──▶ attempt ──▶ settlement ──▶ batch ──▶ written
//!       ▲      (keys)     (rows,   (ready)  (turns,   (on the      (model)       (one         │
//!       │                 terms)            limits)    wire)                   transaction)   │
//!       ╰───────────────────────────── what is next for the row ◀─────────────────────────────╯
//! ```

mod driver;
mod engine;
mod flight;
mod housekeeping;
mod lanes;
mod number_map;
mod settlement;
mod terms;
mod timepiece;
mod watermark;
mod wire;

pub use driver::{Deps, run};
pub use engine::{Effect, Engine, Holdings, Input, Settings, WindowLimits, WireLimits};
pub use flight::FlightId;
pub use housekeeping::Retention;
