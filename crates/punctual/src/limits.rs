//! Every limit of the server and of the command line, with its reason.

/// A settings file with every key and its comment is a tenth of this, and a wrong path does not fill the memory.
pub(crate) const SETTINGS_BYTES_MAX: u64 = 65_536;

/// The line and the headers of a request: room for the longest address that is taken and a token with many claims.
pub(crate) const REQUEST_HEAD_BYTES_MAX: usize = 16_384;
/// Headers of a request: browsers and proxies together send some thirty.
pub(crate) const REQUEST_HEADERS_MAX: usize = 100;
/// Requests that one HTTP/2 connection may have open: what a browser asks for at once, several times over.
pub(crate) const REQUEST_STREAMS_MAX: u32 = 250;
/// Requests that are answered at once, on all connections together; further ones wait. Each holds its body and its answer
/// in memory.
pub(crate) const REQUESTS_ANSWERED_MAX: usize = 1024;
/// Bytes of a refused body that are read and thrown away: a client that is still sending does not read the refusal, and
/// loses the refusal if the connection is closed.
pub(crate) const REFUSED_BODY_BYTES_MAX: usize = 4 << 20;
/// How long a refused body is read.
pub(crate) const REFUSED_BODY_SECONDS_MAX: u64 = 2;
