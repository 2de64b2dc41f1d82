//! What someone who misspelt a name has probably meant.

/// The known name nearest to `given`, if one is near enough to be meant.
pub(super) fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // One in three characters may be wrong: then more is right than wrong, and short names are not taken for each other.
    let distance_max = (given.chars().count() / 3).max(1);
    known
        .map(|name| (distance_to(given, name), name))
        .filter(|(distance, _)| *distance <= distance_max)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The distance, which is nothing where only the section was left out.
fn distance_to(given: &str, name: &str) -> usize {
    if name.strip_suffix(given).is_some_and(|section| section.ends_with('.')) { 0 } else { distance(given, name) }
}

/// How many characters have to be put in, taken out or changed to turn one text into the other (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    // The distances from what has been read of `from` to each beginning of `to`.
    let mut distances: Vec<usize> = (0..=to.len()).collect();
    for (row, left) in from.chars().enumerate() {
        let mut diagonal = row;
        distances[0] = row + 1;
        for (column, right) in to.iter().enumerate() {
            let changed = diagonal + usize::from(left != *right);
            diagonal = distances[column + 1];
            distances[column + 1] = changed.min(diagonal + 1).min(distances[column] + 1);
        }
    }
    distances[to.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn distances() {
        for (from, to, expected) in [
            ("", "", 0),
            ("a", "", 1),
            ("", "ab", 2),
            ("kitten", "sitting", 3),
            ("listen", "lisen", 1),
            ("ab", "ba", 2),
        ] {
            assert_eq!(distance(from, to), expected, "{from:?} to {to:?}");
            assert_eq!(distance(to, from), expected, "{to:?} to {from:?}");
        }
    }

    #[test]
    fn only_what_is_near_is_meant() {
        let known = ["server.listen", "log.level", "api.dialect"];
        let find = |given| nearest(given, known.into_iter());
        assert_eq!(find("server.lisen"), Some("server.listen"));
        assert_eq!(find("dialect"), Some("api.dialect"));
        assert_eq!(find("listener.port"), None);
        assert_eq!(find(""), None);
    }
}
