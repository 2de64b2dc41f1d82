//! How many files the process may have open: each connection, inbound or outbound, is one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::config::Config;

/// Database, history, log, threads and whatever a library opens.
const OTHERS: u64 = 256;

/// Takes as many as the system lets a process have, and says if that may be too few.
pub(super) fn take_all(config: &Config) {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = OTHERS + u64::from(config.concurrency.server) + config.server.connections_max as u64;
    let is_raised = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_ok();
    let allowed = if is_raised { maximum } else { current };
    if let Some(allowed) = allowed.filter(|allowed| *allowed < wanted) {
        tracing::warn!(
            "this process may open {allowed} files, and server.connections_max with engine.in_flight_max may need {wanted}; \
             raise the limit of the system (ulimit -n) or lower one of the two"
        );
    }
}
