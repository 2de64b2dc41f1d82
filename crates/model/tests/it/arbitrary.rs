//! Random definitions of every kind, and windows of time to try them in.
//!
//! Most instants are drawn close to where schedules go wrong: changes of a zone's offset, ends of months, the instant
//! the job is accepted. The zones are those with the oddest changes.

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use punctual_model::recurrence::{CronDialect, Frequency};

use crate::crontab::Crontab;
use crate::definition::{Definition, Lists};
use crate::oracle;

/// A definition, the moment it is accepted, and the window in which its points are compared.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) definition: Definition,
    pub(crate) now: Timestamp,
    pub(crate) from: Timestamp,
    pub(crate) until: Timestamp,
}

/// Half an hour, three quarters, two hours; changes at midnight, at 00:01, around Ramadan; days that never were.
pub(crate) const NASTY_ZONES: [&str; 30] = [
    "Africa/Cairo",
    "Africa/Casablanca",
    "Africa/El_Aaiun",
    "Africa/Monrovia",
    "America/Asuncion",
    "America/Caracas",
    "America/Havana",
    "America/New_York",
    "America/Nuuk",
    "America/Santiago",
    "America/Sao_Paulo",
    "America/Scoresbysund",
    "America/St_Johns",
    "Antarctica/Casey",
    "Antarctica/Troll",
    "Asia/Amman",
    "Asia/Beirut",
    "Asia/Gaza",
    "Asia/Kathmandu",
    "Asia/Pyongyang",
    "Asia/Tehran",
    "Australia/Lord_Howe",
    "Europe/Berlin",
    "Europe/Dublin",
    "Europe/Istanbul",
    "Pacific/Apia",
    "Pacific/Chatham",
    "Pacific/Easter",
    "Pacific/Kiritimati",
    "Pacific/Kwajalein",
];

/// An instant in words that mean something in every zone.
#[derive(Clone, Debug)]
enum Moment {
    NearTransition(Index, i64),
    NearMonthEnd(i16, i8, i64),
    Anywhere(i64),
}

/// How the start is given.
#[derive(Clone, Debug)]
enum Start {
    Absent,
    Now,
    FromNow(i64),
    At(Moment),
    LocalAt(Moment),
    /// A share of the way through the gap that a zone has at one of its changes.
    InGap(Index, f64),
    OnDate(Moment),
    LongAgo(i64),
}

/// From here on offsets are whole minutes; see the oracle.
const FIRST_SECOND: i64 = 3 * 365 * 86_400 + 86_400;
const LAST_SECOND: i64 = 180 * 365 * 86_400;

pub(crate) fn case(definition: impl Strategy<Value = Definition>) -> impl Strategy<Value = Case> {
    let window_from = prop_oneof![3 => (-3_i64..20).prop_map(Err), 2 => moment().prop_map(Ok)];
    let end = prop_oneof![4 => Just(None), 1 => (-30_i64..3000).prop_map(Some)];
    (definition, (moment(), 0_i64..10_000_000, any::<bool>()), start(), window_from, 0.02_f64..1.0, end).prop_map(
        |(mut definition, (now, fraction, is_whole), start, from, share, end)| {
            let zone = oracle::zone(definition.zone.as_deref());
            let fraction = if is_whole { 0 } else { fraction };
            let now = now.at(&zone) + SignedDuration::from_nanos(fraction * 100);
            definition.start = start.text(now, &zone);
            let anchor = oracle::Oracle::new(&definition, now).anchor();
            let from = match from {
                Ok(moment) => moment.at(&zone),
                Err(days) => anchor.max(now) + SignedDuration::from_hours(24 * days),
            };
            let from = from.max(Timestamp::from_second(FIRST_SECOND).expect("a second of the seventies"));
            let hours = (24.0 * window_days(&definition) * share).max(3.0);
            #[expect(clippy::cast_possible_truncation, reason = "a window is some decades long")]
            let until = from + SignedDuration::from_mins((hours * 60.0) as i64);
            definition.end = end.map(|hundredths| {
                let length = until.duration_since(from).as_secs() / 1000;
                (from + SignedDuration::from_secs(length * hundredths)).to_string()
            });
            Case { definition, now, from, until }
        },
    )
}

/// How long the window is at most, so that the oracle walks some thousands of steps in it and not more.
fn window_days(definition: &Definition) -> f64 {
    let lists = &definition.lists;
    let count = |items: usize| f64::from(u32::try_from(items).expect("a short list"));
    let interval = count(usize::try_from(definition.interval.unwrap_or(1)).expect("not negative"));
    let (steps_a_day, days_max) = match definition.frequency {
        Some(Frequency::Hour) if lists.minutes.is_empty() => (24.0 / interval, 12_000.0),
        Some(Frequency::Minute | Frequency::Hour) => (1440.0 / interval, 12_000.0),
        Some(frequency) => {
            let hours = if lists.hours.is_empty() && !lists.minutes.is_empty() { 24 } else { lists.hours.len().max(1) };
            let days = if frequency >= Frequency::Month { 8_000.0 } else { 2_000.0 };
            (count(hours * lists.minutes.len().max(1)), days)
        }
        None => {
            let cron = Crontab::parse(definition.cron.as_deref().expect("a rule"), definition.dialect);
            (count(cron.hours.len() * cron.minutes.len() * cron.seconds.len()), 3_000.0)
        }
    };
    (4000.0 / steps_a_day).min(days_max)
}

fn moment() -> impl Strategy<Value = Moment> {
    let off = || prop_oneof![1 => Just(0), 3 => (-180_i64..180).prop_map(|m| m * 60), 2 => -260_000_i64..260_000];
    prop_oneof![
        5 => (any::<Index>(), off()).prop_map(|(which, off)| Moment::NearTransition(which, off)),
        2 => (1976_i16..2150, 1_i8..=12, off()).prop_map(|(year, month, off)| Moment::NearMonthEnd(year, month, off)),
        1 => (FIRST_SECOND..LAST_SECOND).prop_map(Moment::Anywhere),
    ]
}

fn start() -> impl Strategy<Value = Start> {
    prop_oneof![
        4 => Just(Start::Absent),
        1 => Just(Start::Now),
        4 => (-400_000_i64..400_000).prop_map(Start::FromNow),
        2 => (-4_000_000_000_i64..4_000_000_000).prop_map(|ticks| Start::FromNow(ticks / 10)),
        2 => moment().prop_map(Start::At),
        3 => moment().prop_map(Start::LocalAt),
        3 => (any::<Index>(), 0.0_f64..1.0).prop_map(|(which, share)| Start::InGap(which, share)),
        1 => moment().prop_map(Start::OnDate),
        1 => (-60_000_000_000_i64..0).prop_map(Start::LongAgo),
    ]
}

impl Moment {
    fn at(&self, zone: &TimeZone) -> Timestamp {
        let seconds = match self {
            Self::NearTransition(which, off) => {
                let changes = changes(zone);
                let at =
                    if changes.is_empty() { FIRST_SECOND } else { changes[which.index(changes.len())].as_second() };
                at + off
            }
            Self::NearMonthEnd(year, month, off) => {
                let end = Date::new(*year, *month, 1).expect("a month").last_of_month().to_datetime(Time::midnight());
                zone.to_timestamp(end).expect("a date of this age").as_second() + off
            }
            Self::Anywhere(seconds) => *seconds,
        };
        Timestamp::from_second(seconds.max(FIRST_SECOND)).expect("an instant of this age")
    }
}

impl Start {
    /// As a user would write it.
    fn text(&self, now: Timestamp, zone: &TimeZone) -> Option<String> {
        let seconds = |seconds: i64| SignedDuration::from_secs(seconds);
        match self {
            Self::Absent => None,
            Self::Now => Some(now.to_string()),
            Self::FromNow(off) => Some((now + seconds(*off)).to_string()),
            Self::At(moment) => Some(moment.at(zone).to_string()),
            Self::LocalAt(moment) => Some(zone.to_datetime(moment.at(zone)).to_string()),
            Self::OnDate(moment) => Some(zone.to_datetime(moment.at(zone)).date().to_string()),
            Self::LongAgo(second) => Timestamp::from_second(*second).ok().map(|at| at.to_string()),
            Self::InGap(which, share) => {
                let gaps = gaps(zone);
                let (wall, length) = gaps.get(which.index(gaps.len().max(1)))?;
                let minutes = (length.as_secs_f64() / 60.0 * share).floor();
                #[expect(clippy::cast_possible_truncation, reason = "a gap is a day long at most")]
                let inside = *wall + SignedDuration::from_mins(minutes as i64);
                Some(inside.to_string())
            }
        }
    }
}

/// The changes of a zone's offset that instants are drawn around.
pub(crate) fn changes(zone: &TimeZone) -> Vec<Timestamp> {
    let first = Timestamp::from_second(FIRST_SECOND).expect("a second of the seventies");
    zone.following(first).map(|change| change.timestamp()).take_while(|at| at.as_second() < LAST_SECOND).collect()
}

/// Where each gap begins on the wall, and how long it is.
fn gaps(zone: &TimeZone) -> Vec<(DateTime, SignedDuration)> {
    let gap = |at: Timestamp| {
        let before = zone.to_datetime(at - 1.nanosecond()) + 1.nanosecond();
        let length = zone.to_datetime(at).duration_since(before);
        length.is_positive().then_some((before, length))
    };
    changes(zone).into_iter().filter_map(gap).collect()
}

fn zone() -> impl Strategy<Value = Option<String>> {
    prop_oneof![1 => Just(None), 5 => select(&NASTY_ZONES[..]).prop_map(|name| Some(name.to_owned()))]
}

/// By frequency, interval and schedule.
pub(crate) fn every(frequencies: &'static [Frequency]) -> impl Strategy<Value = Definition> {
    select(frequencies).prop_flat_map(|frequency| {
        let max = i64::from(frequency.interval_max());
        let interval = prop_oneof![2 => Just(None), 3 => (2_i64..6).prop_map(Some), 2 => (1..=max).prop_map(Some)];
        (zone(), interval, lists(frequency)).prop_map(move |(zone, interval, lists)| Definition {
            zone,
            interval,
            lists,
            frequency: Some(frequency),
            ..Definition::default()
        })
    })
}

/// Each list absent or short; a few of them with values twice or out of order.
fn lists(frequency: Frequency) -> impl Strategy<Value = Lists> {
    fn few<T: Clone + std::fmt::Debug + 'static>(
        is_allowed: bool,
        item: impl Strategy<Value = T> + 'static,
    ) -> BoxedStrategy<Vec<T>> {
        if !is_allowed {
            return Just(Vec::new()).boxed();
        }
        prop_oneof![1 => Just(Vec::new()), 1 => prop::collection::vec(item, 1..5)].boxed()
    }
    let is_monthly = frequency >= Frequency::Month;
    let month_day = prop_oneof![1_i64..=31, 28_i64..=31, -31_i64..=-1, -31_i64..=-28];
    let occurrence = prop_oneof![1 => Just(None), 3 => (1_i64..=5).prop_map(Some), 3 => (-5_i64..=-1).prop_map(Some)];
    let all_hours = Just((0..24).collect::<Vec<i64>>());
    (
        few(true, prop_oneof![0_i64..60, select(vec![0_i64, 15, 30, 45, 59])]),
        prop_oneof![9 => few(true, prop_oneof![0_i64..24, 0_i64..4]), 1 => all_hours],
        few(frequency == Frequency::Week, weekday()),
        few(is_monthly, month_day),
        few(is_monthly, (weekday(), occurrence)),
        prop_oneof![2 => Just(Vec::new()), 1 => few(true, 1_i64..=12)],
    )
        .prop_map(|(minutes, hours, week_days, month_days, monthly_occurrences, months)| Lists {
            minutes,
            hours,
            week_days,
            month_days,
            monthly_occurrences,
            months,
        })
}

fn weekday() -> impl Strategy<Value = Weekday> {
    (0_i8..7).prop_map(|index| Weekday::from_monday_zero_offset(index).expect("less than seven"))
}

/// By a cron expression.
pub(crate) fn cron() -> impl Strategy<Value = Definition> {
    (zone(), expression(Words::All)).prop_map(|(zone, cron)| Definition {
        zone,
        cron: Some(cron),
        ..Definition::default()
    })
}

/// A cron expression in the words that other crates know, too.
pub(crate) fn shared_cron() -> impl Strategy<Value = String> {
    expression(Words::Shared)
}

/// By a cron expression in the words of Quartz.
pub(crate) fn quartz() -> impl Strategy<Value = Definition> {
    (zone(), quartz_expression()).prop_map(|(zone, cron)| Definition {
        zone,
        cron: Some(cron),
        dialect: CronDialect::Quartz,
        ..Definition::default()
    })
}

const MONTHS: [&str; 12] = ["jan", "Feb", "MAR", "apr", "May", "JUN", "jul", "aug", "sep", "oct", "nov", "dec"];
const NICKNAMES: [&str; 7] = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];
const WEEKDAYS: [&str; 7] = ["sun", "Mon", "TUE", "wed", "thu", "fri", "Sat"];

#[derive(Clone, Copy, PartialEq)]
enum Words {
    /// What every reader of cron knows, with `L` and `#`.
    Shared,
    /// Ranges that wrap, steps without a range, days before the last, nearest weekdays.
    All,
}

fn expression(words: Words) -> impl Strategy<Value = String> {
    let second = prop_oneof![3 => Just(String::new()), 1 => field(0, 59, &[], words).prop_map(|second| second + " ")];
    let hour = prop_oneof![2 => field(0, 23, &[], words), 1 => field(0, 4, &[], words), 1 => Just("*/1".to_owned())];
    let weekday = prop_oneof![3 => field(0, 7, &WEEKDAYS, words), 1 => nth_weekday(0)];
    let fields = (second, field(0, 59, &[], words), hour, day_of_month(words), field(1, 12, &MONTHS, words), weekday);
    prop_oneof![
        30 => fields.prop_map(|(second, minute, hour, day, month, weekday)| {
            format!("{second}{minute} {hour} {day} {month} {weekday}")
        }),
        1 => select(&NICKNAMES[..]).prop_map(str::to_owned),
    ]
}

fn quartz_expression() -> impl Strategy<Value = String> {
    let weekday = prop_oneof![3 => field(1, 7, &WEEKDAYS, Words::All), 1 => nth_weekday(1), 1 => Just("L".to_owned())];
    let days = prop_oneof![
        day_of_month(Words::All).prop_map(|day| (day, "?".to_owned())),
        weekday.prop_map(|weekday| ("?".to_owned(), weekday)),
    ];
    let year = select(&["", " *"][..]);
    let fields = (
        field(0, 59, &[], Words::All),
        field(0, 59, &[], Words::All),
        field(0, 23, &[], Words::All),
        days,
        field(1, 12, &MONTHS, Words::All),
        year,
    );
    fields.prop_map(|(second, minute, hour, (day, weekday), month, year)| {
        format!("{second} {minute} {hour} {day} {month} {weekday}{year}")
    })
}

fn day_of_month(words: Words) -> BoxedStrategy<String> {
    let shared = prop_oneof![
        6 => field(1, 31, &[], words),
        1 => Just("L".to_owned()),
        1 => (1..28).prop_map(|n| format!("{n},L")),
    ];
    if words == Words::Shared {
        return shared.boxed();
    }
    prop_oneof![
        8 => shared,
        1 => (1..=31).prop_map(|n| format!("{n}W")),
        1 => (1..=30).prop_map(|n| format!("L-{n}")),
        1 => (1..=30, 1..=31).prop_map(|(n, day)| format!("L-{n}W,{day}")),
        1 => Just("LW".to_owned()),
    ]
    .boxed()
}

/// A weekday of the month; weekdays count from `sunday`.
fn nth_weekday(sunday: i8) -> impl Strategy<Value = String> {
    prop_oneof![
        (sunday..=7, 1..=5).prop_map(|(day, n)| format!("{day}#{n}")),
        (select(&WEEKDAYS[..]), 1..=5).prop_map(|(day, n)| format!("{day}#{n}")),
        (sunday..=7).prop_map(|day| format!("{day}L")),
        (sunday..=6, 1..=5, sunday..=6).prop_map(|(day, n, other)| format!("{day}#{n},{other}")),
    ]
}

/// A star, or a list of numbers, names and ranges, with steps and without.
fn field(low: usize, high: usize, names: &'static [&'static str], words: Words) -> BoxedStrategy<String> {
    let range = move |(a, b): (usize, usize)| if words == Words::Shared { (a.min(b), a.max(b)) } else { (a, b) };
    let name = move |n: usize, by_name: bool| match names.get(n - low) {
        Some(name) if by_name => (*name).to_owned(),
        _ => n.to_string(),
    };
    let one = (low..=high, any::<bool>()).prop_map(move |(n, by_name)| name(n, by_name));
    let step = 1..=high - low;
    let span = ((low..=high, low..=high).prop_map(range), any::<bool>(), prop::option::of(step.clone())).prop_map(
        move |((first, last), by_name, step)| {
            let step = step.map(|step| format!("/{step}")).unwrap_or_default();
            format!("{}-{}{step}", name(first, by_name), name(last, by_name))
        },
    );
    let to_end = (low..=high, step.clone()).prop_map(|(first, step)| format!("{first}/{step}"));
    let item = prop_oneof![6 => one, 2 => span, u32::from(words == Words::All) => to_end];
    let list = prop::collection::vec(item, 1..4).prop_map(|items| items.join(","));
    let star = step.prop_map(|step| format!("*/{step}"));
    prop_oneof![3 => list, 2 => Just("*".to_owned()), 1 => star].boxed()
}
