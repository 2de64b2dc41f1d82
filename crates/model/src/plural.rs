//! Numbers of things, in words.

/// `1 time`, `2 times`.
pub fn plural(number: u64, noun: &str) -> String {
    let suffix = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{suffix}")
}
