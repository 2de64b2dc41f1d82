//! Every limit on a PFX file, with its reason.

/// A certificate with its key and a long chain takes a tenth of this. The API refuses longer texts earlier.
pub(crate) const BASE64_CHARS_MAX: usize = 65_536;

/// Rounds of hashing for all the keys that are derived for one file, together.
///
/// The usual programs ask for 1 to 10,000 rounds for each of three keys; the most that anyone recommends are 600,000,
/// which is less than this for all three. The rounds take half a second of one processor, with the slowest hash two. A
/// limit for each key alone would not do: a file of the largest size has room for hundreds of keys.
pub(crate) const ROUNDS_MAX: u64 = 2_000_000;
