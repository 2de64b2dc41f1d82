//! The protocol by which attempts are started, settled and taken over, tried in every order.
//!
//! Several nodes work on one store. Each job is a row of work that says which attempt of which occurrence is next
//! for it and when to wake. Rows are gathered in shards, and each shard has one node as its owner, which starts what is
//! due in it. Starting writes nothing, because that would cost a commit for each call. Settling writes everything: the
//! row moves on, and the history gets a record. So a node that dies leaves rows behind of which nobody knows whether
//! they were sent.
//!
//! ```text
//!   the row of the job                    node A                               node B
//!
//!   nominal 9:00, attempt 0, resends 0
//!           │                             heartbeat: its lease, and its
//!           │                             watermark 9:05, are durable
//!           │                             decide: it owns the shard, its lease
//!           │                             holds, 9:00 is past and not after
//!           │                             the watermark
//!           │                             send ──────▶ target
//!           │                             dies, or stands still
//!           │                             … its lease runs out …
//!   resends 1, owner B ◀────────────────────────────────────────────────────── take over: 9:00 is not
//!           │                                                                  after the watermark of A
//!           │                                                 target ◀──────── send, with the mark
//!   nominal 10:00, attempt 0, resends 0 ◀───────────────────────────────────── settle: the row is at 9:00,
//!           │                                                                  attempt 0, and moves on
//!   duplicate recorded, row unchanged ◀── settle: the row is elsewhere
//! ```
//!
//! The steps that are not in the drawing:
//!
//! - **join**: a process that starts, or whose lease ran out while it stood still, owns nothing at first. What it has in
//!   flight it settles all the same. A single server is the case of one node: it takes its own rows over at
//!   its start.
//! - **leave**: a clean end takes the watermark back, so that nothing is sent again that was not sent.
//! - **hand over**: a node gives a shard to another one at once. An attempt in flight stays where it is: the row is
//!   claimed for its node, and the new owner leaves it alone until it is settled, its node is gone or the time is over.
//!   What is not settled then is sent with the mark.
//! - **ask whether a batch landed**: a node to which the outcome of a batch is unknown asks before it settles again.
//! - **disable, enable, close**: an edit cannot see what is in flight. It leaves open what may have begun, and the
//!   owner of the row closes it, or lets it finish.
//!
//! Anything may happen between any two steps: a node dies, or stands still for as long as it likes (then it takes no
//! step, while others do), loses its lease, gets its answer when someone else has settled; a job is edited by someone
//! whose clock is behind. `rules.rs` has the rules, `promises.rs` the promises, and a test below leaves out one rule
//! after the other and sees a promise break. With `--nocapture` it prints how.
//!
//! What is promised of two sends is that one at most has no mark. It need not be the first one: a node can stand still
//! between its decision and its call, and the call with the mark, of the node that took over, is there before it.
//!
//! Left out: that every third resend counts as a failed attempt, clocks that go back, more than two nodes.

mod attempt;
mod calm;
mod cluster;
mod edit;
mod promises;
mod rules;
mod state;

use std::collections::BTreeSet;

use stateright::{Checker, HasDiscoveries, Model};

use self::promises::{ENDED_ONCE, NOTHING_IS_STUCK, ONE_UNMARKED, POSSIBLE, PROMISES, RECORD_IS_TRUE};
use self::rules::{Protocol, Rule};
use self::state::PerRow;

/// One job with all that a job can do.
const ONE_JOB: Protocol = Protocol {
    without: None,
    nominals: PerRow([2, 0]),
    retries: 1,
    lease: 1,
    ahead: 1,
    last_instant: 3,
    process_ends: 2,
    edits: 2,
};

/// Two jobs with what they share: the nodes with their leases, watermarks and ends.
const TWO_JOBS: Protocol = Protocol { nominals: PerRow([1, 1]), retries: 0, process_ends: 1, edits: 0, ..ONE_JOB };

/// Two jobs, one of which is edited; in less time.
const TWO_JOBS_EDITED: Protocol = Protocol { last_instant: 2, edits: 1, ..TWO_JOBS };

/// What takes minutes.
const LONG: [Protocol; 5] = [
    Protocol { last_instant: 4, ..ONE_JOB },
    Protocol { lease: 2, last_instant: 4, ..ONE_JOB },
    Protocol { ahead: 2, ..ONE_JOB },
    Protocol { retries: 1, ..TWO_JOBS },
    Protocol { edits: 2, ..TWO_JOBS_EDITED },
];

#[test]
fn the_rules_keep_the_promises() {
    let is_long = std::env::var_os("PUNCTUAL_TEST_LONG").is_some();
    let long = LONG.into_iter().filter(|_| is_long);
    let mut possible = BTreeSet::new();
    for protocol in [ONE_JOB, TWO_JOBS, TWO_JOBS_EDITED].into_iter().chain(long) {
        possible.extend(try_everything(protocol, &PROMISES));
    }
    assert_eq!(possible, BTreeSet::from(POSSIBLE), "left: what happened; a promise about what cannot happen is empty");
}

/// Each rule is there because without it this promise breaks.
#[test]
fn without_any_of_the_rules_a_promise_breaks() {
    let promises = [
        (Rule::StartsWithinLease, ONE_UNMARKED),
        (Rule::StartsUpToWatermark, ONE_UNMARKED),
        (Rule::RefusesLateHeartbeat, ONE_UNMARKED),
        (Rule::MarksAtTakeover, ONE_UNMARKED),
        (Rule::KeepsWatermark, ONE_UNMARKED),
        (Rule::LeavesIdle, ONE_UNMARKED),
        (Rule::LeavesComplete, ONE_UNMARKED),
        (Rule::ClaimsAtHandover, ONE_UNMARKED),
        (Rule::MarksAfterClaim, ONE_UNMARKED),
        (Rule::EndsClaims, NOTHING_IS_STUCK),
        (Rule::Compares, ENDED_ONCE),
        (Rule::AsksWhetherLanded, RECORD_IS_TRUE),
        (Rule::ResendsWhatIsStopped, RECORD_IS_TRUE),
        (Rule::ClosesWhatItRead, NOTHING_IS_STUCK),
        (Rule::DisableLeavesBegun, RECORD_IS_TRUE),
        (Rule::EnableLeavesBegun, RECORD_IS_TRUE),
    ];
    for (rule, promise) in promises {
        let bounds = match rule {
            // That a node has other shards can be seen with two jobs only.
            Rule::KeepsWatermark => TWO_JOBS,
            // As long as the watermark is not further ahead than the lease, it is a fence by itself, or nearly.
            Rule::StartsWithinLease => Protocol { ahead: 2, ..ONE_JOB },
            _ => ONE_JOB,
        };
        let found = try_everything(Protocol { without: Some(rule), ..bounds }, &[promise]);
        assert!(found.contains(promise), "without {rule:?} it still holds: {promise}");
    }
}

/// A node without a lease that takes a shard over starts nothing in it, and the next one takes it from there.
#[test]
fn a_rule_that_is_good_sense_only() {
    let without = Protocol { without: Some(Rule::TakesOverWithinLease), process_ends: 1, edits: 1, ..ONE_JOB };
    let found = try_everything(without, &PROMISES);
    assert!(PROMISES.iter().all(|promise| !found.contains(promise)), "it is needed");
}

/// Takes every step in every order until one of these promises breaks, says how, and gives all that was seen to happen.
fn try_everything(protocol: Protocol, promises: &[&'static str]) -> BTreeSet<&'static str> {
    let is_broken = HasDiscoveries::AnyOf(promises.iter().copied().collect());
    let checker = protocol.checker().threads(2).finish_when(is_broken).spawn_bfs().join();
    println!("{} states of {protocol:?}", checker.unique_state_count());
    let found = checker.discoveries();
    for (promise, path) in promises.iter().filter_map(|promise| Some((promise, found.get(promise)?))) {
        println!("  not so: {promise}: {:?}", path.clone().into_actions());
        assert!(protocol.without.is_some(), "with all rules this breaks: {promise}");
    }
    found.into_keys().collect()
}
