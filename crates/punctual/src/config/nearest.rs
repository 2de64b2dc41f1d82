//! What someone who misspelt a name has probably meant.

use punctual_model::edit_distance;

/// The known name nearest to `given`, if one is near enough to be meant.
pub(crate) fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
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
    if name.strip_suffix(given).is_some_and(|section| section.ends_with('.')) { 0 } else { edit_distance(given, name) }
}

#[cfg(test)]
mod tests {
    use super::nearest;

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
