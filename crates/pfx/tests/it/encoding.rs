//! Files in BER, as some programs write them: lengths that are not said in front, and bytes in chunks.

use super::{PASSWORD, fixture, read, shown};

#[test]
fn lengths_that_are_not_said() {
    for name in ["windows", "chain", "no_encryption"] {
        let bytes = fixture(name);
        let open = with_open_ends(&bytes);
        assert!(open.len() > bytes.len());
        assert_eq!(shown(read(&open, PASSWORD)), shown(read(&bytes, PASSWORD)), "{name}");
        for length in 0..open.len() {
            assert!(read(&open[..length], PASSWORD).is_err(), "{name} with {length} bytes");
        }
    }
}

/// Writes the outer layers, down to the contents under the MAC, without their lengths, and the contents in chunks.
fn with_open_ends(pfx: &[u8]) -> Vec<u8> {
    let parts = items(content(pfx));
    let contents = items(content(parts[1]));
    let chunks: Vec<u8> = inside(parts[1]).chunks(100).flat_map(octets).collect();
    let contents = [contents[0].to_vec(), open(0xa0, &open(0x24, &chunks))].concat();
    let rest = parts.get(2).copied().unwrap_or_default();
    open(0x30, &[parts[0], &open(0x30, &contents), rest].concat())
}

fn open(tag: u8, content: &[u8]) -> Vec<u8> {
    [&[tag, 0x80], content, &[0, 0]].concat()
}

/// The items that stand one after the other.
pub(crate) fn items(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut items = Vec::new();
    while !bytes.is_empty() {
        let (header, length) = header(bytes);
        let (item, rest) = bytes.split_at(header + length);
        items.push(item);
        bytes = rest;
    }
    items
}

pub(crate) fn content(item: &[u8]) -> &[u8] {
    &item[header(item).0..]
}

/// The bytes in a content info.
pub(crate) fn inside(content_info: &[u8]) -> &[u8] {
    content(content(items(content(content_info))[1]))
}

/// How long the tag with the length is, and what length it says.
fn header(item: &[u8]) -> (usize, usize) {
    match item[1] {
        short @ ..0x80 => (2, usize::from(short)),
        long => {
            let count = usize::from(long & 0x7f);
            (2 + count, item[2..2 + count].iter().fold(0, |length, byte| length << 8 | usize::from(*byte)))
        }
    }
}

pub(crate) fn tagged(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap().to_be_bytes();
    [&[tag, 0x84], &length[..], content].concat()
}

pub(crate) fn sequence(items: &[Vec<u8>]) -> Vec<u8> {
    tagged(0x30, &items.concat())
}

pub(crate) fn octets(bytes: &[u8]) -> Vec<u8> {
    tagged(0x04, bytes)
}

pub(crate) fn object_identifier(bytes: &[u8]) -> Vec<u8> {
    tagged(0x06, bytes)
}

pub(crate) fn integer(number: u64) -> Vec<u8> {
    tagged(0x02, &[&[0], &number.to_be_bytes()[..]].concat())
}
