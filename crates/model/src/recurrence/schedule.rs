//! `recurrence.schedule`: which of the days and times in each interval are meant.

use super::Frequency;
use crate::time::Weekday;
use crate::{Violation, limits};

/// The lists of a schedule, each as it was written or empty where it was not.
///
/// A list that is written and empty is the same as one that is not written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    pub(super) minutes: Vec<u8>,
    pub(super) hours: Vec<u8>,
    pub(super) week_days: Vec<Weekday>,
    pub(super) month_days: Vec<i8>,
    pub(super) monthly_occurrences: Vec<MonthlyOccurrence>,
    pub(super) months: Vec<u8>,
}

/// "The last Friday of the month": a weekday and which one of them, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonthlyOccurrence {
    /// The weekday.
    pub day: Weekday,
    /// 1 to 5 from the start of the month, −1 to −5 from its end; none means each of them.
    pub occurrence: Option<i8>,
}

/// The lists of a schedule as someone wrote them: numbers of any size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the members of the API by their own names")]
pub struct ScheduleParts {
    pub minutes: Vec<i64>,
    pub hours: Vec<i64>,
    pub week_days: Vec<Weekday>,
    pub month_days: Vec<i64>,
    pub monthly_occurrences: Vec<(Weekday, Option<i64>)>,
    pub months: Vec<i64>,
}

impl Schedule {
    /// Minutes of the hour.
    pub fn minutes(&self) -> &[u8] {
        &self.minutes
    }

    /// Hours of the day.
    pub fn hours(&self) -> &[u8] {
        &self.hours
    }

    /// Days of the week.
    pub fn week_days(&self) -> &[Weekday] {
        &self.week_days
    }

    /// Days of the month, from 1, or from −1 counted from its end.
    pub fn month_days(&self) -> &[i8] {
        &self.month_days
    }

    /// Weekdays of the month.
    pub fn monthly_occurrences(&self) -> &[MonthlyOccurrence] {
        &self.monthly_occurrences
    }

    /// Months of the year.
    pub fn months(&self) -> &[u8] {
        &self.months
    }

    /// Whether no list names anything, which is the same as no schedule.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether both name the same days and times, in whatever order and however often.
    pub(super) fn is_same_set(&self, other: &Self) -> bool {
        fn is_same<T: PartialEq>(own: &[T], other: &[T]) -> bool {
            own.iter().all(|item| other.contains(item)) && other.iter().all(|item| own.contains(item))
        }
        is_same(&self.minutes, &other.minutes)
            && is_same(&self.hours, &other.hours)
            && is_same(&self.week_days, &other.week_days)
            && is_same(&self.month_days, &other.month_days)
            && is_same(&self.monthly_occurrences, &other.monthly_occurrences)
            && is_same(&self.months, &other.months)
    }

    /// Checks every list; what is wrong is added to `violations`.
    pub(super) fn check(parts: &ScheduleParts, frequency: Frequency, violations: &mut Vec<Violation>) -> Self {
        let mut checker = Checker { frequency, violations };
        let each_weekday = |(at, (day, which)): (usize, &(Weekday, Option<i64>))| {
            let path = format!("monthlyOccurrences[{at}].occurrence");
            let occurrence = which.and_then(|n| checker.number(path, n, is_occurrence, "1 to 5, or -1 to -5"));
            MonthlyOccurrence { day: *day, occurrence }
        };
        let monthly_occurrences = parts.monthly_occurrences.iter().enumerate().map(each_weekday).collect();
        let schedule = Self {
            minutes: checker.numbers("minutes", &parts.minutes, |n| (0..=59).contains(&n), "0 to 59"),
            hours: checker.numbers("hours", &parts.hours, |n| (0..=23).contains(&n), "0 to 23; 0 is midnight"),
            week_days: parts.week_days.clone(),
            month_days: checker.numbers("monthDays", &parts.month_days, is_month_day, "1 to 31, or -1 to -31"),
            monthly_occurrences,
            months: checker.numbers("months", &parts.months, |n| (1..=12).contains(&n), "1 to 12"),
        };
        checker.list("weekDays", parts.week_days.len(), &[Frequency::Week]);
        let monthly = &[Frequency::Month, Frequency::Year];
        checker.list("monthDays", parts.month_days.len(), monthly);
        checker.list("monthlyOccurrences", parts.monthly_occurrences.len(), monthly);
        for (member, items) in [("minutes", &parts.minutes), ("hours", &parts.hours), ("months", &parts.months)] {
            checker.list(member, items.len(), &Frequency::ALL);
        }
        schedule
    }
}

fn is_month_day(n: i64) -> bool {
    (1..=31).contains(&n.abs())
}

fn is_occurrence(n: i64) -> bool {
    (1..=5).contains(&n.abs())
}

struct Checker<'a> {
    frequency: Frequency,
    violations: &'a mut Vec<Violation>,
}

impl Checker<'_> {
    fn numbers<T: TryFrom<i64>>(
        &mut self,
        member: &str,
        given: &[i64],
        is_right: impl Fn(i64) -> bool,
        expected: &str,
    ) -> Vec<T> {
        let one = |(at, n): (usize, &i64)| self.number(format!("{member}[{at}]"), *n, &is_right, expected);
        given.iter().enumerate().filter_map(one).collect()
    }

    fn number<T: TryFrom<i64>>(
        &mut self,
        path: String,
        given: i64,
        is_right: impl Fn(i64) -> bool,
        expected: &str,
    ) -> Option<T> {
        let value = T::try_from(given).ok().filter(|_| is_right(given));
        if value.is_none() {
            self.violations.push(Violation::new(path, given, expected));
        }
        value
    }

    fn list(&mut self, member: &str, length: usize, frequencies: &[Frequency]) {
        if length > limits::SCHEDULE_ITEMS_MAX {
            let expected = format!("at most {} values", limits::SCHEDULE_ITEMS_MAX);
            self.violations.push(Violation::new(member, format!("{length} values"), expected));
        }
        if length > 0 && !frequencies.contains(&self.frequency) {
            let names: Vec<_> = frequencies.iter().map(|frequency| frequency.name()).collect();
            let expected = format!("{member} only with frequency {}", names.join(" or "));
            self.violations.push(Violation::new(member, format!("frequency {}", self.frequency.name()), expected));
        }
    }
}
