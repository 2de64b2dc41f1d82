//! The rules of the house, as ordinary tests: what a reviewer would otherwise have to see each time.

mod arrows;
mod clock;
mod dependencies;
mod length;
mod metadata;
mod pure;
mod questions;
mod readme;
mod settings;
mod source;
mod words;
