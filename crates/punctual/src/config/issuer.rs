//! `[[auth.issuers]]`: servers whose tokens are taken.

use punctual_api::auth::oidc::{Algorithm, Issuer, Issuers};
use punctual_api::limits;
use punctual_model::Violation;
use toml::Value;

use super::file;
use super::reader::SettingsReader;
use super::tables::{Tables, text};

/// The issuers, which have to be right in the eyes of who checks their tokens.
pub(super) fn read(reader: &SettingsReader<'_>) -> Option<Issuers> {
    // The members of each issuer are settings of their own, and this one is always among them.
    let items: Vec<_> = reader.keys().filter_map(|key| key.strip_suffix(".issuer")).collect();
    let issuers: Vec<_> = items.iter().map(|item| read_one(reader, item)).collect();
    let refuse = |violation: Violation| {
        // A path such as `[0].audience`, where the number is that among the tables.
        let place = violation.path.strip_prefix('[').and_then(|path| path.split_once("]."));
        let item = place.and_then(|(at, member)| Some((items.get(at.parse::<usize>().ok()?)?, member)));
        if let Some((item, member)) = item {
            reader.refuse(&file::join(item, member), violation.advice());
        }
    };
    let checked = Issuers::new(issuers.into_iter().collect::<Option<_>>()?);
    checked.map_err(|violations| violations.into_iter().for_each(refuse)).ok()
}

fn read_one(reader: &SettingsReader<'_>, item: &str) -> Option<Issuer> {
    let text = |name: &str| reader.parsed(&file::join(item, name), |text| Ok(text.to_owned()));
    let (issuer, audience) = (text("issuer"), text("audience"));
    let skew_seconds = reader.number(&file::join(item, "skew_seconds"), 0..=limits::OIDC_SKEW_SECONDS_MAX);
    let algorithms = reader.list(&file::join(item, "algorithms"), Algorithm::parse);
    Some(Issuer { issuer: issuer?, audience: audience?, skew_seconds: skew_seconds?, algorithms: algorithms? })
}

/// What an issuer has where its table does not say it.
pub(super) fn tables() -> Tables {
    Tables {
        key: "auth.issuers",
        members: vec![
            ("issuer", text("")),
            ("audience", text("")),
            ("skew_seconds", Value::Integer(60)),
            ("algorithms", Value::Array(vec![text("RS256"), text("ES256")])),
        ],
        required: &["issuer", "audience"],
    }
}
