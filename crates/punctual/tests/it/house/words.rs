//! Words that have no place in the repository: they mean something on one machine only, or to one person.

use super::source::files;

/// In two parts, so that this file does not hold them itself.
const WORDS: [(&str, &str); 9] = [
    ("../sha", "red"),
    ("/wo", "rk/"),
    ("/ro", "ot/"),
    ("sub", "agent"),
    ("index.crates", ".io"),
    ("static.crates", ".io"),
    ("crates.io", "-index"),
    ("registry.npm", "js.org"),
    ("pypi", ".org"),
];

#[test]
fn no_text_speaks_of_where_it_was_written() {
    let words = WORDS.map(|(start, end)| format!("{start}{end}"));
    let mut wrong = Vec::new();
    // A lock file names the registry it was made with, and has to.
    for file in files().iter().filter(|file| !file.is_lock()) {
        for (at, line) in file.text.lines().enumerate() {
            let found = words.iter().filter(|word| line.to_lowercase().contains(word.as_str()));
            wrong.extend(found.map(|word| format!("{}:{}: {word}", file.path, at + 1)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
