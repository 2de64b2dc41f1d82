//! How one text can be written: as it is, or with characters of it escaped, as in addresses, in JSON and in HTML.

/// One character, written otherwise.
pub(super) struct Escape {
    bytes: [u8; 4],
    bytes_count: usize,
    /// What it takes in the text.
    length: usize,
}

impl Escape {
    fn new(c: char, length: usize) -> Self {
        let mut bytes = [0; 4];
        let bytes_count = c.encode_utf8(&mut bytes).len();
        Self { bytes, bytes_count, length }
    }

    /// A byte of a character, which is how addresses escape.
    fn of_byte(byte: u8) -> Self {
        Self { bytes: [byte, 0, 0, 0], bytes_count: 1, length: 3 }
    }

    /// The first byte of what it stands for.
    pub(super) fn first(&self) -> u8 {
        self.bytes[0]
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.bytes_count]
    }
}

/// The rules by which characters are escaped.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rules {
    Any,
    Address,
    Json,
    Html,
}

/// How a text is read: by which rules, and whether what may be an escape is taken for one rather than for itself. Who escapes
/// by one set of rules escapes the sign that begins their escapes, too; the mixtures are for all others.
const READINGS: [(Rules, bool); 5] =
    [(Rules::Any, false), (Rules::Address, true), (Rules::Json, true), (Rules::Html, true), (Rules::Any, true)];

/// How many bytes of the text, from its beginning, are the needle in one of its spellings. If the text `is_cut`, a beginning
/// of the needle at its end will do.
pub(super) fn length(text: &[u8], needle: &[u8], is_cut: bool) -> Option<usize> {
    READINGS.into_iter().find_map(|reading| length_by(text, needle, is_cut, reading))
}

fn length_by(text: &[u8], needle: &[u8], is_cut: bool, (rules, prefers_escape): (Rules, bool)) -> Option<usize> {
    let (mut at, mut found) = (0, 0);
    while found < needle.len() {
        let rest = &text[at..];
        if rest.is_empty() {
            return is_cut.then_some(at);
        }
        let itself = (rest[0] == needle[found]).then_some((1, 1));
        let escaped = || {
            let escape = escape(rest, rules).filter(|escape| needle[found..].starts_with(escape.bytes()))?;
            Some((escape.length, escape.bytes_count))
        };
        let (length, bytes_count) = if prefers_escape { escaped().or(itself) } else { itself.or_else(escaped) }?;
        at += length;
        found += bytes_count;
    }
    Some(at)
}

/// The escape that a text begins with.
pub(super) fn escape(text: &[u8], rules: Rules) -> Option<Escape> {
    let by = |wanted| rules == wanted || rules == Rules::Any;
    match text.first()? {
        b'%' if by(Rules::Address) => Some(Escape::of_byte(u8::try_from(number(text.get(1..3)?, 16)?).ok()?)),
        b'+' if by(Rules::Address) => Some(Escape::new(' ', 1)),
        b'\\' if by(Rules::Json) => escape_of_json(text),
        b'&' if by(Rules::Html) => escape_of_html(text),
        _ => None,
    }
}

fn escape_of_json(text: &[u8]) -> Option<Escape> {
    let unit = |at: usize| u16::try_from(number(text.get(at..at + 4)?, 16)?).ok();
    match *text.get(1)? {
        c @ (b'"' | b'\\' | b'/' | b'\'') => Some(Escape::new(char::from(c), 2)),
        b'n' => Some(Escape::new('\n', 2)),
        b'r' => Some(Escape::new('\r', 2)),
        b't' => Some(Escape::new('\t', 2)),
        b'u' => {
            let first = unit(2)?;
            if let Some(c) = char::from_u32(first.into()) {
                return Some(Escape::new(c, 6));
            }
            // What is not of the first 65,536 characters comes in two halves.
            let second = unit(8).filter(|_| text[6..].starts_with(b"\\u"))?;
            Some(Escape::new(char::decode_utf16([first, second]).next()?.ok()?, 12))
        }
        _ => None,
    }
}

fn escape_of_html(text: &[u8]) -> Option<Escape> {
    const NAMED: [(&[u8], char); 5] = [(b"amp", '&'), (b"lt", '<'), (b"gt", '>'), (b"quot", '"'), (b"apos", '\'')];
    // The longest is `&#x10FFFF;`.
    let end = text.iter().take(10).position(|byte| *byte == b';')?;
    let c = match &text[1..end] {
        [b'#', b'x' | b'X', digits @ ..] => char::from_u32(number(digits, 16)?)?,
        [b'#', digits @ ..] => char::from_u32(number(digits, 10)?)?,
        name => NAMED.into_iter().find(|(known, _)| *known == name)?.1,
    };
    Some(Escape::new(c, end + 1))
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u32::from_str_radix(digits, radix).ok()
}
