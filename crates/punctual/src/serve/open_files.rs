//! How many files the process may have open: each connection, inbound or outbound, is one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::config::Config;

/// Open files beside connections: database, history, log, threads, and what libraries open.
const OTHERS: u64 = 256;

/// Raises the limit to what the system lets a process have, and warns if that may be too few.
pub(super) fn raise_limit(config: &Config) {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = OTHERS + u64::from(config.concurrency.server) + config.server.connections_max as u64;
    let is_raised = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_ok();
    let allowed = if is_raised { maximum } else { current };
    if let Some(allowed) = allowed.filter(|allowed| *allowed < wanted) {
        tracing::warn!(
            "this process may open {allowed} files, but server.connections_max and engine.in_flight_max together may need \
             {wanted}; raise the limit of the system (ulimit -n), or lower one of the two settings"
        );
    }
}
