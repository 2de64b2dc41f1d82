//! `[[auth.issuers]]`: servers whose tokens are taken. It is the one list whose items are tables.

use std::collections::BTreeMap;

use punctual_model::{Expected, Violation};
use toml::Value;

use super::file;
use super::reader::Reader;
use super::settings::{Origin, Settings};
use super::url::IssuerUrl;

/// A server whose tokens are taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Issuer {
    pub(crate) url: IssuerUrl,
    pub(crate) audience: String,
    pub(crate) skew_seconds: u32,
    pub(crate) algorithms: Vec<Algorithm>,
}

/// How a token is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    Rs256,
    Rs384,
    Rs512,
    Ps256,
    Ps384,
    Ps512,
    Es256,
    Es384,
    EdDsa,
}

const ISSUERS: &str = "auth.issuers";
/// A clock that is off by more is broken, and a token has to end some time.
const SKEW_SECONDS_MAX: u32 = 600;

impl Issuer {
    pub(super) fn read(reader: &Reader<'_>, item: &str) -> Option<Self> {
        let url = reader.parsed(&format!("{item}.issuer"), IssuerUrl::parse);
        let audience = reader.parsed(&format!("{item}.audience"), |text| match text {
            "" => Err(Expected::new("what the issuer's tokens are meant for: their \"aud\"")),
            _ => Ok(text.to_owned()),
        });
        let skew_seconds = reader.number(&format!("{item}.skew_seconds"), 0..=SKEW_SECONDS_MAX);
        let key = format!("{item}.algorithms");
        let algorithms = reader.list(&key, Algorithm::parse);
        if algorithms.as_ref().is_some_and(Vec::is_empty) {
            reader.refuse(&key, "at least one");
        }
        Some(Self { url: url?, audience: audience?, skew_seconds: skew_seconds?, algorithms: algorithms? })
    }
}

impl Algorithm {
    const ALL: [Self; 9] = [
        Self::Rs256,
        Self::Rs384,
        Self::Rs512,
        Self::Ps256,
        Self::Ps384,
        Self::Ps512,
        Self::Es256,
        Self::Es384,
        Self::EdDsa,
    ];

    /// Its name in the head of a token.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
            Self::Ps256 => "PS256",
            Self::Ps384 => "PS384",
            Self::Ps512 => "PS512",
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::EdDsa => "EdDSA",
        }
    }

    /// Secrets shared with the issuer (HS256) and no signature at all (none) are not among them.
    fn parse(text: &str) -> Result<Self, Expected> {
        let found = Self::ALL.into_iter().find(|algorithm| algorithm.name() == text);
        found.ok_or_else(|| Expected::new(format!("one of {}", Self::ALL.map(Self::name).join(", "))))
    }
}

/// What an issuer has where its table does not say it. The first two have to be said.
fn defaults() -> [(&'static str, Value); 4] {
    let text = |text: &str| Value::String(text.to_owned());
    [
        ("issuer", text("")),
        ("audience", text("")),
        ("skew_seconds", Value::Integer(60)),
        ("algorithms", Value::Array(vec![text("RS256"), text("ES256")])),
    ]
}

/// Makes settings of the members of each issuer, `auth.issuers[0].audience`, in place of the list.
pub(super) fn spread(settings: &mut Settings, lines: &BTreeMap<String, usize>, violations: &mut Vec<Violation>) {
    let Some(list) = settings.get(ISSUERS) else { return };
    let Some(items) = list.value.as_array() else {
        let expected = "a list of tables: [[auth.issuers]], with issuer and audience below it";
        violations.push(Violation::new(list.origin.place(ISSUERS), list.given(), expected));
        return;
    };
    if items.is_empty() {
        return;
    }
    let item_key = |at: usize| format!("{ISSUERS}[{at}]");
    let tables = items.iter().enumerate().filter(|(_, item)| item.is_table());
    let members = tables.flat_map(|(at, _)| defaults().map(|(name, value)| (file::join(&item_key(at), name), value)));
    let mut members = Settings::new(members);
    let origin_of = |path: &str| match (&list.origin, lines.get(path)) {
        (Origin::File { name, .. }, Some(line)) => Origin::File { name: name.clone(), line: *line },
        (origin, _) => origin.clone(),
    };
    for (at, item) in items.iter().enumerate() {
        let (path, origin) = (item_key(at), origin_of(&item_key(at)));
        let Some(table) = item.as_table() else {
            let expected = "a table with issuer and audience";
            violations.push(Violation::new(origin.place(&path), list.shown(item), expected));
            continue;
        };
        for (name, value) in table {
            let key = file::join(&path, name);
            violations.extend(members.put(&key, value.clone(), origin_of(&key)).err());
        }
        for name in ["issuer", "audience"].into_iter().filter(|name| !table.contains_key(*name)) {
            // What is missing has no place of its own; it is missing where the table stands.
            let key = file::join(&path, name);
            violations.extend(members.put(&key, Value::String(String::new()), origin.clone()).err());
        }
    }
    settings.replace(ISSUERS, members);
}
