//! Expressions: what stands in square brackets in a text of a template.

use crate::limits::NESTING_MAX;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    /// `'text'`.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// `name(…)`, or `namespace.name(…)` for a function of the template.
    Call {
        /// The namespace of a function of the template.
        namespace: Option<String>,
        /// The name, as it was written.
        name: String,
        /// What it is given.
        arguments: Vec<Expression>,
    },
    /// `….name`.
    Member(Box<Expression>, String),
    /// `…[index]`.
    Index(Box<Expression>, Box<Expression>),
}

/// What a text of a template means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Written {
    /// Itself, without the second bracket that says so.
    Literal(String),
    /// What the expression gives.
    Expression(Expression),
}

/// Reads a text. What is wrong is said with the place inside of the expression.
pub(crate) fn read(text: &str) -> Result<Written, String> {
    let Some(inside) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) else {
        return Ok(Written::Literal(text.to_owned()));
    };
    if inside.starts_with('[') {
        return Ok(Written::Literal(text[1..].to_owned()));
    }
    let mut reader = Reader { text: inside, at: 0, depth: 0 };
    let expression = reader.expression()?;
    reader.blanks();
    if reader.at < inside.len() {
        return Err(reader.wrong("the end of the expression"));
    }
    Ok(Written::Expression(expression))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn wrong(&self, expected: &str) -> String {
        // The expression is shown only up to where it went wrong: behind it may stand a secret.
        let given = self.rest().chars().next().map_or_else(|| "the end".to_owned(), |c| format!("{c:?}"));
        format!("the expression has {given} at its character {}, where {expected} should stand", self.at + 2)
    }

    /// Takes `mark` if it comes next.
    fn takes(&mut self, mark: char) -> bool {
        self.blanks();
        let comes = self.rest().starts_with(mark);
        self.at += if comes { mark.len_utf8() } else { 0 };
        comes
    }

    fn expression(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > NESTING_MAX {
            return Err(format!("the expression has more than {NESTING_MAX} calls inside each other"));
        }
        let mut expression = self.first()?;
        loop {
            if self.takes('.') {
                self.blanks();
                let name = self.name().ok_or_else(|| self.wrong("the name of a member"))?;
                expression = Expression::Member(Box::new(expression), name.to_owned());
            } else if self.takes('[') {
                let index = self.expression()?;
                if !self.takes(']') {
                    return Err(self.wrong("]"));
                }
                expression = Expression::Index(Box::new(expression), Box::new(index));
            } else {
                self.depth -= 1;
                return Ok(expression);
            }
        }
    }

    fn first(&mut self) -> Result<Expression, String> {
        self.blanks();
        match self.rest().chars().next() {
            Some('\'') => self.quoted(),
            Some(c) if c == '-' || c.is_ascii_digit() => self.integer(),
            _ => self.call(),
        }
    }

    fn quoted(&mut self) -> Result<Expression, String> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let Some(end) = self.rest().find('\'') else {
                self.at = self.text.len();
                return Err(self.wrong("the ' that ends a text"));
            };
            text.push_str(&self.rest()[..end]);
            self.at += end + 1;
            // Two of them are one in the text.
            if !self.rest().starts_with('\'') {
                return Ok(Expression::Text(text));
            }
            text.push('\'');
            self.at += 1;
        }
    }

    fn integer(&mut self) -> Result<Expression, String> {
        let rest = self.rest();
        let length = rest.find(|c: char| c != '-' && !c.is_ascii_digit()).unwrap_or(rest.len());
        let integer = rest[..length].parse().map_err(|_| self.wrong("a whole number"))?;
        self.at += length;
        Ok(Expression::Integer(integer))
    }

    fn name(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let length =
            rest.find(|c: char| c != '_' && c != '-' && c != '$' && !c.is_alphanumeric()).unwrap_or(rest.len());
        self.at += length;
        (length > 0).then_some(&rest[..length])
    }

    fn call(&mut self) -> Result<Expression, String> {
        let mut name = self.name().ok_or_else(|| self.wrong("a function, a number or a text in '…'"))?;
        let mut namespace = None;
        if self.rest().starts_with('.') {
            self.at += 1;
            namespace = Some(name.to_owned());
            name = self.name().ok_or_else(|| self.wrong("the name of a function"))?;
        }
        if !self.takes('(') {
            return Err(self.wrong("the ( of a call"));
        }
        let mut arguments = Vec::new();
        if !self.takes(')') {
            loop {
                arguments.push(self.expression()?);
                if self.takes(')') {
                    break;
                }
                if !self.takes(',') {
                    return Err(self.wrong(", or )"));
                }
            }
        }
        Ok(Expression::Call { namespace, name: name.to_owned(), arguments })
    }
}
