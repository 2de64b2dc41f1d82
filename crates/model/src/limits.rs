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

/// Objects and lists inside each other; a job has eight, and a reader of JSON works itself down one call per level.
pub const NESTING_MAX: usize = 32;

/// How many mistakes an answer names: someone who made more has to come back anyway.
pub const FINDINGS_MAX: usize = 100;

/// The original counted occurrences in 32 bits and did odd things above.
pub const COUNT_MAX: u32 = i32::MAX as u32;

/// A `$filter` that names every member once, in quotes and with room to spare; it comes in the address of a request.
pub const FILTER_CHARS_MAX: usize = 500;

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

/// The original's limit for the body of an HTTP action; it holds where a collection has one of the original's plans.
pub const PLAN_BODY_CHARS_MAX: usize = 8192;
/// The original's limit for a whole job, as it was sent; it holds where a collection has one of the original's plans.
pub const PLAN_JOB_BYTES_MAX: usize = 16_000;

/// Manual runs of one job that wait: who presses the button again and again means it once.
pub const MANUAL_RUNS_MAX: u32 = 10;
/// Jobs that one request to run again what failed looks through; its answer says where to go on.
pub const RERUN_JOBS_MAX: u32 = 1000;
/// Occurrences that such a request opens, each in a commit of its own: about a second of work.
pub const RERUNS_MAX: u32 = 500;
/// Records of one job that such a request looks at, to find what failed and what was completed since.
pub const RERUN_RECORDS_MAX: usize = 10_000;
/// The time that one audit looks at: what ran in it is held in memory, job by job.
pub const AUDIT_TICKS_MAX: i64 = 31 * TICKS_PER_DAY;
/// Jobs that one request of an audit goes through; its answer says where to go on.
pub const AUDIT_JOBS_MAX: u64 = 1000;
/// And records: it ends after the job with which it has looked at so many.
pub const AUDIT_RECORDS_MAX: usize = 200_000;
/// Ranges of unexplained times that one answer names.
pub const AUDIT_UNEXPLAINED_MAX: usize = 1000;
/// How often a write is tried again because another one was faster.
pub const WRITE_TRIES_MAX: u32 = 16;
/// Tokens of a server: one for each program and person of a large company.
pub const TOKENS_MAX: u32 = 10_000;
/// Role assignments of a server; each request with a token of an issuer looks at all of them.
pub const ASSIGNMENTS_MAX: u32 = 1000;
/// Roles that one token has.
pub const GRANTS_MAX: usize = 50;
/// What a token is for, in its maker's words.
pub const DESCRIPTION_CHARS_MAX: usize = 256;
/// Occurrences in the answer to a preview.
pub const PREVIEW_MAX: u32 = 1000;

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
/// Seconds between attempts where a policy names none.
pub const RETRY_INTERVAL_SECONDS_DEFAULT: u32 = 30;
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
/// Entries in `options.success.status`; there are not more status codes in use.
pub const SUCCESS_STATUS_MAX: usize = 64;

/// A token that somebody signs in with. Issuers that list two hundred groups in it stay below.
pub const BEARER_BYTES_MAX: usize = 16_384;
/// Clocks that are further apart than five minutes are wrong, and every minute prolongs the life of a stolen token.
pub const OIDC_SKEW_SECONDS_MAX: u32 = 300;
/// A document of an issuer: as many keys as are taken, each with a chain of certificates.
pub const OIDC_DOCUMENT_BYTES_MAX: usize = 524_288;
/// Keys of one issuer. The large ones have about ten; a token that names none of them must not cost a long search.
pub const OIDC_KEYS_MAX: usize = 64;
/// Both documents of an issuer together: requests wait for them.
pub const OIDC_FETCH_SECONDS_MAX: u64 = 10;
/// Anyone can name a key that does not exist. However many do, the issuer is asked no more often than this.
pub const OIDC_FETCH_INTERVAL_TICKS_MIN: i64 = 30 * TICKS_PER_SECOND;
/// A key that the issuer has withdrawn is taken no longer than this.
pub const OIDC_KEYS_AGE_TICKS_MAX: i64 = TICKS_PER_HOUR;
/// Streams of events at once: each holds a connection, and looks at every event.
pub const EVENT_STREAMS_MAX: usize = 256;
/// So long a stream of events lasts; then its reader comes back, and is asked again who it is.
pub const EVENT_STREAM_SECONDS_MAX: u64 = 900;
