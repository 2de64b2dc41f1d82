//! Every limit on calls to targets, with its reason. Limits on what a job may say are the model's.

use punctual_model::time::{TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND};

/// Connecting to a target, TLS included. The original gave up after about as long.
pub(crate) const CONNECT_SECONDS_MAX: u64 = 20;
/// How long an address is tried before the next one is tried beside it, as RFC 8305 recommends.
pub(crate) const CONNECT_HEAD_START_MILLISECONDS: u64 = 250;
/// Addresses of one name that are tried: further ones are other machines of the same service.
pub(crate) const ADDRESSES_TRIED_MAX: usize = 4;

/// Looking up the addresses of a name. A resolver that asks two servers twice has answered by then.
pub(crate) const LOOK_UP_SECONDS_MAX: u64 = 10;
/// Look-ups at once, as long as they are prompt. Each occupies a thread, however long the look-up takes.
pub(crate) const LOOK_UPS_MAX: usize = 64;
/// After this time a look-up counts as slow: most take a few milliseconds, and some a few hundred.
pub(crate) const LOOK_UP_PROMPT_MILLISECONDS_MAX: u64 = 500;
/// Slow look-ups at once, beside the prompt ones: they wait for a name server, and cost nothing but their threads.
pub(crate) const LOOK_UPS_SLOW_MAX: usize = 256;
/// Look-ups at once of names in zones that do not answer: of all such zones, and of one of them.
pub(crate) const LOOK_UPS_SUSPECT_MAX: usize = 64;
pub(crate) const LOOK_UPS_PER_SUSPECT_MAX: usize = 2;
/// Slow look-ups of names of a zone, without a prompt one between them, after which the zone counts as one that does not answer.
pub(crate) const ZONE_SLOW_IN_A_ROW_MAX: usize = 8;
/// Slow look-ups of names of a zone that are under way at once, after which the zone counts as one that does not answer, even if
/// other names of the zone are found.
pub(crate) const ZONE_SLOW_UNDER_WAY_MAX: usize = 16;
/// The last parts of a name that count as its zones: nobody sells domains below that.
pub(crate) const ZONE_LABELS_MAX: usize = 4;
/// Zones with slow names that are remembered.
pub(crate) const ZONES_KEPT_MAX: usize = 10_000;
/// Names whose addresses are kept. Beyond this number the older answers are dropped.
pub(crate) const NAMES_KEPT_MAX: usize = 10_000;
/// How long the answer of a name server is used without asking again. The system's resolver does not say how long the
/// answer is valid.
pub(crate) const NAME_FRESH_SECONDS: u32 = 30;
/// How long an old answer is used where no newer one comes in time: a service keeps its address longer than a name server
/// is away.
pub(crate) const NAME_STALE_SECONDS: u32 = 600;
/// How long a failed look-up (no such name, or no answer) is not repeated.
pub(crate) const NAME_FAILED_SECONDS: u32 = 5;
/// How long a call that has an old answer waits for a newer one.
pub(crate) const NAME_REFRESH_MILLISECONDS_MAX: u64 = 500;

/// Redirects that are followed; a sixth is a circle.
pub(crate) const REDIRECTS_MAX: usize = 5;
/// The status line and the headers of an answer; servers with long cookies and policies stay below.
pub(crate) const ANSWER_HEAD_BYTES_MAX: usize = 65_536;
/// Headers of an answer.
pub(crate) const ANSWER_HEADERS_MAX: usize = 128;
/// Preliminary answers (1xx) before the final one.
pub(crate) const ANSWER_PRELIMINARY_MAX: usize = 8;
/// Bytes of an answer's body that are kept in memory: the excerpt, and enough behind it to find a secret that the end of
/// the excerpt cuts.
pub(crate) const ANSWER_KEPT_BYTES_MAX: usize = 16_384;
/// Bytes of an answer's body that are read. Up to here reading on is cheaper than a new connection.
pub(crate) const ANSWER_READ_BYTES_MAX: usize = 262_144;
/// Bytes of an answer's body that are read and unpacked where the job demands a text in the body.
pub(crate) const ANSWER_SEARCHED_BYTES_MAX: usize = 1_048_576;
/// Names and values of an answer's headers in a record: as much as of the body.
pub(crate) const EXCERPT_HEADERS_CHARS_MAX: usize = 1024;
/// The line with the size of a chunk, and all trailers of a body.
pub(crate) const CHUNK_LINE_BYTES_MAX: usize = 8192;

/// Shorter passwords are not searched for in answers: every text contains them.
pub(crate) const MASKED_SECRET_BYTES_MIN: usize = 4;
/// Shorter header values and query parameters are not searched for in answers: they are words such as `true`.
pub(crate) const MASKED_VALUE_BYTES_MIN: usize = 8;
/// Bytes of secrets, in all their forms, that are searched for in one pass over an answer: each takes 24 bytes of memory
/// meanwhile. Most jobs need one pass; the largest body, in all its forms, needs thirteen.
pub(crate) const MASK_PASS_BYTES_MAX: usize = 262_144;
/// Steps of the search for each byte of an answer, in one pass. Common texts need one or two; an answer that needs more was
/// made to keep the processor busy, and is masked as a whole.
pub(crate) const MASK_WORK_PER_BYTE_MAX: usize = 32;
/// Steps that every answer is granted: in a short one a few bytes may need many.
pub(crate) const MASK_WORK_GRANTED: usize = 4096;
/// Bytes of an answer and of its job up to which the search is done where the answer arrived, within some microseconds.
pub(crate) const MASK_INLINE_BYTES_MAX: usize = 2048;
/// Longer searches at once, each on a thread of its own: so the threads that start jobs keep most of the processors.
pub(crate) const MASK_THREADS_MAX: usize = 2;

/// Client certificates that are kept open, each with what TLS needs: some ten kilobytes.
pub(crate) const CERTIFICATES_KEPT_MAX: usize = 1000;
/// How long an unused certificate is kept: a job that runs every hour finds its own again.
pub(crate) const CERTIFICATE_UNUSED_SECONDS_MAX: u32 = 3700;
/// Certificates that are opened at once. The author of a file decides how long opening it occupies a processor, up to two
/// seconds.
pub(crate) const CERTIFICATES_OPENED_MAX: usize = 2;

/// Tokens that are kept, a few kilobytes each. Beyond this number the token that was unused for the longest time goes.
pub(crate) const TOKENS_KEPT_MAX: usize = 4096;
/// How long a token is kept, whatever its issuer says: a client that lost its rights notices after a day.
pub(crate) const TOKEN_SECONDS_MAX: u32 = 86_400;
/// How long a token is used whose issuer does not say how long the token is valid.
pub(crate) const TOKEN_SECONDS_DEFAULT: u32 = 300;
/// How long before its end a token is no longer used: the token has to reach the target, and clocks differ.
pub(crate) const TOKEN_MARGIN_SECONDS: u32 = 60;
/// How long after a refusal an issuer is not asked again for the same token.
pub(crate) const TOKEN_FAILED_SECONDS: u32 = 5;
/// How long an issuer may take to answer.
pub(crate) const TOKEN_REQUEST_SECONDS_MAX: u64 = 30;
/// Characters of an issuer's explanation that a record repeats.
pub(crate) const TOKEN_EXPLANATION_CHARS_MAX: usize = 500;

/// Idle connections to all targets together: each occupies a file descriptor.
pub(crate) const IDLE_CONNECTIONS_MAX: usize = 1024;
/// Idle connections to one target: as many as a collection may have calls in flight.
pub(crate) const IDLE_CONNECTIONS_PER_TARGET_MAX: usize = 512;
/// How long an idle connection is kept: a job that runs every minute finds its own again.
pub(crate) const IDLE_CONNECTION_SECONDS_MAX: u32 = 90;

/// How long an HTTP/2 connection is silent before the target is asked whether it is still there. An idle connection is asked
/// twice before it is closed; servers mind more.
pub(crate) const HTTP2_PING_SECONDS: u64 = 30;
/// How long the target may take to say so.
pub(crate) const HTTP2_PING_ANSWER_SECONDS_MAX: u64 = 10;

/// What a mail server may say in one conversation: answers are lines, and a dozen of them are enough for twenty readers.
pub(crate) const SMTP_ANSWERS_BYTES_MAX: usize = 65_536;
/// Characters of a mail server's answer in a sentence: more than one line may have.
pub(crate) const SMTP_ANSWER_CHARS_MAX: usize = 512;
/// How long a mail server that has taken the message may take to say farewell.
pub(crate) const SMTP_QUIT_SECONDS_MAX: u64 = 5;

/// How long a token is valid that a message to the Service Bus is sent with; the clocks of both sides may be minutes apart.
pub(crate) const SERVICE_BUS_TOKEN_TICKS: i64 = TICKS_PER_HOUR;
/// Connections to AMQP brokers that are kept, one for each broker and login: each occupies a file descriptor. Beyond this
/// number the connection that was used longest ago is closed.
pub(crate) const AMQP_CONNECTIONS_MAX: usize = 256;
/// Links on one connection, one for each queue or topic, in a session each: RabbitMQ takes 2,047 sessions.
pub(crate) const AMQP_LINKS_MAX: usize = 1000;
/// Messages on one connection that the broker has not confirmed: each is held in memory. The Service Bus takes a thousand
/// on a link before it has confirmed the first.
pub(crate) const AMQP_DELIVERIES_MAX: usize = 1024;
/// Bytes that a broker may send in one frame; a broker sends nothing but confirmations and answers to tokens.
pub(crate) const AMQP_FRAME_BYTES_MAX: u32 = 65_536;
/// Opening a connection after TLS, and attaching a link with its token. RabbitMQ answers a wrong password after 3 seconds.
pub(crate) const AMQP_ANSWER_SECONDS_MAX: u64 = 20;
/// How long a broker may be silent before its connection counts as lost: brokers promise to send empty frames.
pub(crate) const AMQP_SILENCE_MILLISECONDS_MAX: u32 = 60_000;
/// How long a broker may take to confirm that a connection is closed.
pub(crate) const AMQP_CLOSING_SECONDS_MAX: u64 = 2;
/// How long a link or a connection is kept without a message. The Service Bus detaches links after ten minutes.
pub(crate) const AMQP_IDLE_SECONDS_MAX: u32 = 300;
/// The age at which a token is replaced, in time even if the clocks differ by minutes or the link is idle in between.
pub(crate) const AMQP_TOKEN_RENEWED_TICKS: i64 = 45 * TICKS_PER_MINUTE;
/// How long after a failed replacement of a token the next message tries again.
pub(crate) const AMQP_TOKEN_RETRIED_TICKS: i64 = TICKS_PER_MINUTE;
/// How long a busy Service Bus wants to be left alone, by its documentation; AMQP does not say.
pub(crate) const AMQP_BUSY_TICKS: i64 = 10 * TICKS_PER_SECOND;
/// Characters of a broker's explanation of a refusal; those of the Service Bus have two or three hundred.
pub(crate) const AMQP_DESCRIPTION_CHARS_MAX: usize = 512;
