//! What each route answers.

mod collections;
mod groups;
mod jobs;
mod neighbours;
mod others;
mod paths;
mod preview;
mod rotation;
mod tokens;
mod versions;
