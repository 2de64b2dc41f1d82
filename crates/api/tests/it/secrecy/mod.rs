//! Secrets go in and do not come out.

mod alerts;
mod canaries;
mod masking;
