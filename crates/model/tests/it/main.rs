//! What the model promises, tried from outside: its recurrences against a second implementation, against other people's
//! crates, against every zone there is, and by hand where a case is known to be hard; its decisions as lives of jobs.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod against_croner;
mod against_oracle;
mod against_rrule;
mod arbitrary;
mod cron;
mod crontab;
mod definition;
mod documents;
mod edits;
mod execution;
mod hard_cases;
mod incidents;
mod life;
mod lives;
mod oracle;
mod pauses;
mod placeholders;
mod races;
mod reruns;
mod resends;
mod secrets;
mod transitions;
mod upcoming;
