//! The cases at which schedulers go wrong, each by its name, with what happens there for everyone to read.

mod bounds;
mod calendar;
mod fold;
mod gap;
mod never;
mod skip;
