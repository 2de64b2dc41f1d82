//! The fields of cron expressions, as far as importers have to look into them.

/// The values that a field of plain numbers, ranges, steps and lists names; nothing for names, `L` and the like.
pub(crate) fn values(field: &str, first: i64, last: i64) -> Option<Vec<i64>> {
    let mut values = Vec::new();
    for item in field.split(',') {
        let (range, step) = match item.split_once('/') {
            Some((range, step)) => (range, step.parse::<i64>().ok().filter(|step| *step > 0)?),
            None => (item, 1),
        };
        let (from, to) = match range.split_once('-') {
            _ if range == "*" => (first, last),
            Some((from, to)) => (from.parse().ok()?, to.parse().ok()?),
            None => {
                let from = range.parse().ok()?;
                (from, if item.contains('/') { last } else { from })
            }
        };
        if from < first || to > last || from > to {
            return None;
        }
        let mut at = from;
        while at <= to {
            values.push(at);
            at = at.saturating_add(step);
        }
    }
    values.sort_unstable();
    values.dedup();
    Some(values)
}

/// Whether every minute of named hours runs, where once was meant: `* 0 * * *`.
pub(crate) fn is_every_minute_of_an_hour(fields: &[&str]) -> bool {
    matches!(fields, ["*", hour, ..] if hour.bytes().all(|byte| byte.is_ascii_digit() || byte == b','))
}

#[cfg(test)]
mod tests {
    use super::{is_every_minute_of_an_hour, values};

    #[test]
    fn fields_of_numbers() {
        assert_eq!(values("*/20", 0, 59), Some(vec![0, 20, 40]));
        assert_eq!(values("5,1-3", 0, 23), Some(vec![1, 2, 3, 5]));
        assert_eq!(values("50/5", 0, 59), Some(vec![50, 55]));
        for field in ["mon", "L", "60", "5-1", "*/0", "", "1-"] {
            assert_eq!(values(field, 0, 59), None, "{field}");
        }
        assert!(is_every_minute_of_an_hour(&["*", "0", "*", "*", "*"]));
        assert!(!is_every_minute_of_an_hour(&["*", "*", "*", "*", "*"]));
        assert!(!is_every_minute_of_an_hour(&["0", "0", "*", "*", "*"]));
    }
}
