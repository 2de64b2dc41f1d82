//! Takes BER apart, the looser form of DER: PFX files of some programs have items whose length is not written in front but
//! which end with two zero bytes, and octet strings in several chunks.
//!
//! Nothing here is recursive, and nothing is copied but chunks: no input costs much stack or memory.

use std::borrow::Cow;

pub(crate) const INTEGER: u8 = 0x02;
pub(crate) const BIT_STRING: u8 = 0x03;
pub(crate) const OCTET_STRING: u8 = 0x04;
pub(crate) const OBJECT_IDENTIFIER: u8 = 0x06;
pub(crate) const UTC_TIME: u8 = 0x17;
pub(crate) const GENERALIZED_TIME: u8 = 0x18;
pub(crate) const SEQUENCE: u8 = 0x30;
pub(crate) const SET: u8 = 0x31;
/// The tag `[0]` around a whole item, or in place of the tag of a constructed one.
pub(crate) const CONTEXT_0: u8 = 0xa0;
/// The tag `[0]` in place of the tag of a primitive item.
pub(crate) const CONTEXT_0_PRIMITIVE: u8 = 0x80;

const CONSTRUCTED: u8 = 0x20;
/// Says that the tag goes on in the next byte, which no tag in a PFX file does.
const LONG_TAG: u8 = 0x1f;
const END_OF_CONTENTS: [u8; 2] = [0, 0];

/// Reads one item after the other. Anything malformed is `None`.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a>(&'a [u8]);

/// Something with a tag.
#[derive(Clone, Copy)]
pub(crate) struct Item<'a> {
    pub(crate) tag: u8,
    /// With tag and length.
    pub(crate) whole: &'a [u8],
    pub(crate) content: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next item, whatever it is.
    pub(crate) fn any(&mut self) -> Option<Item<'a>> {
        let header = Header::read(self.0)?;
        let after = &self.0[header.length..];
        let (content_length, end_length) = match header.content_length {
            Some(length) => (length, 0),
            None => (length_until_end(after)?, END_OF_CONTENTS.len()),
        };
        let (content, _) = after.split_at_checked(content_length)?;
        let (whole, rest) = self.0.split_at_checked(header.length + content_length + end_length)?;
        self.0 = rest;
        Some(Item { tag: header.tag, whole, content })
    }

    /// Takes the next item if it has this tag, and nothing otherwise.
    pub(crate) fn take(&mut self, tag: u8) -> Option<Item<'a>> {
        if self.0.first() == Some(&tag) { self.any() } else { None }
    }

    /// What is in the sequence that comes next.
    pub(crate) fn sequence(&mut self) -> Option<Self> {
        Some(self.take(SEQUENCE)?.reader())
    }
}

impl<'a> Item<'a> {
    /// A reader of the items inside this one.
    pub(crate) const fn reader(&self) -> Reader<'a> {
        Reader(self.content)
    }

    /// The bytes of an octet string, whatever its tag is.
    pub(crate) fn octets(&self) -> Option<Cow<'a, [u8]>> {
        if self.tag & CONSTRUCTED == 0 {
            return Some(Cow::Borrowed(self.content));
        }
        let mut chunks = self.reader();
        let mut bytes = Vec::with_capacity(self.content.len());
        while !chunks.is_empty() {
            bytes.extend(chunks.take(OCTET_STRING)?.content);
        }
        Some(Cow::Owned(bytes))
    }

    /// A number that is not negative; the largest one stands for all that are larger.
    pub(crate) fn number(&self) -> Option<u64> {
        let (first, _) = self.content.split_first()?;
        if *first & 0x80 != 0 {
            return None;
        }
        let digits = self.content.iter().skip_while(|byte| **byte == 0);
        Some(if digits.clone().count() > 8 {
            u64::MAX
        } else {
            digits.fold(0, |number, byte| number << 8 | u64::from(*byte))
        })
    }
}

struct Header {
    tag: u8,
    length: usize,
    /// None if the content runs until its end is marked.
    content_length: Option<usize>,
}

impl Header {
    fn read(bytes: &[u8]) -> Option<Self> {
        let (&tag, &first) = (bytes.first()?, bytes.get(1)?);
        let is_long = |count: &u8| (1..=4).contains(count);
        let (length, content_length) = match first {
            0x80 if tag & CONSTRUCTED != 0 => (2, None),
            ..0x80 => (2, Some(usize::from(first))),
            _ => {
                let count = Some(first & 0x7f).filter(is_long)?;
                let digits = bytes.get(2..2 + usize::from(count))?;
                let length = digits.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
                (2 + digits.len(), Some(length))
            }
        };
        (tag & LONG_TAG != LONG_TAG).then_some(Self { tag, length, content_length })
    }
}

/// How many bytes the content of an item has whose end is marked; `bytes` begin with that content.
fn length_until_end(bytes: &[u8]) -> Option<usize> {
    let (mut at, mut open) = (0_usize, 1);
    loop {
        let rest = bytes.get(at..)?;
        if rest.starts_with(&END_OF_CONTENTS) {
            open -= 1;
            if open == 0 {
                return Some(at);
            }
            at += END_OF_CONTENTS.len();
        } else {
            let header = Header::read(rest)?;
            open += u32::from(header.content_length.is_none());
            at = at.checked_add(header.length)?.checked_add(header.content_length.unwrap_or(0))?;
        }
    }
}
