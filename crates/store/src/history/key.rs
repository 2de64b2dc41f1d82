//! Which record of a job's history, and its place in the order.

use std::cmp::Ordering;

use punctual_model::time::Timestamp;

/// The order and identity of a record: the newest comes first, and the number, which no other record of the store has
/// and which stays for ever, tells apart what started at the same instant.
///
/// As text it is what the original wrote, so that texts are in the same order: how many ticks before the end of time the
/// attempt started, and the number counted down, of 20 digits each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HistoryKey {
    started: Timestamp,
    number: u64,
}

const DIGITS: usize = 20;

impl HistoryKey {
    /// The greatest number: SQL has no greater integers, and the original counted down from here.
    pub const NUMBER_MAX: u64 = i64::MAX.unsigned_abs();

    /// The record with that number, which is at most [`Self::NUMBER_MAX`].
    pub const fn new(started: Timestamp, number: u64) -> Option<Self> {
        if number <= Self::NUMBER_MAX { Some(Self { started, number }) } else { None }
    }

    /// When the attempt started.
    pub const fn started(self) -> Timestamp {
        self.started
    }

    /// What no other record has.
    pub const fn number(self) -> u64 {
        self.number
    }

    /// The id of the record in the API.
    pub fn to_id(self) -> String {
        let (ticks_left, numbers_left) = (Timestamp::MAX.since(self.started), Self::NUMBER_MAX - self.number);
        format!("{ticks_left:0DIGITS$}:{numbers_left:0DIGITS$}")
    }

    /// Reads an id of the API; nothing if no record can have it.
    pub fn parse_id(id: &str) -> Option<Self> {
        let (ticks_left, numbers_left) = id.split_once(':')?;
        let ticks_left = i64::try_from(digits(ticks_left)?).ok()?;
        let started = Timestamp::from_ticks(Timestamp::MAX.ticks() - ticks_left)?;
        Self::new(started, Self::NUMBER_MAX.checked_sub(digits(numbers_left)?)?)
    }
}

fn digits(text: &str) -> Option<u64> {
    let is_right = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_right { text.parse().ok() } else { None }
}

impl Ord for HistoryKey {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.started, other.number).cmp(&(self.started, self.number))
    }
}

impl PartialOrd for HistoryKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{HistoryKey, Timestamp};

    fn keys() -> impl Strategy<Value = HistoryKey> {
        let ticks = prop_oneof![Timestamp::MIN.ticks()..=Timestamp::MAX.ticks(), 0..3_i64];
        let numbers = prop_oneof![0..=HistoryKey::NUMBER_MAX, 0..3_u64];
        let key = |(ticks, number)| HistoryKey::new(Timestamp::from_ticks(ticks).unwrap(), number).unwrap();
        (ticks, numbers).prop_map(key)
    }

    proptest! {
        #[test]
        fn an_id_names_one_key_and_ids_are_in_the_order_of_keys(one in keys(), other in keys()) {
            prop_assert_eq!(HistoryKey::parse_id(&one.to_id()), Some(one));
            prop_assert_eq!(one.to_id().cmp(&other.to_id()), one.cmp(&other));
        }

        #[test]
        fn an_id_is_read_as_it_is_written_or_not_at_all(id in "[0-9+]{18,21}:?[0-9]{18,21}") {
            if let Some(key) = HistoryKey::parse_id(&id) {
                prop_assert_eq!(key.to_id(), id);
            }
        }
    }

    #[test]
    fn an_id_is_what_the_original_wrote() {
        // 2015-11-13T23:17:02.4047908Z.
        let started = Timestamp::from_ticks(14_474_566_224_047_908).unwrap();
        let key = HistoryKey::new(started, 789_253).unwrap();
        assert_eq!(key.to_id(), "02519548441775952091:09223372036853986554");
    }

    #[test]
    fn the_newest_comes_first() {
        let key = |seconds, number| HistoryKey::new(Timestamp::from_seconds(seconds).unwrap(), number).unwrap();
        let mut keys = [key(1, 1), key(2, 0), key(1, 2)];
        keys.sort();
        assert_eq!(keys, [key(2, 0), key(1, 2), key(1, 1)]);
    }

    #[test]
    fn what_no_record_can_have_is_no_id() {
        let right = "02519548441775952091:09223372036853986554";
        for (from, to) in
            [(":", ""), ("0251", "251"), ("0251", "+251"), ("0251", "9251"), (":0922", ":0923"), ("4", "x")]
        {
            assert_eq!(HistoryKey::parse_id(&right.replacen(from, to, 1)), None, "{from} → {to}");
        }
        assert_eq!(HistoryKey::new(Timestamp::EPOCH, HistoryKey::NUMBER_MAX + 1), None);
    }
}
