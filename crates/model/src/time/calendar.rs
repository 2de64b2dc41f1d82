//! The Gregorian calendar as arithmetic on day numbers.
//!
//! Days are counted from 1970-01-01. A recurrence works on these numbers and on bit sets of the days of a month, so the
//! conversions are plain integer arithmetic, without tables and without branches that depend on the date.

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// The year, 1 to 9999 where it comes from outside.
    pub year: i32,
    /// The month.
    pub month: Month,
    /// The day of the month, from 1.
    pub day: u8,
}

/// A month of a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month(u8);

/// A day of the week; the week starts on Monday.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Weekday {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

/// Days from 1970-01-01 to the given date.
///
/// The year is taken to start in March, so that the leap day is its last: then months have lengths that one linear
/// formula gives, and 400 years have the same number of days wherever they begin.
pub(crate) const fn day_number(year: i32, month: u8, day: u8) -> i32 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (month as i32 + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day as i32 - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * DAYS_PER_ERA + day_of_era - MARCH_OF_YEAR_0_TO_1970
}

const DAYS_PER_ERA: i32 = 146_097;
const MARCH_OF_YEAR_0_TO_1970: i32 = 719_468;

impl Date {
    /// The date, if the calendar has it.
    pub fn new(year: i32, month: u8, day: u8) -> Option<Self> {
        let month = Month::new(month)?;
        (1..=month.length(year)).contains(&day).then_some(Self { year, month, day })
    }

    /// The date `number` days after 1970-01-01: the reverse of [`Date::day_number`].
    #[expect(clippy::cast_possible_truncation, reason = "months and days fit a byte")]
    pub const fn from_day_number(number: i32) -> Self {
        let shifted = number + MARCH_OF_YEAR_0_TO_1970;
        let era = shifted.div_euclid(DAYS_PER_ERA);
        let day_of_era = shifted.rem_euclid(DAYS_PER_ERA).cast_unsigned();
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = year_of_era.cast_signed() + era * 400 + (month <= 2) as i32;
        Self { year, month: Month(month as u8), day: day as u8 }
    }

    /// Days from 1970-01-01.
    pub const fn day_number(self) -> i32 {
        day_number(self.year, self.month.0, self.day)
    }
}

impl Month {
    /// The month with that number, 1 to 12.
    pub const fn new(number: u8) -> Option<Self> {
        if 1 <= number && number <= 12 { Some(Self(number)) } else { None }
    }

    /// 1 for January.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// How many days it has in `year`.
    pub const fn length(self, year: i32) -> u8 {
        if self.0 == 2 {
            28 + is_leap(year) as u8
        } else {
            // Long and short months alternate, and start over in August.
            30 + ((self.0 ^ (self.0 >> 3)) & 1)
        }
    }

    /// Its English name.
    pub const fn name(self) -> &'static str {
        const NAMES: [&str; 12] = [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ];
        NAMES[self.0 as usize - 1]
    }
}

const fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

impl Weekday {
    /// Monday to Sunday.
    pub const ALL: [Self; 7] =
        [Self::Monday, Self::Tuesday, Self::Wednesday, Self::Thursday, Self::Friday, Self::Saturday, Self::Sunday];

    /// The weekday of the day with that number.
    pub const fn of_day_number(number: i32) -> Self {
        // 1970-01-01 was a Thursday.
        Self::ALL[(number + 3).rem_euclid(7) as usize]
    }

    /// 0 for Monday to 6 for Sunday.
    pub const fn index(self) -> u8 {
        self as u8
    }

    /// Its English name.
    pub const fn name(self) -> &'static str {
        const NAMES: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
        NAMES[self as usize]
    }
}
