//! `[[auth.issuers]]`: servers whose tokens are taken. It is the one list whose items are tables.

use std::collections::BTreeMap;

use punctual_api::auth::oidc::{Algorithm, Issuer, Issuers};
use punctual_model::{Violation, limits};
use toml::Value;

use super::file;
use super::reader::Reader;
use super::settings::{Origin, Settings};

const ISSUERS: &str = "auth.issuers";

/// The issuers, which have to be right in the eyes of who checks their tokens.
pub(super) fn read(reader: &Reader<'_>) -> Option<Issuers> {
    // The members of each issuer are settings of their own, and this one is always among them.
    let items: Vec<_> = reader.keys().filter_map(|key| key.strip_suffix(".issuer")).collect();
    let issuers: Vec<_> = items.iter().map(|item| read_one(reader, item)).collect();
    let refuse = |violation: Violation| {
        // A path such as `[0].audience`, where the number is that among the tables.
        let place = violation.path.strip_prefix('[').and_then(|path| path.split_once("]."));
        let item = place.and_then(|(at, member)| Some((items.get(at.parse::<usize>().ok()?)?, member)));
        if let Some((item, member)) = item {
            reader.refuse(&file::join(item, member), violation.expected);
        }
    };
    let checked = Issuers::new(issuers.into_iter().collect::<Option<_>>()?);
    checked.map_err(|violations| violations.into_iter().for_each(refuse)).ok()
}

fn read_one(reader: &Reader<'_>, item: &str) -> Option<Issuer> {
    let text = |name: &str| reader.parsed(&file::join(item, name), |text| Ok(text.to_owned()));
    let (issuer, audience) = (text("issuer"), text("audience"));
    let skew_seconds = reader.number(&file::join(item, "skew_seconds"), 0..=limits::OIDC_SKEW_SECONDS_MAX);
    let algorithms = reader.list(&file::join(item, "algorithms"), Algorithm::parse);
    Some(Issuer { issuer: issuer?, audience: audience?, skew_seconds: skew_seconds?, algorithms: algorithms? })
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
