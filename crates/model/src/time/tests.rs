use insta::assert_snapshot;
use proptest::prelude::*;

use super::windows_zones::NAMES;
use super::{Date, DateTime, Month, Span, Timestamp, Weekday, Zone, day_number};

fn instant(text: &str) -> String {
    match DateTime::parse(text) {
        Ok(written) => written.resolve(Zone::utc()).instant().to_string(),
        Err(expected) => format!("expected {expected}"),
    }
}

#[test]
fn instants_are_read_as_the_original_and_its_documents_write_them() {
    let texts = [
        "2012-08-04T00:00Z",
        "2012-11-04",
        "2013-01-09T09:30:00-08:00",
        "2013-01-09T09:30:00+0530",
        "2013-01-09T09:30:00+05",
        "2016-03-30T20:39:53.8021951Z",
        "2016-03-30T20:39:53.80219519999Z",
        "2016-03-30t20:39:53,5z",
        "2016-03-30 20:39:53",
        " 2007-03-01T14:00:00Z ",
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59.9999999Z",
    ];
    assert_snapshot!(texts.map(|text| format!("{text:36}{}", instant(text))).join("\n"), @"
    2012-08-04T00:00Z                   2012-08-04T00:00:00Z
    2012-11-04                          2012-11-04T00:00:00Z
    2013-01-09T09:30:00-08:00           2013-01-09T17:30:00Z
    2013-01-09T09:30:00+0530            2013-01-09T04:00:00Z
    2013-01-09T09:30:00+05              2013-01-09T04:30:00Z
    2016-03-30T20:39:53.8021951Z        2016-03-30T20:39:53.8021951Z
    2016-03-30T20:39:53.80219519999Z    2016-03-30T20:39:53.8021951Z
    2016-03-30t20:39:53,5z              2016-03-30T20:39:53.5Z
    2016-03-30 20:39:53                 2016-03-30T20:39:53Z
     2007-03-01T14:00:00Z               2007-03-01T14:00:00Z
    0001-01-01T00:00:00Z                0001-01-01T00:00:00Z
    9999-12-31T23:59:59.9999999Z        9999-12-31T23:59:59.9999999Z
    ");
}

#[test]
fn a_part_that_does_not_exist_is_named() {
    let texts = [
        "2026-02-29",
        "2026-13-01",
        "2026-04-31T10:00",
        "2026-04-30T24:00",
        "2026-04-30T10:60Z",
        "2026-04-30T10:00:60Z",
    ];
    assert_snapshot!(texts.map(instant).join("\n"), @"
    expected a day of February 2026 from 1 to 28, not 29
    expected a month from 1 to 12, not 13
    expected a day of April 2026 from 1 to 30, not 31
    expected an hour from 0 to 23, not 24
    expected a minute from 0 to 59, not 60
    expected a second from 0 to 59, not 60
    ");
}

#[test]
fn what_is_no_instant_is_refused() {
    for text in [
        "",
        "2012",
        "2012-8-4",
        "2012-13-01",
        "2012-02-30",
        "2012-08-04T",
        "2012-08-04T24:00Z",
        "2012-08-04T10:60Z",
        "2012-08-04T10:00:60Z",
        "2012-08-04T10:00:00.Z",
        "2012-08-04T10:00+24:00",
        "2012-08-04T10:00Z!",
        "0000-01-01",
        "0001-01-01T00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "1349308800",
        "２０１２-08-04",
    ] {
        assert!(DateTime::parse(text).is_err(), "{text}");
    }
}

#[test]
fn durations_are_read_in_both_spellings() {
    let texts = [
        "PT30S",
        "PT1D",
        "P1DT12H",
        "P1M",
        "P1Y",
        "P2W",
        "PT0.5S",
        "PT1,25M",
        "pt1h",
        "00:00:30",
        "1.00:00:00",
        "00:01:00.5",
        "10:00",
        "P0D",
        "90s",
        "5m",
        "1h 30m",
        "2d",
        "1.5h",
    ];
    let lines = texts.map(|text| {
        let span = Span::parse(text).unwrap();
        format!("{text:12}{:14}{}", span.to_iso(), span.to_time_span())
    });
    assert_snapshot!(lines.join("\n"), @"
    PT30S       PT30S         00:00:30
    PT1D        P1D           1.00:00:00
    P1DT12H     P1DT12H       1.12:00:00
    P1M         P30D          30.00:00:00
    P1Y         P365D         365.00:00:00
    P2W         P14D          14.00:00:00
    PT0.5S      PT0.5S        00:00:00.5000000
    PT1,25M     PT1M15S       00:01:15
    pt1h        PT1H          01:00:00
    00:00:30    PT30S         00:00:30
    1.00:00:00  P1D           1.00:00:00
    00:01:00.5  PT1M0.5S      00:01:00.5000000
    10:00       PT10H         10:00:00
    P0D         PT0S          00:00:00
    90s         PT1M30S       00:01:30
    5m          PT5M          00:05:00
    1h 30m      PT1H30M       01:30:00
    2d          P2D           2.00:00:00
    1.5h        PT1H30M       01:30:00
    ");
    for text in [
        "",
        "P",
        "PT",
        "30",
        "PT30",
        "PTS",
        "P1H1",
        "-PT1S",
        "24:00:00",
        "00:60:00",
        "1:2:3:4",
        "PT1S ago",
        "P1T",
        "5 minutes",
        "5mt",
        "m",
    ] {
        assert!(Span::parse(text).is_err(), "{text}");
    }
}

#[test]
fn spans_are_equal_if_they_are_as_long() {
    assert_eq!(Span::parse("PT60S").unwrap(), Span::parse("00:01:00").unwrap());
    assert_eq!(Span::parse("PT60S").unwrap().as_written(), "PT60S");
    // No client of the original reads the short form.
    assert_eq!(Span::parse("90s").unwrap().as_written(), "PT1M30S");
}

proptest! {
    #[test]
    fn an_instant_is_read_back_as_it_is_written(ticks in Timestamp::MIN.ticks()..=Timestamp::MAX.ticks()) {
        let at = Timestamp::from_ticks(ticks).unwrap();
        prop_assert_eq!(DateTime::parse(&at.to_string()).unwrap().resolve(Zone::utc()).instant(), at);
    }

    #[test]
    fn a_span_is_read_back_as_it_is_written(ticks in 0..=i64::from(u32::MAX) * 10_000_000) {
        let days = ticks / super::TICKS_PER_DAY;
        let (hour, minute, second) = super::Wall::from_ticks(ticks).time();
        let fraction = ticks % super::TICKS_PER_SECOND;
        let span = Span::parse(&format!("{days}.{hour:02}:{minute:02}:{second:02}.{fraction:07}")).unwrap();
        prop_assert_eq!(span.ticks(), ticks);
        prop_assert_eq!(&Span::parse(&span.to_iso()).unwrap(), &span);
        prop_assert_eq!(&Span::parse(&span.to_time_span()).unwrap(), &span);
    }
}

#[test]
fn the_calendar_has_every_day_of_the_years_1_to_9999_once() {
    let mut number = day_number(1, 1, 1);
    let mut weekday = 0;
    for year in 1..=9999 {
        for month in (1..=12).filter_map(Month::new) {
            for day in 1..=month.length(year) {
                let date = Date { year, month, day };
                assert_eq!((date.day_number(), Date::from_day_number(number)), (number, date));
                assert_eq!(Weekday::of_day_number(number), Weekday::ALL[weekday]);
                number += 1;
                weekday = (weekday + 1) % 7;
            }
        }
    }
    assert_eq!(number, day_number(10_000, 1, 1));
    let leap_years: Vec<_> = (1890..1910).chain(1995..2005).filter(|year| Date::new(*year, 2, 29).is_some()).collect();
    assert_eq!(leap_years, [1892, 1896, 1904, 1908, 1996, 2000, 2004]);
}

#[test]
fn every_windows_name_is_a_zone() {
    assert!(NAMES.is_sorted_by_key(|(name, _)| name.to_ascii_lowercase()));
    for (windows, iana) in NAMES {
        assert_eq!(Zone::find(windows), Zone::find(iana), "{windows}");
        assert_eq!(Zone::find(&windows.to_uppercase()), Zone::find(iana), "{windows}");
    }
    assert_eq!(Zone::find("pacific standard time").unwrap().name(), "America/Los_Angeles");
    assert_eq!(Zone::find("europe/PRAGUE").unwrap().name(), "Europe/Prague");
    for name in ["", "Europe", "Prague", "Europe/Pragu", "+01:00", "../etc/passwd"] {
        assert!(Zone::find(name).is_err(), "{name}");
    }
}
