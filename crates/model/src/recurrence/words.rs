//! Lists and numbers in English.

/// `a`, `a and b`, `a, b and c`.
pub(super) fn join(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The members of a bit set by name, three and more in a row as `a to c`.
pub(super) fn runs(set: u64, name: impl Fn(usize) -> String) -> String {
    let mut items = Vec::new();
    let mut at = 0;
    while at < 64 {
        let length = (set >> at).trailing_ones() as usize;
        match length {
            0 => at += 1,
            1 | 2 => {
                items.extend((at..at + length).map(&name));
                at += length;
            }
            _ => {
                items.push(format!("{} to {}", name(at), name(at + length - 1)));
                at += length;
            }
        }
    }
    join(&items)
}

/// `1st`, `2nd`, `3rd`, `11th`.
pub(super) fn ordinal(number: u8) -> String {
    let suffix = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}
