//! Secrets go in and do not come out.

mod canaries;
mod masking;
