//! What is read of the body of an answer.
//!
//! A target may send as much as it likes; we take what the record needs. Of a body the beginning is kept, unpacked where it
//! is packed. If the job says that the body must contain a text, a larger part is looked through, but not kept.

use std::borrow::Cow;
use std::io::{self, Write};

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use memchr::memmem::Finder;

use crate::limits;

/// Bytes that are gathered before they are looked through, beside the length of the text that is looked for.
const LOOKED_THROUGH_BYTES_MIN: usize = 8192;

/// Takes a body piece by piece.
pub(crate) struct BodyReader {
    coding: Coding,
    read_bytes: usize,
    read_bytes_max: usize,
    is_unreadable: bool,
}

/// What is known of a body once no more of it is read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Body {
    /// Its beginning, unpacked.
    pub(crate) kept: Vec<u8>,
    /// Whether there was more of it than that.
    pub(crate) is_cut: bool,
    /// Whether the text that it must contain was found; true if there is none.
    pub(crate) is_found: bool,
    /// How it is packed, if it could not be unpacked.
    pub(crate) unreadable: Option<Cow<'static, str>>,
}

/// How the body is packed.
enum Coding {
    Plain(Sieve),
    Gzip(Box<MultiGzDecoder<Sieve>>),
    /// What some servers call deflate: with or without the frame it should have. The first byte tells.
    DeflateUnseen(Sieve),
    Zlib(Box<ZlibDecoder<Sieve>>),
    Deflate(Box<DeflateDecoder<Sieve>>),
    Unknown(Sieve, String),
}

/// Keeps the beginning, and looks for a text in all of it.
#[derive(Default)]
struct Sieve {
    kept: Vec<u8>,
    seen_bytes: usize,
    wanted: Option<Finder<'static>>,
    /// The end of what was looked through, in which the text may begin, and what has not been looked through.
    tail: Vec<u8>,
}

impl BodyReader {
    /// A reader for a body packed like that, which must contain `wanted`.
    pub(crate) fn new(content_encoding: Option<&str>, wanted: Option<&str>) -> Self {
        let wanted = wanted.filter(|text| !text.is_empty()).map(|text| Finder::new(text).into_owned());
        let read_bytes_max =
            if wanted.is_some() { limits::ANSWER_SEARCHED_BYTES_MAX } else { limits::ANSWER_READ_BYTES_MAX };
        let sieve = Sieve { wanted, ..Sieve::default() };
        let name = content_encoding.unwrap_or_default().trim().to_ascii_lowercase();
        let coding = match &*name {
            "" | "identity" => Coding::Plain(sieve),
            "gzip" | "x-gzip" => Coding::Gzip(Box::new(MultiGzDecoder::new(sieve))),
            "deflate" => Coding::DeflateUnseen(sieve),
            _ => Coding::Unknown(sieve, name.chars().filter(|c| !c.is_control()).take(32).collect()),
        };
        Self { coding, read_bytes: 0, read_bytes_max, is_unreadable: false }
    }

    /// Takes a piece; says whether more is wanted.
    pub(crate) fn eat(&mut self, piece: &[u8]) -> bool {
        self.read_bytes += piece.len();
        let is_taken = !self.is_unreadable && self.coding.eat(piece).is_ok();
        // A body that cannot be unpacked is read on, up to a point, for the sake of the connection.
        self.is_unreadable |= !is_taken && !self.coding.sieve().is_full();
        self.read_bytes < self.read_bytes_max && (is_taken || self.is_unreadable)
    }

    /// What is known of the body; `is_cut` if it did not end here.
    pub(crate) fn end(mut self, is_cut: bool) -> Body {
        let was_full = self.coding.sieve().is_full();
        let is_ended_well = self.coding.end().is_ok() || is_cut || was_full;
        let unreadable = match &self.coding {
            _ if self.read_bytes == 0 => None,
            Coding::Unknown(_, name) => Some(Cow::Owned(name.clone())),
            _ if is_ended_well && !self.is_unreadable => None,
            Coding::Gzip(_) => Some(Cow::Borrowed("gzip")),
            _ => Some(Cow::Borrowed("deflate")),
        };
        let mut sieve = std::mem::take(self.coding.sieve_mut());
        sieve.look_through_tail();
        let is_whole = !is_cut && sieve.seen_bytes == sieve.kept.len();
        Body { is_cut: !is_whole, is_found: sieve.wanted.is_none(), kept: sieve.kept, unreadable }
    }
}

impl Coding {
    fn eat(&mut self, piece: &[u8]) -> io::Result<()> {
        if let (Self::DeflateUnseen(sieve), Some(first)) = (&mut *self, piece.first()) {
            let sieve = std::mem::take(sieve);
            let has_frame = first & 0x0f == 8 && first >> 4 <= 7;
            *self = if has_frame {
                Self::Zlib(Box::new(ZlibDecoder::new(sieve)))
            } else {
                Self::Deflate(Box::new(DeflateDecoder::new(sieve)))
            };
        }
        match self {
            Self::Plain(sieve) | Self::DeflateUnseen(sieve) => sieve.write_all(piece),
            Self::Gzip(decoder) => decoder.write_all(piece),
            Self::Zlib(decoder) => decoder.write_all(piece),
            Self::Deflate(decoder) => decoder.write_all(piece),
            Self::Unknown(..) => Ok(()),
        }
    }

    /// Has the decoder give out what it still holds.
    fn end(&mut self) -> io::Result<()> {
        match self {
            Self::Gzip(decoder) => decoder.try_finish(),
            Self::Zlib(decoder) => decoder.try_finish(),
            Self::Deflate(decoder) => decoder.try_finish(),
            Self::Plain(_) | Self::DeflateUnseen(_) | Self::Unknown(..) => Ok(()),
        }
    }

    fn sieve(&self) -> &Sieve {
        match self {
            Self::Plain(sieve) | Self::DeflateUnseen(sieve) | Self::Unknown(sieve, _) => sieve,
            Self::Gzip(decoder) => decoder.get_ref(),
            Self::Zlib(decoder) => decoder.get_ref(),
            Self::Deflate(decoder) => decoder.get_ref(),
        }
    }

    fn sieve_mut(&mut self) -> &mut Sieve {
        match self {
            Self::Plain(sieve) | Self::DeflateUnseen(sieve) | Self::Unknown(sieve, _) => sieve,
            Self::Gzip(decoder) => decoder.get_mut(),
            Self::Zlib(decoder) => decoder.get_mut(),
            Self::Deflate(decoder) => decoder.get_mut(),
        }
    }
}

impl Sieve {
    /// Whether more of the body would change nothing, or would be more than is looked at.
    fn is_full(&self) -> bool {
        self.seen_bytes >= limits::ANSWER_SEARCHED_BYTES_MAX
    }

    /// Takes a piece to be looked through. Small pieces are gathered: a target that sends byte by byte must not have us look
    /// through the same bytes again and again.
    fn look_through(&mut self, piece: &[u8]) {
        let Some(wanted) = &self.wanted else { return };
        self.tail.extend_from_slice(piece);
        if self.tail.len() >= LOOKED_THROUGH_BYTES_MIN + wanted.needle().len() {
            self.look_through_tail();
        }
    }

    fn look_through_tail(&mut self) {
        let Some(wanted) = &self.wanted else { return };
        if wanted.find(&self.tail).is_some() {
            self.wanted = None;
            self.tail = Vec::new();
        } else {
            let kept = (wanted.needle().len() - 1).min(self.tail.len());
            self.tail.drain(..self.tail.len() - kept);
        }
    }
}

impl Write for Sieve {
    /// Refuses to take more than is looked at: so a small body that unpacks to a huge one is not unpacked.
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.is_full() && !piece.is_empty() {
            return Err(io::Error::other("enough"));
        }
        self.seen_bytes += piece.len();
        let room = limits::ANSWER_KEPT_BYTES_MAX - self.kept.len();
        self.kept.extend_from_slice(&piece[..piece.len().min(room)]);
        self.look_through(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_across_pieces_of_any_size() {
        let body = "aaab".repeat(5000) + "aaaab!" + &"aaab".repeat(5000);
        for size in [1, 3, 4096, body.len()] {
            let is_found = |wanted: &str| {
                let mut reader = BodyReader::new(None, Some(wanted));
                body.as_bytes().chunks(size).for_each(|piece| assert!(reader.eat(piece)));
                reader.end(false).is_found
            };
            assert!(is_found("aaaab!") && is_found("b!aaab") && is_found(&body[body.len() - 9000..]), "{size}");
            assert!(!is_found("aaaab?") && !is_found("bb"), "{size}");
        }
    }
}
