//! The words and operators of a command line.

use std::collections::BTreeMap;

use crate::fill::Fills;

/// A word or an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word, without its quotes.
    Word(Word),
    /// `|`, `||`, `&&`, `;`, `&`, `(`, `)`, or the end of a line.
    Operator(&'static str),
    /// `>`, `>>`, `<` and their kin; the word after it is where to.
    Redirect(&'static str),
}

/// A word of a command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// What stands in `$(…)` or backquotes in it, which only a shell can carry out.
    pub(super) commands: Vec<String>,
}

/// What the variables of a command line are.
#[derive(Clone, Copy)]
pub(super) struct Variables<'a> {
    pub(super) known: &'a BTreeMap<String, String>,
    pub(super) fills: &'a Fills<'a>,
    pub(super) line: u32,
}

/// Takes a command line apart. Variables are filled in; what only a shell can do is said.
pub(super) fn tokens(text: &str, variables: Variables<'_>) -> Result<Vec<Token>, String> {
    let mut reader = Reader { rest: text, variables, tokens: Vec::new(), word: None };
    while let Some(c) = reader.take() {
        reader.next(c)?;
    }
    reader.end_word();
    Ok(reader.tokens)
}

struct Reader<'a> {
    rest: &'a str,
    variables: Variables<'a>,
    tokens: Vec<Token>,
    /// The word that has begun.
    word: Option<Word>,
}

impl Reader<'_> {
    fn take(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn takes(&mut self, text: &str) -> bool {
        let after = self.rest.strip_prefix(text);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn end_word(&mut self) {
        self.tokens.extend(self.word.take().map(Token::Word));
    }

    fn operator(&mut self, operator: &'static str) {
        self.end_word();
        self.tokens.push(Token::Operator(operator));
    }

    /// A redirection. Digits right before it say what is redirected, and are no word.
    fn redirect(&mut self, redirect: &'static str) {
        if self.word.as_ref().is_some_and(|word| word.text.bytes().all(|byte| byte.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        self.tokens.push(Token::Redirect(redirect));
    }

    fn next(&mut self, c: char) -> Result<(), String> {
        match c {
            ' ' | '\t' | '\r' => self.end_word(),
            '\n' => self.operator("\n"),
            '#' if self.word.is_none() => {
                self.rest = self.rest.find('\n').map_or("", |end| &self.rest[end..]);
            }
            '\'' => {
                let (text, after) = self.rest.split_once('\'').ok_or("a ' has no end")?;
                self.rest = after;
                self.word().text.push_str(text);
            }
            '"' => self.quoted()?,
            '\\' => match self.take() {
                Some('\n') => {}
                Some(c) => self.word().text.push(c),
                None => return Err("it ends with a backslash".to_owned()),
            },
            '$' => self.variable(false)?,
            '`' => self.backquoted()?,
            '|' if self.takes("|") => self.operator("||"),
            '|' => self.operator("|"),
            '&' if self.takes("&") => self.operator("&&"),
            '&' if self.takes(">>") || self.takes(">") => self.redirect(">"),
            '&' => self.operator("&"),
            ';' => self.operator(";"),
            '(' => self.operator("("),
            ')' => self.operator(")"),
            '>' if self.takes("&") => self.redirect(">&"),
            '>' if self.takes(">") || self.takes("|") => self.redirect(">"),
            '>' => self.redirect(">"),
            '<' if self.takes("<") => return Err("it has a here-document (<<)".to_owned()),
            '<' => self.redirect("<"),
            c => self.word().text.push(c),
        }
        Ok(())
    }

    fn quoted(&mut self) -> Result<(), String> {
        self.word();
        loop {
            match self.take().ok_or("a \" has no end")? {
                '"' => return Ok(()),
                '\\' => match self.take() {
                    Some('\n') => {}
                    Some(c @ ('"' | '\\' | '$' | '`')) => self.word().text.push(c),
                    Some(c) => self.word().text.extend(['\\', c]),
                    None => return Err("a \" has no end".to_owned()),
                },
                '$' => self.variable(true)?,
                '`' => self.backquoted()?,
                c => self.word().text.push(c),
            }
        }
    }

    fn backquoted(&mut self) -> Result<(), String> {
        let (command, after) = self.rest.split_once('`').ok_or("a ` has no end")?;
        self.rest = after;
        let command = command.to_owned();
        self.word().commands.push(command);
        Ok(())
    }

    fn variable(&mut self, is_quoted: bool) -> Result<(), String> {
        if self.takes("(") {
            let end = closing(self.rest).ok_or("a $( has no end")?;
            let command = self.rest[..end].to_owned();
            self.rest = &self.rest[end + 1..];
            self.word().commands.push(command);
            return Ok(());
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name = if self.takes("{") {
            let (name, after) = self.rest.split_once('}').ok_or("a ${ has no end")?;
            self.rest = after;
            if !name.chars().all(is_name) || name.is_empty() {
                return Err(format!("only a shell can work out ${{{name}}}"));
            }
            name.to_owned()
        } else {
            let length = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
            let (name, after) = self.rest.split_at(length);
            if name.is_empty() {
                match self.rest.chars().next() {
                    Some(c @ ('?' | '$' | '!' | '#' | '@' | '*' | '-')) => {
                        return Err(format!("only a shell knows ${c}"));
                    }
                    _ => self.word().text.push('$'),
                }
                return Ok(());
            }
            self.rest = after;
            name.to_owned()
        };
        if name.starts_with(|c: char| c.is_ascii_digit()) || name == "RANDOM" {
            return Err(format!("only a shell knows ${name}"));
        }
        let variables = self.variables;
        let value =
            variables.known.get(&name).cloned().unwrap_or_else(|| {
                variables.fills.text(&name, "a variable that the file does not set", variables.line)
            });
        self.expand(&value, is_quoted);
        Ok(())
    }

    /// Puts the value of a variable into the word. Without quotes its blanks end words.
    fn expand(&mut self, value: &str, is_quoted: bool) {
        if is_quoted {
            self.word().text.push_str(value);
            return;
        }
        for c in value.chars() {
            if c.is_whitespace() { self.end_word() } else { self.word().text.push(c) }
        }
    }
}

/// Where the bracket that is open in front of `text` is closed.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}
