//! Every limit on jobs, collections and records, with its reason. Limits on requests, calls and files stand in the crates
//! that enforce them.

use crate::time::{TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND};

/// The longest intervals of the original: about 18 months, and a thousand of the small units.
pub mod interval_max {
    /// Minutes between two occurrences.
    pub const MINUTE: u16 = 1000;
    /// Hours between two occurrences.
    pub const HOUR: u16 = 1000;
    /// Days between two occurrences.
    pub const DAY: u16 = 548;
    /// Weeks between two occurrences.
    pub const WEEK: u16 = 78;
    /// Months between two occurrences.
    pub const MONTH: u16 = 18;
    /// Years between two occurrences; ours, since the original had no yearly jobs.
    pub const YEAR: u16 = 10;
}

/// How many mistakes an answer names: someone who made more has to come back anyway.
pub const FINDINGS_MAX: usize = 100;

/// The original counted occurrences in 32 bits and did odd things above.
pub const COUNT_MAX: u32 = i32::MAX as u32;

/// A cron expression that lists every value of every field by name, twice, is shorter.
pub const CRON_CHARS_MAX: usize = 1000;

/// A list in a schedule: every day of a month from both ends, and as many again by mistake.
pub const SCHEDULE_ITEMS_MAX: usize = 128;

/// As long as the names of resources were in the original's gateway.
pub const NAME_CHARS_MAX: usize = 260;

/// The original's limits for tags.
pub const TAGS_MAX: usize = 50;
/// Characters in the name of a tag.
pub const TAG_NAME_CHARS_MAX: usize = 512;
/// Characters in the value of a tag.
pub const TAG_VALUE_CHARS_MAX: usize = 256;

/// No region of the original has a longer name; a location is only echoed.
pub const LOCATION_CHARS_MAX: usize = 128;

/// The original's limit for the address of an HTTP action.
pub const URI_CHARS_MAX: usize = 2048;
/// From this length on, a segment of a path with letters and digits is taken for a secret. The keys in webhook addresses have
/// 18 characters and more; few words of a path have as many.
pub const SECRET_SEGMENT_CHARS_MIN: usize = 16;
/// The original's limit for a method is not known; no method in use is longer.
pub const METHOD_CHARS_MAX: usize = 32;
/// The original's limit for the number of headers.
pub const HEADERS_MAX: usize = 50;
/// The original's limit for names and values of all headers together.
pub const HEADERS_CHARS_MAX: usize = 4096;
/// Custom properties of a message: as many as headers of a request.
pub const PROPERTIES_MAX: usize = 50;
/// Names and values of all properties of a message together: over HTTPS they travel as headers.
pub const PROPERTIES_CHARS_MAX: usize = 4096;
/// The limit of the Service Bus for the id of a message, a session or a partition.
pub const BROKERED_ID_CHARS_MAX: usize = 128;
/// A storage queue takes messages of 64 KB. The original took less, and every other target takes more.
pub const MESSAGE_CHARS_MAX: usize = 65_536;
/// The limit of a storage queue for the text on it, in bytes. In base64 or an envelope the text is larger than the message.
pub const QUEUE_TEXT_BYTES_MAX: usize = 65_536;

/// Addresses that one alert tells by e-mail. Who has more readers has a list with an address of its own.
pub const EMAIL_RECIPIENTS_MAX: usize = 20;
/// An e-mail address, by RFC 5321: 256 with the angle brackets around it.
pub const EMAIL_ADDRESS_CHARS_MAX: usize = 254;
/// What stands before the @, by RFC 5321.
pub const EMAIL_LOCAL_CHARS_MAX: usize = 64;

/// Runs of a job before and after an edit that are compared: more than anyone reads, and a hundredth of a second of work.
pub const RUNS_COMPARED: usize = 100;

/// Characters in the note of a job: a few sentences for who finds it disabled.
pub const NOTE_CHARS_MAX: usize = 1000;
/// How far ahead a job may be disabled until: who means longer means for good, or has mistyped the year.
pub const DISABLED_TICKS_MAX: i64 = 10 * 366 * crate::time::TICKS_PER_DAY;
/// Occurrences of one backfill: a week of a job that runs every minute, and some.
pub const BACKFILL_MAX: usize = 20_000;
/// Gaps between times that ran which one backfill fills: each is a row beside the schedule.
pub const BACKFILL_GAPS_MAX: usize = 100;
/// The longest distance between two starts of a backfill, in milliseconds: an hour.
pub const BACKFILL_SPACING_MS_MAX: u32 = 3_600_000;
/// The longest that a part of a backfill waits for the parts before it, after the clock was set back.
pub const BACKFILL_WAIT_TICKS_MAX: i64 = crate::time::TICKS_PER_DAY;
/// Labels of a job: who needs more of them needs another tool.
pub const LABELS_MAX: usize = 16;
/// Characters in the key of a label, and in its value: as in Kubernetes, whose users label everything.
pub const LABEL_CHARS_MAX: usize = 63;

/// Manual runs of one job that wait: who presses the button again and again means it once.
pub const MANUAL_RUNS_MAX: u32 = 10;

/// A password, key, signature, user or client name; tokens with many claims are the longest of them.
pub const CREDENTIAL_CHARS_MAX: usize = 4096;
/// A certificate with its key and its whole chain, in base64.
pub const PFX_CHARS_MAX: usize = 65_536;
/// How long before its end a certificate is warned of: in some companies it takes a month to get another one.
pub const CERTIFICATE_WARNING_TICKS: i64 = 30 * TICKS_PER_DAY;
/// The shortest key that the Standard Webhooks scheme takes.
pub const SIGNING_KEY_BYTES_MIN: usize = 24;
/// The longest key that the scheme takes. A longer key would be hashed first, which makes it no better.
pub const SIGNING_KEY_BYTES_MAX: usize = 64;

/// A storage queue hides a new message for seven days at most.
pub const VISIBILITY_DELAY_TICKS_MAX: i64 = 7 * TICKS_PER_DAY;

/// The original's limits for retries: 15 seconds to 18 months, at most 20; 4 times 30 seconds by default.
pub const RETRY_INTERVAL_TICKS_MIN: i64 = 15 * TICKS_PER_SECOND;
/// 18 months, counted as the longest interval in days.
pub const RETRY_INTERVAL_TICKS_MAX: i64 = interval_max::DAY as i64 * TICKS_PER_DAY;
/// Retries after the first attempt, at most.
pub const RETRY_COUNT_MAX: u32 = 20;
/// Retries after the first attempt where a policy names no number.
pub const RETRY_COUNT_DEFAULT: u32 = 4;
/// The time between attempts where a policy names none.
pub const RETRY_INTERVAL_TICKS_DEFAULT: i64 = 30 * TICKS_PER_SECOND;
/// The time between attempts in the Free plan: never less, and the default.
pub const RETRY_INTERVAL_TICKS_FREE: i64 = TICKS_PER_HOUR;
/// A target that asks for more patience than this gets the retry earlier than it wants.
pub const RETRY_AFTER_TICKS_MAX: i64 = TICKS_PER_HOUR;

/// Shorter than a second no call across a network can be expected to take.
pub const TIMEOUT_TICKS_MIN: i64 = TICKS_PER_SECOND;
/// Longer work should be answered with 202 and be done in the background: an attempt holds a place of the server.
pub const TIMEOUT_TICKS_MAX: i64 = 30 * TICKS_PER_MINUTE;
/// What the original waited.
pub const TIMEOUT_TICKS_DEFAULT: i64 = 60 * TICKS_PER_SECOND;

/// How many missed occurrences of one job may run after each other, at most.
pub const CATCH_UP_MAX: u32 = 10_000;
/// How many do where nothing is said: enough for a night of quarter hours, no flood.
pub const CATCH_UP_MAX_DEFAULT: u32 = 100;
/// An edit does not know what is in flight. An occurrence that wakes within this time after the edit may have been started
/// before the edit is on disk, since a commit takes time and clocks differ; so it stays open.
pub const BEGUN_TICKS: i64 = TICKS_PER_SECOND;
/// Later than this an occurrence is missed, not late.
pub const LATE_TICKS_MAX: i64 = 60 * TICKS_PER_SECOND;
/// Occurrences of one job that may be open at once under `overlap: allow`.
pub const OVERLAP_OPEN_MAX: u32 = 100;

/// What the original kept of an answer; a record must stay small enough to list hundreds of them.
pub const EXCERPT_CHARS_MAX: usize = 1024;
/// What a placeholder shows of the reason of a failure, after escaping: three of them fit into an address.
pub const FAILURE_MESSAGE_BYTES_MAX: usize = 600;
/// The longest name that DNS has.
pub const HOST_CHARS_MAX: usize = 253;
/// What is kept of the reason of a failure: it stands in one line of a list or an alert.
pub const FAILURE_DETAIL_CHARS_MAX: usize = 300;
/// How many times one record adds to the count of what was not run, at most, so that sums of it fit into a database's integers.
pub const NOT_RUN_COUNTED_MAX: u64 = u32::MAX as u64;
/// Entries in `options.success.status`; there are not more status codes in use.
pub const SUCCESS_STATUS_MAX: usize = 64;

/// Alerts of a server: each is looked at whenever a job gets into trouble.
pub const ALERTS_MAX: u32 = 1000;
/// Alerts about one collection and its jobs, unless the owner of the server makes them: nobody uses up what all share.
pub const ALERTS_OF_COLLECTION_MAX: u32 = 100;
/// Alerts about one resource group and what is in it, unless the owner of the server makes them.
pub const ALERTS_OF_GROUP_MAX: u32 = 200;
/// Alerts about one subscription and what is in it, unless the owner of the server makes them.
pub const ALERTS_OF_SUBSCRIPTION_MAX: u32 = 400;
/// Incidents of an alert that are open and of a target and cause of their own: who is told of a hundred troubles at once reads no
/// more of them. What comes then is one incident of all other targets.
pub const OPEN_INCIDENTS_MAX: usize = 100;
/// Failed attempts in a row after which an alert tells, at most: more than all retries of a day of quarter hours.
pub const ALERT_ATTEMPTS_MAX: u32 = 1000;
/// An incident is told this long after it opened: a target that goes down takes many jobs with it, and all of them belong in
/// one message.
pub const ALERT_GATHER_TICKS: i64 = 5 * TICKS_PER_SECOND;
/// An incident is over when nothing has failed for this long: a target that comes back stumbles.
pub const ALERT_RECOVERY_TICKS: i64 = 30 * TICKS_PER_SECOND;
/// An incident of runs that start late is over when none did for this long.
pub const ALERT_LATE_TICKS: i64 = TICKS_PER_HOUR;
/// What happened and is over is closed this long after it was told, at a receiver that closes nothing by itself: who is paged has
/// the time to see it, and nothing stays open for ever.
pub const ALERT_PAST_TICKS: i64 = TICKS_PER_HOUR;
/// A job in trouble that has been due for so long does not run: no attempt takes that long, and its incident does not wait for it.
pub const ALERT_UNDER_WAY_TICKS: i64 = TICKS_PER_HOUR;
/// More often than this nobody wants to be reminded.
pub const REMINDER_TICKS_MIN: i64 = 5 * TICKS_PER_MINUTE;
/// Jobs that a message names; the others are counted.
pub const MESSAGE_JOBS_MAX: usize = 10;
