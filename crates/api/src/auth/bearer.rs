//! What stands in the header `Authorization`.

use std::fmt;

use super::{Denied, Token, token};
use crate::limits;

/// A bearer token, by who gave it out.
pub enum Bearer<'a> {
    /// We did.
    Token(Token),
    /// Somebody else: it should be a JWT, which is for [`super::oidc::Verifier`] to find out.
    Jwt(&'a str),
}

impl<'a> Bearer<'a> {
    /// Reads the value of the header.
    pub fn parse(header: &'a [u8]) -> Result<Self, Denied> {
        let text = str::from_utf8(header).map_err(|_| Denied::NotBearer)?;
        let (scheme, token) = text.trim_matches(' ').split_once(' ').ok_or(Denied::NotBearer)?;
        if !scheme.eq_ignore_ascii_case("Bearer") {
            return Err(Denied::NotBearer);
        }
        let token = token.trim_start_matches(' ');
        if token.len() > limits::BEARER_BYTES_MAX {
            return Err(Denied::TooLong { bytes: token.len() });
        }
        if token.starts_with(token::PREFIX) {
            Token::parse(token)
                .map(Self::Token)
                .ok_or(Denied::Malformed("it begins like one of ours, and is cut or changed"))
        } else {
            Ok(Self::Jwt(token))
        }
    }
}

/// Without the token itself: whoever reads it can use it.
impl fmt::Debug for Bearer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token(token) => write!(f, "{token:?}"),
            Self::Jwt(text) => write!(f, "Jwt({} bytes)", text.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::limits;
    use insta::assert_snapshot;

    use super::{Bearer, Token};

    fn read(header: &str) -> String {
        Bearer::parse(header.as_bytes()).map_or_else(|denied| denied.to_string(), |bearer| format!("{bearer:?}"))
    }

    #[test]
    fn a_bearer_token_is_ours_or_a_jwt() {
        let ours = Token::generate([0; 40]);
        for scheme in ["Bearer ", "bearer ", "BEARER    ", " Bearer "] {
            let header = format!("{scheme}{} ", ours.expose());
            assert!(
                matches!(Bearer::parse(header.as_bytes()), Ok(Bearer::Token(token)) if token.hash() == ours.hash()),
                "{header}"
            );
        }
        assert!(matches!(Bearer::parse(b"Bearer a.b.c"), Ok(Bearer::Jwt("a.b.c"))));
        assert_snapshot!(read(&format!("Bearer {}", ours.expose())), @"Token(aaaaaaaaaaaa…)");
        assert_snapshot!(read("Bearer a.b.c"), @"Jwt(5 bytes)");
    }

    #[test]
    fn anything_else_is_refused() {
        for header in ["", "Bearer", "Bearer ", "Basic dTpw", "Bearerx y", "a.b.c"] {
            assert_eq!(read(header), read(""), "{header:?}");
        }
        assert!(Bearer::parse(b"Bearer \xff").is_err());
        assert_snapshot!(read("Basic dTpw"), @"the header Authorization is not «Bearer» and a token");
        assert_snapshot!(read("Bearer punctual_abc"), @"the token cannot be read: it begins like one of ours, and is cut or changed");
        assert_snapshot!(read(&format!("Bearer {}", "x".repeat(limits::BEARER_BYTES_MAX + 1))), @"the token has 16385 bytes, more than 16384");
    }
}
