//! Lists whose items are tables, such as `[[auth.issuers]]`: the members of each table become settings of their own.

use std::collections::BTreeMap;

use punctual_model::Violation;
use toml::Value;

use super::file;
use super::settings::{Origin, Settings};

/// What the tables of a list look like.
pub(super) struct Tables {
    /// The key of the list.
    pub(super) key: &'static str,
    /// Their members, with what each is where a table does not say it.
    pub(super) members: Vec<(&'static str, Value)>,
    /// The members that have to be said.
    pub(super) required: &'static [&'static str],
}

impl Tables {
    /// Makes settings of the members of each table, `auth.issuers[0].audience`, in place of the list.
    pub(super) fn spread(
        &self,
        settings: &mut Settings,
        lines: &BTreeMap<String, usize>,
        violations: &mut Vec<Violation>,
    ) {
        let Self { key, members, required } = self;
        let Some(list) = settings.get(key) else { return };
        let Some(items) = list.value.as_array() else {
            let expected = format!("a list of tables: [[{key}]], with {} below it", enumerated(required));
            violations.push(Violation::new(list.origin.place(key), list.given(), expected));
            return;
        };
        if items.is_empty() {
            return;
        }
        let item_key = |at: usize| format!("{key}[{at}]");
        let tables = items.iter().enumerate().filter(|(_, item)| item.is_table());
        let defaults = tables.flat_map(|(at, _)| {
            members.iter().map(move |(name, value)| (file::join(&item_key(at), name), value.clone()))
        });
        let mut spread = Settings::new(defaults);
        let origin_of = |path: &str| match (&list.origin, lines.get(path)) {
            (Origin::File { name, .. }, Some(line)) => Origin::File { name: name.clone(), line: *line },
            (origin, _) => origin.clone(),
        };
        for (at, item) in items.iter().enumerate() {
            let (path, origin) = (item_key(at), origin_of(&item_key(at)));
            let Some(table) = item.as_table() else {
                let expected = format!("a table with {}", enumerated(required));
                violations.push(Violation::new(origin.place(&path), list.shown(item), expected));
                continue;
            };
            for (name, value) in table {
                let key = file::join(&path, name);
                violations.extend(spread.put(&key, value.clone(), origin_of(&key)).err());
            }
            let missing = members.iter().filter(|(name, _)| required.contains(name) && !table.contains_key(*name));
            for (name, value) in missing {
                // What is missing has no place of its own; it is missing where the table stands.
                violations.extend(spread.put(&file::join(&path, name), value.clone(), origin.clone()).err());
            }
        }
        settings.replace(key, spread);
    }
}

/// A text as a value.
pub(super) fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

fn enumerated(names: &[&str]) -> String {
    match names {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}
