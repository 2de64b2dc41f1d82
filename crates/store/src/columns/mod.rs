//! What columns hold: the same in every database, so that what one has written another can be given.
//!
//! Each file is about one noun, and reads its columns in the order in which statements name them. The statements are with the
//! databases.

pub(crate) mod access;
pub(crate) mod alert;
pub(crate) mod attempt;
pub(crate) mod change;
pub(crate) mod collection;
pub(crate) mod definition;
pub(crate) mod due;
pub(crate) mod entries;
pub(crate) mod failing;
pub(crate) mod group;
pub(crate) mod job;
pub(crate) mod path;
pub(crate) mod pause;
pub(crate) mod series;
pub(crate) mod session;
pub(crate) mod stop;
pub(crate) mod tally;
pub(crate) mod to_enable;
pub(crate) mod work;
