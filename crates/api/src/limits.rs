//! What bounds the work and the memory of one request, with the reasons. What bounds a job itself is the model's.

use punctual_model::time::{TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_SECOND};

/// Objects and lists inside each other; a job has eight, and a reader of JSON works itself down one call per level.
pub const NESTING_MAX: usize = 32;
/// A `$filter` that names every member once, in quotes and with room to spare; it comes in the address of a request.
pub const FILTER_CHARS_MAX: usize = 500;

/// The original's limit for the body of an HTTP action; it holds where a collection has one of the original's plans.
pub const PLAN_BODY_CHARS_MAX: usize = 8192;
/// The original's limit for a whole job, as it was sent; it holds where a collection has one of the original's plans.
pub const PLAN_JOB_BYTES_MAX: usize = 16_000;

/// How often a write is tried again because another one was faster.
pub const WRITE_TRIES_MAX: u32 = 16;

/// Jobs of a collection that are read at once when its bounds get narrower.
pub const JOBS_CHECKED: usize = 500;

/// Certificates that are opened and previews that are computed at once: each may take a second of a processor.
pub const LONG_WORK_MAX: usize = 2;
/// Such pieces of work, or audits, that one caller may have under way or waiting, so that others get their turn.
pub const LONG_WORK_PER_CALLER_MAX: usize = 16;

/// Occurrences in the answer to a preview: more than anyone reads.
pub const PREVIEW_MAX: u32 = 1000;

/// Jobs that one request to rerun failures looks through; its answer says where to go on.
pub const RERUN_JOBS_MAX: u32 = 1000;
/// Occurrences that such a request opens, each in a commit of its own: about a second of work.
pub const RERUNS_MAX: u32 = 500;
/// Records of one job that such a request looks at, to find what failed and what was completed since.
pub const RERUN_RECORDS_MAX: usize = 10_000;

/// Changes of a job, or of its collection, in which an explanation looks for who did something: all that are kept.
pub const EXPLAIN_CHANGES_MAX: usize = 200;
/// Records of times not run that an explanation looks through for the one in question: about 100 ms of work.
pub const EXPLAIN_RECORDS_MAX: usize = 20_000;

/// Records that a request for a backfill looks through, to find which times ran: about a second of work.
pub const BACKFILL_RECORDS_MAX: usize = 200_000;

/// The time that one audit looks at: what ran in it is held in memory, job by job.
pub const AUDIT_TICKS_MAX: i64 = 31 * TICKS_PER_DAY;
/// Jobs that one request of an audit goes through; its answer says where to go on.
pub const AUDIT_JOBS_MAX: u64 = 1000;
/// Records that one request of an audit reads: it ends after the job with which it has read so many.
pub const AUDIT_RECORDS_MAX: usize = 200_000;
/// Records of one job that an audit holds in memory, at some seventy bytes each: those of eleven days, if it runs every
/// second. Whoever wants more asks for a shorter time.
pub const AUDIT_JOB_RECORDS_MAX: usize = 1_000_000;
/// Audits at once: each may hold as many records as that.
pub const AUDITS_MAX: usize = 1;
/// Ranges of unexplained times that one answer names.
pub const AUDIT_UNEXPLAINED_MAX: usize = 1000;

/// Jobs that a list looks at before it answers with what it has found, and with the place to go on at, where the rows of the jobs
/// have to be read: about 15 ms of work, so that the whole answer takes no more than 20.
pub const JOBS_LOOKED_AT_MAX: usize = 5000;
/// The same where an index has all that is looked at.
pub const JOBS_LOOKED_UP_MAX: usize = 20_000;
/// The same of a search by text, which may take 60 ms: its users wait for one answer, not for many short ones.
pub const JOBS_SEARCHED_MAX: usize = 80_000;
/// Jobs that fail on one page of the list; each is looked up in history for what its target answered.
pub const FAILURES_PAGE: u32 = 100;
/// Records, or jobs that fail, that are read at once to find those that are wanted, and how often: what is found by then is
/// answered, with the place to go on at or the word that there is more.
pub const TROUBLE_PAGE: usize = 500;
/// See [`TROUBLE_PAGE`].
pub const TROUBLE_PAGES_MAX: usize = 40;
/// How often such a number of records is read for a page of what came of all jobs: about 20 ms of work.
pub const LATEST_PAGES_MAX: usize = 3;
/// Jobs that are opened for a page of what came of all jobs, where only those of a target are wanted: about 20 ms of work.
pub const LATEST_TARGETS_MAX: usize = 500;
/// The same for an answer that has everything since an instant, which reads as many records and messages as take longer.
pub const TROUBLE_TARGETS_MAX: usize = 2000;
/// What comes next, on one page.
pub const DUE_PAGE: u32 = 100;
/// How far ahead what comes next is looked for: every job but those of leap days has its next occurrence within a year.
pub const DUE_TICKS_MAX: i64 = 366 * TICKS_PER_DAY;
/// Jobs in an answer that has everything since an instant.
pub const TROUBLES_MAX: usize = 1000;
/// Jobs that a group of failures names.
pub const FAILURE_EXAMPLES: usize = 10;

/// Writes in one bulk: their answers are held in memory, and a client that is told of progress is told of it this often.
pub const BULK_ITEMS_MAX: usize = 1000;
/// Writes of a bulk that are under way at once: as many as share a commit anyway, and few enough to be asked one by one.
pub const BULK_WIDTH: usize = 64;
/// Runs that a plan names of those that vanish, and of those that appear.
pub const PLANNED_RUNS_SHOWN: usize = 3;

/// Pieces of work that one request to rotate the keys does, so that its client sees progress.
pub const RESEAL_PIECES_MAX: usize = 20;

/// What is due that a preview of resuming looks at: with more the answer says "at least".
pub const RESUMPTION_PAGES_MAX: usize = 20;
/// Rows that such a preview reads at once.
pub const RESUMPTION_PAGE: usize = 500;
/// Records that the status of one job looks at, beside those of times that were not run, to find its last attempt.
pub const STATUS_RECORDS: usize = 4;
/// Why the server is paused, in the words of who paused it.
pub const WHY_CHARS_MAX: usize = 1000;

/// How long an alert or an incident is muted at most: for ever would be forgotten.
pub const MUTE_TICKS_MAX: i64 = 400 * TICKS_PER_DAY;
/// Alerts on one page.
pub const ALERTS_PAGE: u32 = 100;
/// Messages of an alert, and incidents, on one page; each incident is looked up for what its jobs are in.
pub const INCIDENTS_PAGE: u32 = 100;
/// How often so many incidents are read for a page, by a caller who may see only some of them.
pub const INCIDENT_PAGES_MAX: usize = 20;
/// Tests of an alert that wait for their outcome: more tell nobody more.
pub const TESTS_MAX: usize = 10;
/// Incidents of an alert that is deleted whose end is told: more at once are one trouble that somebody knows.
pub const LAST_MESSAGES_MAX: usize = 1000;

/// Tokens of a server: one for each program and person of a large company.
pub const TOKENS_MAX: u32 = 10_000;
/// Role assignments of a server; each request with a token of an issuer looks at all of them.
pub const ASSIGNMENTS_MAX: u32 = 1000;
/// Roles that one token has.
pub const GRANTS_MAX: usize = 50;
/// What a token is for, in its maker's words.
pub const DESCRIPTION_CHARS_MAX: usize = 256;

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
/// Streams of one caller: a dashboard on every desk of a team.
pub const EVENT_STREAMS_OF_CALLER_MAX: usize = 32;
/// A stream of events ends after this time; its reader comes back, and is asked again who it is.
pub const EVENT_STREAM_SECONDS_MAX: u64 = 900;

/// Changes on one page: each holds a whole definition, and two of them are compared for each that is shown.
pub const CHANGES_PAGE: u32 = 50;

/// The length of a list in an answer, about: what comes after is on the next page. A definition may be as long as the body of a
/// request, and a client that does not read keeps all of the answer in memory.
pub const LIST_BYTES_MAX: usize = 4 << 20;

/// A session of the console lasts a working day and its evening.
pub const SESSION_TICKS: i64 = 12 * TICKS_PER_HOUR;
/// Browsers that are signed in with one token at once: a team that shares one, with phones.
pub const SESSIONS_OF_OWNER_MAX: u32 = 100;
/// How long a link with a one-time code can be followed: somebody has just read it in a terminal.
pub const SIGN_IN_CODE_TICKS: i64 = 10 * 60 * TICKS_PER_SECOND;
/// One-time codes at once: nobody reads more links than that.
pub const SIGN_IN_CODES_MAX: usize = 64;
/// Collections on a page of the console: more than anyone reads, and they are found by their names.
pub const COLLECTIONS_SHOWN_MAX: usize = 1000;
/// Counts of a minute and a collection that are read at once for a chart.
pub const TALLIES_PAGE: usize = 5000;
/// How often rows that are due, as many as [`TROUBLE_PAGE`] says, are read for a chart of the next hour: about 20 ms of work.
pub const MINUTES_PAGES_MAX: usize = 8;
/// Rows on a page of the console.
pub const CONSOLE_PAGE: usize = 50;
/// Records that the page of a job looks at, for sixty runs with their retries.
pub const CONSOLE_RECORDS: usize = 400;
/// Jobs that one form changes: a page of the list, and room to spare.
pub const BULK_MAX: usize = 200;
/// How long a deletion in the console can be undone: as long as somebody looks at what they have just done.
pub const UNDO_SECONDS: u64 = 10;
