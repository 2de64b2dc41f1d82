//! What we build upon, and why.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::metadata::{self, crates};
use super::source;

/// Rooms by dependency.
type Rooms = BTreeMap<String, BTreeSet<String>>;

#[test]
fn every_dependency_has_its_reason() {
    let text = fs::read_to_string(source::root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let mut used = Rooms::new();
    for user in crates() {
        for name in user.dependencies.into_iter().filter(|name| metadata::room(name).is_none()) {
            used.entry(name).or_default().insert(user.room.clone());
        }
    }
    assert_eq!(reasons(&text), used, "left: the table in ARCHITECTURE.md, right: the manifests");
}

/// The rows `| crate | rooms | why |` of the section «Dependencies».
fn reasons(text: &str) -> Rooms {
    let section = text.split("\n## ").find(|section| section.starts_with("Dependencies"));
    let lines = section.expect("a section «Dependencies»").lines().filter(|line| line.starts_with('|'));
    // The first two lines are the head of the table.
    let rows = lines.skip(2).map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let [name, rooms, why] = cells[..] else { panic!("not three cells: {line}") };
        assert!(why.split_whitespace().count() >= 3, "{name}: that is no reason: {why:?}");
        (name.to_owned(), rooms.split(',').map(|room| room.trim().to_owned()).collect())
    });
    rows.collect()
}
