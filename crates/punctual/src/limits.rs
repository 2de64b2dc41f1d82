//! Every limit of the server and of the command line, with its reason.

/// A settings file with every key and its comment is a tenth of this, and a wrong path does not fill the memory.
pub(crate) const SETTINGS_BYTES_MAX: u64 = 65_536;

/// A document of YAML, or a file that one names: a job with its actions fits many times over, and it is held in memory.
pub(crate) const DOCUMENT_BYTES_MAX: usize = 1 << 20;
/// A document of JSON, which may be a list: it is held in memory as a whole. More jobs than these belong into YAML, which is read
/// document by document.
pub(crate) const JSON_BYTES_MAX: usize = 16 << 20;
/// Writes that are sent in one request: enough that a round trip costs little, and progress is told often.
pub(crate) const BULK_ITEMS: usize = 500;
/// The length of such a request, about: with one more item it stays below what a server takes by default.
pub(crate) const BULK_BYTES: usize = 512 << 10;

/// The line and the headers of a request: room for the longest address that is taken and a token with many claims.
pub(crate) const REQUEST_HEAD_BYTES_MAX: usize = 16_384;
/// Headers of a request: browsers and proxies together send some thirty.
pub(crate) const REQUEST_HEADERS_MAX: usize = 100;
/// Requests that one HTTP/2 connection may have open: what a browser asks for at once. Each costs some kilobytes.
pub(crate) const REQUEST_STREAMS_MAX: u32 = 100;
/// Bytes of a request that an HTTP/2 client may send before anyone reads them: what most jobs need, so that they need no
/// second round trip.
pub(crate) const REQUEST_STREAM_WINDOW_BYTES: u32 = 131_072;
/// The same for all requests of a connection together.
pub(crate) const REQUEST_CONNECTION_WINDOW_BYTES: u32 = 262_144;
/// Requests that are answered at once, on all connections together; further ones wait. Each holds its answer in memory.
/// Requests whose body is still to come are not counted.
pub(crate) const REQUESTS_ANSWERED_MAX: usize = 1024;
/// Bytes of the bodies of all requests that are being read or answered, together; further ones wait. Parsed, a body can
/// take thirty times as much, for a moment.
pub(crate) const BODIES_BYTES_MAX: usize = 32 << 20;
/// The part of these that one caller can take: others are not kept waiting by a caller who sends large bodies slowly.
pub(crate) const BODIES_BYTES_PER_CALLER_MAX: usize = 8 << 20;
/// Room that a body takes at a time if it does not say how long it is: nearly all jobs are shorter.
pub(crate) const BODY_ROOM_BYTES: usize = 65_536;
/// Bytes of a body that is too long that are read and thrown away: a client that is still sending does not read the
/// refusal, and loses the refusal if the connection is closed.
pub(crate) const REFUSED_BODY_BYTES_MAX: usize = 4 << 20;
/// The same for a body that was not looked at, because of who sent it or what for: strangers get less of our time.
pub(crate) const UNREAD_BODY_BYTES_MAX: usize = 65_536;
/// How long a refused body is read.
pub(crate) const REFUSED_BODY_SECONDS_MAX: u64 = 2;
