//! Where the body of an HTTP/1 answer ends.

use bytes::{Buf, BytesMut};

use crate::limits;

/// How the end of a body is known, and how much of it is still to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// The number of bytes to come.
    Length(u64),
    /// Pieces that each say how long they are.
    Chunked(Chunk),
    /// All bytes until the connection is closed.
    UntilClose,
}

/// Where in a chunked body we are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chunk {
    /// Before the line with the size of the next chunk.
    Size,
    /// Inside a chunk, with the number of bytes to come.
    Data(u64),
    /// Before the line break after a chunk.
    End,
    /// In the trailers after the last chunk, with the number of their bytes so far.
    Trailers(usize),
    /// After the end.
    Over,
}

/// What was done with the bytes that were there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// All were used; more must come.
    More,
    /// The body is complete.
    Complete,
    /// The reader of the body wants no more of it.
    Enough,
}

impl Framing {
    pub(crate) const fn chunked() -> Self {
        Self::Chunked(Chunk::Size)
    }

    /// The length that the whole body was announced to have, if it was, after `got_bytes` of it.
    pub(crate) fn length(&self, got_bytes: u64) -> Option<u64> {
        match self {
            Self::Length(left) => Some(got_bytes + left),
            Self::Chunked(_) | Self::UntilClose => None,
        }
    }

    /// Hands the body in `buffer` to `eat`, which says whether it wants more. Fails if the chunks are not well-formed.
    pub(crate) fn feed(
        &mut self,
        buffer: &mut BytesMut,
        eat: &mut impl FnMut(&[u8]) -> bool,
    ) -> Result<Step, &'static str> {
        match self {
            Self::Length(left) => {
                let is_hungry = feed_some(buffer, left, eat);
                Ok(match (*left, is_hungry) {
                    (0, _) => Step::Complete,
                    (_, true) => Step::More,
                    (_, false) => Step::Enough,
                })
            }
            Self::UntilClose => {
                let is_hungry = feed_some(buffer, &mut u64::MAX.clone(), eat);
                Ok(if is_hungry { Step::More } else { Step::Enough })
            }
            Self::Chunked(chunk) => chunk.feed(buffer, eat),
        }
    }
}

impl Chunk {
    fn feed(&mut self, buffer: &mut BytesMut, eat: &mut impl FnMut(&[u8]) -> bool) -> Result<Step, &'static str> {
        loop {
            match self {
                Self::Over => return Ok(Step::Complete),
                Self::Data(left) => {
                    let is_hungry = feed_some(buffer, left, eat);
                    if *left > 0 || !is_hungry {
                        return Ok(if is_hungry { Step::More } else { Step::Enough });
                    }
                    *self = Self::End;
                }
                Self::Size | Self::End | Self::Trailers(_) => {
                    let Some(line) = take_line(buffer)? else { return Ok(Step::More) };
                    *self = self.after(&line)?;
                }
            }
        }
    }

    /// Where we are after a line.
    fn after(self, line: &[u8]) -> Result<Self, &'static str> {
        match self {
            Self::End if line.is_empty() => Ok(Self::Size),
            Self::End => Err("a chunk is longer than it says"),
            Self::Trailers(_) if line.is_empty() => Ok(Self::Over),
            Self::Trailers(seen) if seen + line.len() > limits::CHUNK_LINE_BYTES_MAX => {
                Err("its trailers are too long")
            }
            Self::Trailers(seen) => Ok(Self::Trailers(seen + line.len() + 1)),
            _ => match size(line).ok_or("the size of a chunk is not a number")? {
                0 => Ok(Self::Trailers(0)),
                size => Ok(Self::Data(size)),
            },
        }
    }
}

/// Hands over at most `left` bytes; says whether more are wanted.
fn feed_some(buffer: &mut BytesMut, left: &mut u64, eat: &mut impl FnMut(&[u8]) -> bool) -> bool {
    let length = usize::try_from(*left).unwrap_or(usize::MAX).min(buffer.len());
    if length == 0 {
        return true;
    }
    let is_hungry = eat(&buffer[..length]);
    buffer.advance(length);
    *left -= length as u64;
    is_hungry
}

/// Takes a line off the front, without its end; none if it is not there as a whole.
fn take_line(buffer: &mut BytesMut) -> Result<Option<BytesMut>, &'static str> {
    match buffer.iter().position(|c| *c == b'\n') {
        Some(at) => {
            let mut line = buffer.split_to(at + 1);
            line.truncate(if at > 0 && line[at - 1] == b'\r' { at - 1 } else { at });
            Ok(Some(line))
        }
        None if buffer.len() > limits::CHUNK_LINE_BYTES_MAX => Err("the line with the size of a chunk is too long"),
        None => Ok(None),
    }
}

/// The size of a chunk: hexadecimal digits, and extensions nobody needs.
fn size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|c| *c == b';').next()?.trim_ascii();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests;
