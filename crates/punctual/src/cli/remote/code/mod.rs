//! Jobs as code: `punctual export`, `punctual diff` and `punctual apply`.
//!
//! ```text
//!   files ─▶ documents ─▶ objects ─▶ spool ─▶ plan of the server ─▶ words
//!                                      └────▶ writes, each on the condition that its plan still holds
//! ```
//!
//! Files are read once. What they say is kept in a file without a name, so that the memory that is needed does not grow with the
//! number of jobs, and a file that is changed meanwhile is not half read.

mod apply;
mod bulk;
mod documents;
mod export;
mod object;
mod plan;
mod prune;
mod references;
mod set;
mod spool;
mod words;

pub(crate) use apply::{Apply, Diff};
pub(crate) use export::Export;
