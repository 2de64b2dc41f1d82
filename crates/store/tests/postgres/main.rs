//! The store in PostgreSQL: all that every store promises, and what only a database with many clients has.
//!
//! The tests use the database that `PUNCTUAL_TEST_POSTGRES` names, or start a server of their own. Where there is neither, they say so
//! and pass, unless `PUNCTUAL_TEST_POSTGRES_REQUIRED=1`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[macro_use]
#[path = "../it/conformance/mod.rs"]
mod conformance;

#[path = "../it/copied.rs"]
mod copied;
#[path = "../it/engine.rs"]
mod engine;
#[expect(dead_code, reason = "what the comparison with the simulated store needs")]
#[path = "../it/lives.rs"]
mod lives;
#[path = "../it/place.rs"]
mod place;
#[path = "../it/sample.rs"]
mod sample;

#[macro_use]
mod schema;
mod server;

mod cluster;
mod copies;
mod damage;
mod encryption;
mod landing;
mod nodes;
mod opening;
mod shards;
mod telling;

mod suite {
    conformance!(schema!());

    mod of_databases {
        conformance_of_databases!(schema!());
    }
}
