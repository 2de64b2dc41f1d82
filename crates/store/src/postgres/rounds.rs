//! Things that are written together, as far as they do not touch the same rows.

use std::collections::HashMap;

/// Divides things into rounds, in which no two have a key in common. Of those that have, each is in a later round than the one before.
///
/// One statement writes a round, and a statement must not come across a row twice. Nearly always there is one round.
pub(super) fn rounds<T, K: IntoIterator<Item = i64>>(things: Vec<T>, keys: impl Fn(&T) -> K) -> Vec<Vec<T>> {
    let (mut rounds, mut next): (Vec<Vec<T>>, HashMap<i64, usize>) = (Vec::new(), HashMap::new());
    for thing in things {
        let keys: Vec<i64> = keys(&thing).into_iter().collect();
        let round = keys.iter().filter_map(|key| next.get(key)).max().copied().unwrap_or(0);
        next.extend(keys.into_iter().map(|key| (key, round + 1)));
        if round == rounds.len() {
            rounds.push(Vec::new());
        }
        rounds[round].push(thing);
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::rounds;

    #[test]
    fn what_touches_the_same_row_is_in_the_order_it_came_in() {
        let things = vec![(1, 1), (2, 2), (3, 1), (4, 3), (1, 4)];
        let divided = rounds(things, |(one, other)| [*one, *other]);
        assert_eq!(divided, [vec![(1, 1), (2, 2)], vec![(3, 1)], vec![(4, 3)], vec![(1, 4)]]);
        assert!(rounds(Vec::<i64>::new(), |key| [*key]).is_empty());
    }
}
