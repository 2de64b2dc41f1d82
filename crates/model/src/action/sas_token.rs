//! What the shared access signature of a storage account says about itself.
//!
//! Nobody but the service can tell whether it is right, since that takes the account's key. But when it ends, what it allows
//! and what it is for stand in it, and most signatures that are refused are refused for that.

use super::Secret;
use crate::time::{DateTime, Timestamp, Zone};

/// A shared access signature, as a job has it.
#[derive(Clone, Copy)]
pub struct SasToken<'a>(&'a str);

impl<'a> SasToken<'a> {
    /// Takes it with or without the question mark that it has in an address.
    pub fn new(secret: &'a Secret) -> Self {
        let text = secret.expose();
        Self(text.strip_prefix('?').unwrap_or(text))
    }

    /// The query of the address that is called.
    pub fn query(&self) -> &'a str {
        self.0
    }

    /// The signature itself, without its percent signs.
    pub fn signature(&self) -> Option<String> {
        self.get("sig")
    }

    /// When it ends, if it says so.
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.instant("se")
    }

    /// Why the service refuses it, as far as it says so itself.
    pub fn flaws(&self, now: Timestamp) -> Vec<String> {
        let lacks = |name: &str, letter: char| self.get(name).is_some_and(|letters| !letters.contains(letter));
        let mut flaws = Vec::new();
        let mut add = |is_flaw: bool, text: &str| flaws.extend(is_flaw.then(|| text.to_owned()));
        add(self.signature().is_none_or(|text| text.is_empty()), "it has no sig, which is the signature itself");
        add(lacks("sp", 'a'), "its permissions (sp) lack a, which allows to add messages");
        add(lacks("ss", 'q'), "its services (ss) lack q, the queues");
        add(lacks("srt", 'o'), "its resource types (srt) lack o, to which messages belong");
        add(self.get("sr").is_some_and(|kind| kind != "q"), "it is made for something else than a queue (sr)");
        if let Some(end) = self.instant("se").filter(|end| *end <= now) {
            flaws.push(format!("it expired at {end}"));
        }
        if let Some(start) = self.instant("st").filter(|start| *start > now) {
            flaws.push(format!("it is not valid before {start}"));
        }
        flaws
    }

    fn instant(&self, name: &str) -> Option<Timestamp> {
        DateTime::parse(&self.get(name)?).ok().map(|written| written.resolve(Zone::utc()).instant())
    }

    fn get(&self, name: &str) -> Option<String> {
        let pairs = self.0.split('&').filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| decoded(value))
    }
}

/// A value without percent signs. It is ASCII, as the signature was checked to be.
fn decoded(value: &str) -> String {
    let mut parts = value.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let byte = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        text.push(byte.map_or('%', char::from));
        text.push_str(if byte.is_some() { &part[2..] } else { part });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flaws(token: &str) -> String {
        let now = Timestamp::from_seconds(1_800_000_000).unwrap();
        SasToken::new(&Secret::new(token)).flaws(now).join("; ")
    }

    #[test]
    fn what_a_signature_shows() {
        let right = "sv=2019-02-02&st=2026-01-01T00%3A00%3A00Z&se=2030-01-01&sp=raup&sig=a%2Bb%3D";
        assert_eq!(flaws(right), "");
        assert_eq!(flaws(&format!("?{right}")), "");
        assert_eq!(SasToken::new(&Secret::new(right)).signature().as_deref(), Some("a+b="));
        // A policy that is stored with the queue says the rest.
        assert_eq!(flaws("sv=2019-02-02&si=policy&sig=x"), "");
        assert_eq!(flaws("sv=2019-02-02&ss=bqtf&srt=sco&sp=rwdlacup&se=2030-01-01T00:00Z&sig=x"), "");
    }

    #[test]
    fn what_is_wrong_with_it() {
        for (token, expected) in [
            ("se=2027-01-15T08%3A00%3A00Z&sp=a&sig=x", "it expired at 2027-01-15T08:00:00Z"),
            ("se=2027-01-15&sp=a&sig=x", "it expired at 2027-01-15T00:00:00Z"),
            ("st=2027-01-16&sp=a&sig=x", "it is not valid before 2027-01-16T00:00:00Z"),
            ("se=2030-01-01&sp=rup&sig=x", "its permissions (sp) lack a, which allows to add messages"),
            (
                "ss=b&srt=sc&sp=a&sig=x",
                "its services (ss) lack q, the queues; its resource types (srt) lack o, to which messages belong",
            ),
            ("sr=c&sp=racwdl&sig=x", "it is made for something else than a queue (sr)"),
            ("se=soon&sp=a&sig=", "it has no sig, which is the signature itself"),
            ("%&%zz=%4&sig", "it has no sig, which is the signature itself"),
        ] {
            assert_eq!(flaws(token), expected, "{token}");
        }
    }
}
