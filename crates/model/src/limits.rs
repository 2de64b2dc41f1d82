//! Every limit on what comes from outside, with its reason.

use crate::time::{TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND};

/// What the original took: intervals up to about 18 months, and a thousand of the small units.
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

/// The original counted in 32 bits and did odd things above.
pub const COUNT_MAX: u32 = i32::MAX as u32;

/// A `$filter` that names every member once, in quotes and with room to spare; it comes in the address of a request.
pub const FILTER_CHARS_MAX: usize = 500;

/// A cron expression that lists every value of every field by name and twice fits; no longer one is meant seriously.
pub const CRON_CHARS_MAX: usize = 1000;

/// A list in a schedule: every day of a month from both ends, and as many again by mistake.
pub const SCHEDULE_ITEMS_MAX: usize = 128;

/// A settings file with every key and its comment is a tenth of it, and a wrong path does not fill the memory.
pub const SETTINGS_BYTES_MAX: u64 = 65_536;

/// As long as the names of resources were in the original's gateway.
pub const NAME_CHARS_MAX: usize = 260;

/// The original's limits for tags.
pub const TAGS_MAX: usize = 50;
/// Characters in the name of a tag.
pub const TAG_NAME_CHARS_MAX: usize = 512;
/// Characters in the value of a tag.
pub const TAG_VALUE_CHARS_MAX: usize = 256;

/// No region of the original has a longer name; it is only echoed.
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
/// What the broker takes as an identifier: of a message, a session or a partition.
pub const BROKERED_ID_CHARS_MAX: usize = 128;
/// A storage queue takes 64 KB; so much text is more than the original took, and fits every target.
pub const MESSAGE_CHARS_MAX: usize = 65_536;
/// What a storage queue takes: the bytes of the text on it, which is larger than the message in base64 or an envelope.
pub const QUEUE_TEXT_BYTES_MAX: usize = 65_536;
/// How long a token lives that a message to the Service Bus is sent with; the clocks of both may be minutes apart.
pub const SERVICE_BUS_TOKEN_TICKS: i64 = TICKS_PER_HOUR;

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
/// A certificate that expires within a month is warned of: so long it takes in some companies to get another one.
pub const CERTIFICATE_WARNING_TICKS: i64 = 30 * TICKS_PER_DAY;
/// A key for signatures: what the Standard Webhooks scheme takes.
pub const SIGNING_KEY_BYTES_MIN: usize = 24;
/// Longer ones are hashed first, which makes them no better.
pub const SIGNING_KEY_BYTES_MAX: usize = 64;

/// A storage queue hides a new message for seven days at most.
pub const VISIBILITY_DELAY_TICKS_MAX: i64 = 7 * TICKS_PER_DAY;

/// The original's limits for retries: 15 seconds to 18 months, at most 20; 4 times 30 seconds by default.
pub const RETRY_INTERVAL_TICKS_MIN: i64 = 15 * TICKS_PER_SECOND;
/// 18 months, counted as the longest interval in days.
pub const RETRY_INTERVAL_TICKS_MAX: i64 = interval_max::DAY as i64 * TICKS_PER_DAY;
/// Retries after the first attempt, at most.
pub const RETRY_COUNT_MAX: u32 = 20;
/// Retries after the first attempt where none are named.
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
/// The line and the headers of a request: room for the longest address that is taken and a token with many claims.
pub const REQUEST_HEAD_BYTES_MAX: usize = 16_384;
/// Headers of a request: browsers and proxies together send some thirty.
pub const REQUEST_HEADERS_MAX: usize = 100;
/// Requests that one HTTP/2 connection may have open: what a browser asks for at once, several times over.
pub const REQUEST_STREAMS_MAX: u32 = 250;
/// Requests being answered at once, by all connections: more of them wait. Each holds its body and its answer in memory.
pub const REQUESTS_ANSWERED_MAX: usize = 1024;
/// Streams of events at once: each holds a connection, and looks at every event.
pub const EVENT_STREAMS_MAX: usize = 256;
/// So long a stream of events lasts; then its reader comes back, and is asked again who it is.
pub const EVENT_STREAM_SECONDS_MAX: u64 = 900;
/// Of a body that was refused so much more is read and thrown away: someone who is still sending does not read the
/// refusal, and a connection closed before loses it.
pub const REFUSED_BODY_BYTES_MAX: usize = 4 << 20;
/// And for so long.
pub const REFUSED_BODY_SECONDS_MAX: u64 = 2;

/// Connecting to a target, TLS included. The original gave up after about as long.
pub const CONNECT_SECONDS_MAX: u64 = 20;
/// Addresses of one name that are tried: more of them are other machines of the same service.
pub const ADDRESSES_TRIED_MAX: usize = 4;
/// Finding the addresses of a name. A resolver that asks two servers twice has answered by then.
pub const LOOK_UP_SECONDS_MAX: u64 = 10;
/// Look-ups at once. Each holds a thread of the system's resolver, however long that takes.
pub const LOOK_UPS_MAX: usize = 64;
/// Look-ups at once of names whose last look-up got no answer: whoever hangs again leaves room for the others.
pub const LOOK_UPS_SUSPECT_MAX: usize = 16;
/// Names whose addresses are kept. Beyond it the older answers are forgotten.
pub const NAMES_KEPT_MAX: usize = 10_000;
/// So long an answer of a name server is taken as it is. The system's resolver does not say how long it may be.
pub const NAME_FRESH_SECONDS: u32 = 30;
/// So long it is used where no newer one comes in time: a service keeps its address longer than a name server is away.
pub const NAME_STALE_SECONDS: u32 = 600;
/// So long an answer that there is no such name, or no answer at all, is not asked for again.
pub const NAME_FAILED_SECONDS: u32 = 5;
/// Whoever has an old answer waits no longer than this for a newer one.
pub const NAME_REFRESH_MILLISECONDS_MAX: u64 = 500;

/// Redirects that are followed; a sixth is a circle.
pub const REDIRECTS_MAX: usize = 5;
/// The line and the headers of an answer; servers with long cookies and policies stay below.
pub const ANSWER_HEAD_BYTES_MAX: usize = 65_536;
/// Headers of an answer.
pub const ANSWER_HEADERS_MAX: usize = 128;
/// Preliminary answers (1xx) before the real one.
pub const ANSWER_PRELIMINARY_MAX: usize = 8;
/// What is kept in memory of the body of an answer: the excerpt, and enough behind it to find a secret that is cut by its end.
pub const ANSWER_KEPT_BYTES_MAX: usize = 16_384;
/// What is read of the body of an answer. Up to here reading on is cheaper than a new connection.
pub const ANSWER_READ_BYTES_MAX: usize = 262_144;
/// What is read of it, and unpacked, where it must contain a text.
pub const ANSWER_SEARCHED_BYTES_MAX: usize = 1_048_576;
/// Names and values of the headers of an answer in a record: as much as of its body.
pub const EXCERPT_HEADERS_CHARS_MAX: usize = 1024;
/// A line with the size of a chunk, and all trailers of a body.
pub const CHUNK_LINE_BYTES_MAX: usize = 8192;
/// Shorter passwords are not searched for in answers: every text contains them.
pub const MASKED_SECRET_BYTES_MIN: usize = 4;
/// Shorter header values and query parameters are not searched for in answers: they are words such as `true`.
pub const MASKED_VALUE_BYTES_MIN: usize = 8;

/// Values in the body of a request that are searched for in answers one by one, the longest first: each costs time at every
/// byte of an answer.
pub const MASKED_VALUES_MAX: usize = 256;

/// Client certificates that are kept open: each with what it needs for TLS, some ten kilobytes.
pub const CERTIFICATES_KEPT_MAX: usize = 1000;
/// So long one is kept that nobody uses: a job that runs every hour finds its own again.
pub const CERTIFICATE_UNUSED_SECONDS_MAX: u32 = 3700;
/// Certificates that are opened at once. Each keeps a processor busy, for up to two seconds by the wish of who made it.
pub const CERTIFICATES_OPENED_MAX: usize = 2;

/// Tokens that are kept, each of a few kilobytes. Beyond it the one that was not used for the longest time goes.
pub const TOKENS_KEPT_MAX: usize = 4096;
/// So long a token is kept at most, whatever its issuer says: a client that lost its rights notices after a day.
pub const TOKEN_SECONDS_MAX: u32 = 86_400;
/// So long a token is used whose issuer does not say how long it is valid.
pub const TOKEN_SECONDS_DEFAULT: u32 = 300;
/// So long before its end a token is not used any more: it has to reach the target, and clocks differ.
pub const TOKEN_MARGIN_SECONDS: u32 = 60;
/// So long after it refused one an issuer is not asked again for the same token.
pub const TOKEN_FAILED_SECONDS: u32 = 5;
/// So long an issuer may take to answer.
pub const TOKEN_REQUEST_SECONDS_MAX: u64 = 30;
/// What a record repeats of an issuer's explanation.
pub const TOKEN_EXPLANATION_CHARS_MAX: usize = 500;

/// Connections that wait for their next use, of all targets together: each holds a file.
pub const IDLE_CONNECTIONS_MAX: usize = 1024;
/// Connections to one target that wait: as many as a collection may have calls on their way.
pub const IDLE_CONNECTIONS_PER_TARGET_MAX: usize = 512;
/// So long a connection waits: a job that runs every minute finds its own again.
pub const IDLE_CONNECTION_SECONDS_MAX: u32 = 90;

/// Connections to AMQP brokers that are kept, one for each broker and login: each holds a file. Beyond it the one that
/// was used longest ago is given up.
pub const AMQP_CONNECTIONS_MAX: usize = 256;
/// Links on one connection, one for each queue or topic, in a session each: RabbitMQ takes 2,047 sessions.
pub const AMQP_LINKS_MAX: usize = 1000;
/// Messages on one connection that the broker has not confirmed: each is held in memory. The Service Bus takes a thousand
/// of a link before it has confirmed the first.
pub const AMQP_DELIVERIES_MAX: usize = 1024;
/// What a broker may send in one frame; it sends us nothing but confirmations and answers to tokens.
pub const AMQP_FRAME_BYTES_MAX: u32 = 65_536;
/// Opening a connection after TLS, and attaching a link with its token. RabbitMQ lets wrong passwords wait for 3 seconds.
pub const AMQP_ANSWER_SECONDS_MAX: u64 = 20;
/// A broker that is silent for so long is gone: it has promised to send empty frames.
pub const AMQP_SILENCE_MILLISECONDS_MAX: u32 = 60_000;
/// So long a broker may take to answer that we close a connection.
pub const AMQP_CLOSING_SECONDS_MAX: u64 = 2;
/// So long a link or a connection waits for its next message. The Service Bus detaches links after ten minutes.
pub const AMQP_IDLE_SECONDS_MAX: u32 = 300;
/// After so long a token is replaced, in time even if the clocks differ by minutes or a link is idle in between.
pub const AMQP_TOKEN_RENEWED_TICKS: i64 = 45 * TICKS_PER_MINUTE;
/// If that fails, it is tried again with the first message after so long.
pub const AMQP_TOKEN_RETRIED_TICKS: i64 = TICKS_PER_MINUTE;
/// A busy Service Bus asks in its documents to be left alone for so long; it does not say so on the wire.
pub const AMQP_BUSY_TICKS: i64 = 10 * TICKS_PER_SECOND;
/// What a broker says about a refusal; those of the Service Bus have two or three hundred characters.
pub const AMQP_DESCRIPTION_CHARS_MAX: usize = 512;
