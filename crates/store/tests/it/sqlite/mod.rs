//! The store inside the binary: all that every store does, and its files.

mod backups;
mod closing;
mod copies;
mod damage;
mod keys;
mod log;
mod newer;
mod opening;
mod power_cut;
mod rows;
mod schema;
mod secrets;

mod suite {
    conformance!(crate::place::Directory::new());

    mod of_databases {
        conformance_of_databases!(crate::place::Directory::new());
    }
}
