//! The examples of the document the original service came with, and what was recorded from it, with real dates.

mod daily;
mod monthly;
mod start;
