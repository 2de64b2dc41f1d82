//! The few parts of a certificate (X.509, RFC 5280) that are looked at here.

use crate::ber::{BIT_STRING, CONTEXT_0, GENERALIZED_TIME, INTEGER, Item, Reader, SEQUENCE, UTC_TIME};
use crate::subject;

/// A certificate. Its signature and the trust in its issuer are checked by the server that is called.
pub(crate) struct Certificate<'a> {
    pub(crate) der: &'a [u8],
    /// The whole name, encoded.
    pub(crate) issuer: &'a [u8],
    /// The whole name, encoded.
    pub(crate) subject: &'a [u8],
    pub(crate) public_key: &'a [u8],
    pub(crate) valid_from_unix_seconds: i64,
    pub(crate) expires_unix_seconds: i64,
}

impl<'a> Certificate<'a> {
    pub(crate) fn parse(der: &'a [u8]) -> Option<Self> {
        let mut file = Reader::new(der);
        let mut body = file.sequence()?.sequence()?;
        // The version is not needed here.
        body.take(CONTEXT_0);
        let _serial = body.take(INTEGER)?;
        let _signature_algorithm = body.take(SEQUENCE)?;
        let issuer = body.take(SEQUENCE)?.whole;
        let mut validity = body.sequence()?;
        let not_before = validity.any()?;
        let not_after = validity.any()?;
        let subject = body.take(SEQUENCE)?.whole;
        let mut key_info = body.sequence()?;
        let _key_algorithm = key_info.take(SEQUENCE)?;
        // The first byte says how many bits of the last byte are unused: none, in every kind of key.
        let public_key = key_info.take(BIT_STRING)?.content.strip_prefix(&[0])?;
        let valid_from_unix_seconds = unix_seconds(not_before)?;
        let expires_unix_seconds = unix_seconds(not_after)?;
        let whole = Self { der, issuer, subject, public_key, valid_from_unix_seconds, expires_unix_seconds };
        file.is_empty().then_some(whole)
    }

    pub(crate) fn subject_text(&self) -> String {
        subject::text(Reader::new(self.subject).sequence().unwrap_or(Reader::new(&[])))
    }
}

/// `YYMMDDhhmmssZ` for the years 1950 to 2049, or `YYYYMMDDhhmmssZ`.
fn unix_seconds(time: Item<'_>) -> Option<i64> {
    let digits = time.content.strip_suffix(b"Z")?;
    if !digits.iter().all(u8::is_ascii_digit) || digits.len() % 2 != 0 {
        return None;
    }
    let pairs: Vec<i64> =
        digits.chunks(2).map(|pair| i64::from(pair[0] - b'0') * 10 + i64::from(pair[1] - b'0')).collect();
    let (year, rest) = match (time.tag, &pairs[..]) {
        (UTC_TIME, [year, rest @ ..]) => (if *year < 50 { 2000 + year } else { 1900 + year }, rest),
        (GENERALIZED_TIME, [century, year, rest @ ..]) => (100 * century + year, rest),
        _ => return None,
    };
    let [month, day, hour, minute, second] = *rest else { return None };
    let is_right = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second < 60;
    is_right.then(|| ((days_since_1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second)
}

/// Days in the Gregorian calendar, also for the years before it was introduced.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    // A year that begins in March has its leap day at the end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let days_before_month = (153 * month + 2) / 5;
    365 * year + leap_days + days_before_month + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::{GENERALIZED_TIME, Item, UTC_TIME, unix_seconds};

    fn seconds(tag: u8, text: &str) -> Option<i64> {
        unix_seconds(Item { tag, whole: &[], content: text.as_bytes() })
    }

    #[test]
    fn times_are_read() {
        assert_eq!(seconds(UTC_TIME, "700101000000Z"), Some(0));
        assert_eq!(seconds(UTC_TIME, "491231235959Z"), Some(2_524_607_999));
        assert_eq!(seconds(UTC_TIME, "500101000000Z"), Some(-631_152_000));
        assert_eq!(seconds(UTC_TIME, "210101070000Z"), Some(1_609_484_400));
        assert_eq!(seconds(GENERALIZED_TIME, "20000229120000Z"), Some(951_825_600));
        assert_eq!(seconds(GENERALIZED_TIME, "20000301000000Z"), Some(951_868_800));
        assert_eq!(seconds(GENERALIZED_TIME, "99991231235959Z"), Some(253_402_300_799));
        assert_eq!(seconds(GENERALIZED_TIME, "00000101000000Z"), Some(-62_167_219_200));
    }

    #[test]
    fn what_is_no_time_is_not_read() {
        for text in ["", "Z", "7001010000Z", "700101000000", "700101000000+0100", "701301000000Z", "700001000000Z"] {
            assert_eq!(seconds(UTC_TIME, text), None, "{text}");
        }
        assert_eq!(seconds(UTC_TIME, "70010100000\u{e9}Z"), None);
        assert_eq!(seconds(0x13, "700101000000Z"), None);
    }
}
