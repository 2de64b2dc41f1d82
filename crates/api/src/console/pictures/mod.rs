//! Pictures: SVG drawn by the server and stretched by the page, with all text in HTML around them. Shapes of one kind are one
//! path, and colours come from classes.

mod attempts;
mod outcomes;
mod runs_strip;

pub(super) use attempts::attempts;
pub(super) use outcomes::outcomes;
pub(super) use runs_strip::{MinuteRuns, runs_strip, runs_table};
