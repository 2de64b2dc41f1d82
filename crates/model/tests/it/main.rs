//! What the model decides, seen from outside.

mod edits;
mod execution;
mod life;
mod lives;
