//! How far apart two names are: for guessing which one somebody meant.

/// How many letters must be put in, left out, replaced or swapped with their neighbour to turn one text into the other.
pub fn edit_distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    // Each row has the distances from one beginning of `from` to every beginning of `to`.
    let mut rows = vec![(0..=to.len()).collect::<Vec<_>>()];
    for row in 1..=from.len() {
        let mut distances = vec![row];
        for column in 1..=to.len() {
            let replaced = rows[row - 1][column - 1] + usize::from(from[row - 1] != to[column - 1]);
            let mut least = replaced.min(rows[row - 1][column] + 1).min(distances[column - 1] + 1);
            if row > 1 && column > 1 && from[row - 1] == to[column - 2] && from[row - 2] == to[column - 1] {
                least = least.min(rows[row - 2][column - 2] + 1);
            }
            distances.push(least);
        }
        rows.push(distances);
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::edit_distance;

    #[test]
    fn distances_count_letters() {
        for (from, to, expected) in [
            ("", "", 0),
            ("a", "", 1),
            ("", "ab", 2),
            ("cron", "corn", 1),
            ("kitten", "sitting", 3),
            ("listen", "lisen", 1),
            ("reccurence", "recurrence", 2),
        ] {
            assert_eq!(edit_distance(from, to), expected, "{from:?} to {to:?}");
            assert_eq!(edit_distance(to, from), expected, "{to:?} to {from:?}");
        }
    }
}
