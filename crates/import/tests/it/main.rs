//! Imports, from outside.

mod against_croner;
mod curl;
mod kinds;
mod reader;
mod templates;
mod totality;
