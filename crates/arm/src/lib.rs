//! Evaluates ARM templates: parameters, variables, copies, conditions and the template functions that need no Azure.
//!
//! ```text
//!   text ──▶ Json with lines ──▶ parameters, variables ──▶ resources: copies, conditions, nested ones ──▶ Found
//!                                        │
//!                                        └── what only Azure knows: a Hole, until somebody fills it
//! ```
//!
//! Everything here is a function of its arguments: files are texts, and the present is a value. What only Azure knows, such
//! as `listKeys(…)`, becomes a [`Hole`] with a name. Whatever is made of a hole is a hole, so that nothing is ever made of half
//! of an address or of an empty secret.

mod budget;
mod date_format;
mod evaluator;
mod expression;
mod functions;
mod hole;
pub mod json;
pub mod limits;
mod parameters;
mod place;
mod template;
mod user_function;

pub use hole::{Hole, HolePart};
pub use json::{Json, Value};
pub use place::Place;
pub use template::{Evaluated, Found, Inputs, Outcome, evaluate, evaluate_json};

#[cfg(test)]
mod tests;
