//! Shards: into which parts the rows of work are divided, so that several nodes can share them.

use std::fmt;

use punctual_model::job::Uid;

/// The number of shards. Each job is in one of them for ever, and each shard has one owner at a time.
pub const SHARDS: usize = 256;

/// A set of shards.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Shards([u64; SHARDS / 64]);

impl Shards {
    /// All of them: a store that has one node keeps them together.
    pub const ALL: Self = Self([u64::MAX; SHARDS / 64]);

    /// None of them.
    pub const NONE: Self = Self([0; SHARDS / 64]);

    /// The shard of the job of that uid. It never becomes another one: rows keep it. (FNV-1a, folded to a byte.)
    pub const fn of(uid: Uid) -> u8 {
        let (bytes, mut hash, mut at) = (uid.bytes(), 0x811c_9dc5_u32, 0);
        while at < bytes.len() {
            hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
            at += 1;
        }
        let [a, b, c, d] = hash.to_le_bytes();
        a ^ b ^ c ^ d
    }

    /// Whether a shard is in the set.
    pub const fn has(&self, shard: u8) -> bool {
        self.0[(shard / 64) as usize] & (1 << (shard % 64)) != 0
    }

    /// Adds a shard.
    pub fn add(&mut self, shard: u8) {
        self.0[usize::from(shard / 64)] |= 1 << (shard % 64);
    }

    /// Whether no shard is in the set.
    pub fn is_empty(&self) -> bool {
        *self == Self::NONE
    }

    /// How many shards are in the set.
    pub fn len(&self) -> usize {
        self.0.iter().map(|part| part.count_ones() as usize).sum()
    }

    /// The shards, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = u8> + use<> {
        let shards = *self;
        (0..=u8::MAX).filter(move |shard| shards.has(*shard))
    }

    /// What is in both sets.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(part, other)| *part &= other);
        self
    }

    /// What is in one of the sets, or in both.
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(part, other)| *part |= other);
        self
    }

    /// What is in this set and not in the other one.
    #[must_use]
    pub fn without(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(part, other)| *part &= !other);
        self
    }
}

impl FromIterator<u8> for Shards {
    fn from_iter<T: IntoIterator<Item = u8>>(shards: T) -> Self {
        let mut set = Self::NONE;
        shards.into_iter().for_each(|shard| set.add(shard));
        set
    }
}

impl fmt::Debug for Shards {
    /// Ranges, such as `Shards(0-42, 213-255)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_first = |shard: &u8| *shard == 0 || !self.has(*shard - 1);
        let range = |first: u8| {
            let last = (first..=u8::MAX).take_while(|shard| self.has(*shard)).last().unwrap_or(first);
            if first == last { first.to_string() } else { format!("{first}-{last}") }
        };
        let ranges: Vec<String> = self.iter().filter(is_first).map(range).collect();
        write!(f, "Shards({})", ranges.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::{Shards, Uid};

    #[test]
    fn shards_are_about_as_large_as_each_other() {
        let mut jobs = [0_u32; 256];
        for number in 0..256_000_u128 {
            jobs[usize::from(Shards::of(Uid::from_bytes(number.to_be_bytes())))] += 1;
        }
        assert!(jobs.iter().all(|jobs| (800..1200).contains(jobs)), "{jobs:?}");
        assert_eq!(Shards::of(Uid::from_bytes([7; 16])), 0x70, "a job stays in its shard for ever");
    }

    #[test]
    fn a_set_holds_what_was_added_and_nothing_else() {
        let some: Shards = [0, 63, 64, 255].into_iter().collect();
        assert_eq!((some.iter().collect::<Vec<_>>(), some.len()), (vec![0, 63, 64, 255], 4));
        assert_eq!(Shards::ALL.without(some).len(), 252);
        assert_eq!(Shards::ALL.without(some).or(some), Shards::ALL);
        assert_eq!(Shards::ALL.and(some), some);
        assert!(Shards::NONE.is_empty() && !some.is_empty());
    }
}
