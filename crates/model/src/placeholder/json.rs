//! Whether a text is JSON: what it says does not matter here, only whether values can be filled into it as into JSON.

/// Lists and objects in each other; no message that a person has written goes deeper.
const DEPTH_MAX: usize = 100;

/// Whether a text is one value of JSON (RFC 8259).
pub fn is_json(text: &str) -> bool {
    let mut scanner = Scanner { rest: text.as_bytes() };
    scanner.value(DEPTH_MAX) && scanner.rest.is_empty()
}

/// Goes through a text. Each function passes over what its name says, and tells whether it was there.
struct Scanner<'a> {
    rest: &'a [u8],
}

impl Scanner<'_> {
    /// A value, with the blanks around it.
    fn value(&mut self, depth: usize) -> bool {
        self.blanks();
        let is_value = match self.rest.first() {
            Some(b'{') if depth > 0 => {
                self.rest = &self.rest[1..];
                self.items(b'}', |this| this.blanks_and_string() && this.mark(b':') && this.value(depth - 1))
            }
            Some(b'[') if depth > 0 => {
                self.rest = &self.rest[1..];
                self.items(b']', |this| this.value(depth - 1))
            }
            Some(b'"') => self.string(),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            _ => self.number(),
        };
        self.blanks();
        is_value
    }

    /// Items with commas between them, up to the mark that ends them.
    fn items(&mut self, end: u8, item: impl Fn(&mut Self) -> bool) -> bool {
        self.blanks();
        if self.mark(end) {
            return true;
        }
        loop {
            if !item(self) {
                return false;
            }
            if self.mark(end) {
                return true;
            }
            if !self.mark(b',') {
                return false;
            }
        }
    }

    fn blanks_and_string(&mut self) -> bool {
        self.blanks();
        let is_string = self.string();
        self.blanks();
        is_string
    }

    fn string(&mut self) -> bool {
        if !self.mark(b'"') {
            return false;
        }
        while let Some((byte, rest)) = self.rest.split_first() {
            self.rest = rest;
            match byte {
                b'"' => return true,
                b'\\' if !self.escape() => return false,
                ..=0x1f => return false,
                _ => {}
            }
        }
        false
    }

    /// What follows a backslash.
    fn escape(&mut self) -> bool {
        match self.rest {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', rest @ ..] => {
                self.rest = rest;
                true
            }
            [b'u', a, b, c, d, rest @ ..] if [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()) => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    fn number(&mut self) -> bool {
        self.mark(b'-');
        let is_whole = self.mark(b'0') || self.digits();
        let is_fraction = !self.mark(b'.') || self.digits();
        let has_exponent = self.mark(b'e') || self.mark(b'E');
        let is_exponent = !has_exponent || {
            let _sign = self.mark(b'+') || self.mark(b'-');
            self.digits()
        };
        is_whole && is_fraction && is_exponent
    }

    /// One digit or more.
    fn digits(&mut self) -> bool {
        let count = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.rest = &self.rest[count..];
        count > 0
    }

    fn word(&mut self, word: &[u8]) -> bool {
        let rest = self.rest.strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn mark(&mut self, mark: u8) -> bool {
        self.word(&[mark])
    }

    fn blanks(&mut self) {
        let count = self.rest.iter().take_while(|byte| b" \t\r\n".contains(byte)).count();
        self.rest = &self.rest[count..];
    }
}
