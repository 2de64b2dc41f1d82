//! A name of a certificate as a text (RFC 4514, which came after RFC 2253): the innermost part first.

use crate::ber::{Item, OBJECT_IDENTIFIER, Reader, SET};
use crate::hex::upper_hex;
use crate::oid;

/// The parts that have a short name, as Windows and OpenSSL write them.
const SHORT_NAMES: [(&[u8], &str); 11] = [
    (b"\x55\x04\x03", "CN"),
    (b"\x55\x04\x05", "SERIALNUMBER"),
    (b"\x55\x04\x06", "C"),
    (b"\x55\x04\x07", "L"),
    (b"\x55\x04\x08", "ST"),
    (b"\x55\x04\x09", "STREET"),
    (b"\x55\x04\x0a", "O"),
    (b"\x55\x04\x0b", "OU"),
    (b"\x09\x92\x26\x89\x93\xf2\x2c\x64\x01\x19", "DC"),
    (b"\x09\x92\x26\x89\x93\xf2\x2c\x64\x01\x01", "UID"),
    (b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x01", "E"),
];

const UTF8_STRING: u8 = 0x0c;
const BMP_STRING: u8 = 0x1e;
const UNIVERSAL_STRING: u8 = 0x1c;
/// Numeric, printable, teletex, IA5 and visible strings: ASCII, or at least written as if they were Latin-1.
const BYTE_STRINGS: [u8; 5] = [0x12, 0x13, 0x14, 0x16, 0x1a];

/// The text of a name, of which `parts` are the parts from the outermost to the innermost.
pub(crate) fn text(mut parts: Reader<'_>) -> String {
    let mut texts = Vec::new();
    while let Some(part) = parts.take(SET) {
        texts.push(part_text(part.reader()));
    }
    texts.reverse();
    texts.join(",")
}

/// A part can have several names of the same rank.
fn part_text(mut names: Reader<'_>) -> String {
    let mut texts = Vec::new();
    while let Some(mut name) = names.sequence() {
        let Some((kind, value)) = name.take(OBJECT_IDENTIFIER).zip(name.any()) else { break };
        let short = SHORT_NAMES.iter().find(|(identifier, _)| *identifier == kind.content);
        texts.push(match (short, plain(value)) {
            (Some((_, short)), Some(plain)) => format!("{short}={}", escaped(&plain)),
            (Some((_, short)), None) => format!("{short}=#{}", upper_hex(value.whole)),
            (None, _) => format!("{}=#{}", oid::dotted(kind.content), upper_hex(value.whole)),
        });
    }
    texts.join("+")
}

fn plain(value: Item<'_>) -> Option<String> {
    let bytes = value.content;
    match value.tag {
        UTF8_STRING => String::from_utf8(bytes.to_vec()).ok(),
        BMP_STRING => {
            let (units, rest) = bytes.as_chunks::<2>();
            let text = String::from_utf16(&units.iter().map(|unit| u16::from_be_bytes(*unit)).collect::<Vec<_>>());
            text.ok().filter(|_| rest.is_empty())
        }
        UNIVERSAL_STRING => {
            let (units, rest) = bytes.as_chunks::<4>();
            let text = units.iter().map(|unit| char::from_u32(u32::from_be_bytes(*unit))).collect::<Option<_>>();
            text.filter(|_| rest.is_empty())
        }
        tag if BYTE_STRINGS.contains(&tag) => Some(bytes.iter().copied().map(char::from).collect()),
        _ => None,
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let last = text.chars().count().saturating_sub(1);
    for (at, c) in text.chars().enumerate() {
        let is_special = matches!(c, '"' | '+' | ',' | ';' | '<' | '>' | '\\')
            || (c == '#' && at == 0)
            || (c == ' ' && (at == 0 || at == last));
        if is_special {
            escaped.extend(['\\', c]);
        } else if c.is_control() {
            let mut bytes = [0; 4];
            escaped.extend(c.encode_utf8(&mut bytes).bytes().map(|byte| format!("\\{byte:02X}")));
        } else {
            escaped.push(c);
        }
    }
    escaped
}
