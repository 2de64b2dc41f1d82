//! The API as a function: requests in, answers out, over a real store.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod answer;
mod attempts;
#[expect(clippy::too_many_lines, reason = "a table is as long as it has rows")]
mod bad_input;
mod call;
mod console;
mod description;
mod dialects;
mod documents;
mod edits;
mod lists;
mod no_auth;
mod plain;
mod plans;
mod roles;
mod routes;
mod schema;
mod secrecy;
mod server;
