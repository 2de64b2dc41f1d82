use insta::assert_snapshot;

use super::{Anchor, Frequency, Parts, Recurrence, ScheduleParts, Timetable};
use crate::time::{DateTime, Timestamp, Weekday, Zone};

fn at(text: &str) -> Timestamp {
    DateTime::parse(text).unwrap().resolve(Zone::utc()).instant()
}

fn describe(parts: &Parts) -> String {
    let recurrence = Recurrence::new(parts).unwrap();
    let anchor = Anchor::Start(crate::time::Start::at(at("2026-01-31T08:30Z")));
    Timetable::new(Some(&recurrence), anchor).unwrap().describe(Some(&recurrence))
}

fn cron(expression: &str) -> String {
    let text = describe(&Parts { cron: Some(expression.to_owned()), ..Parts::default() });
    format!("{expression:28}{text}")
}

fn every(frequency: Frequency, interval: i64, schedule: ScheduleParts) -> String {
    describe(&Parts {
        frequency: Some(frequency),
        interval: Some(interval),
        schedule: Some(schedule),
        ..Parts::default()
    })
}

#[test]
fn cron_in_words() {
    let expressions = [
        "* * * * *",
        "*/15 * * * *",
        "7 * * * *",
        "0,1,2,30 * * * *",
        "0 5 * * *",
        "15 5,17 * * 1-5",
        "*/10 9-17 * * mon-fri",
        "5 0,6,12,18,20,22,23 * * *",
        "0 0 1 * *",
        "0 0 1,15 * 5",
        "0 0 L * *",
        "0 12 * * 5#3",
        "0 12 * * 5L",
        "0 0 29 2 *",
        "0 0 */2 * 1",
        "*/20 * * * * *",
        "30 0 12 * * *",
        "5,10 * 2 * * *",
        "@weekly",
    ];
    assert_snapshot!(expressions.map(cron).join("\n"), @"
    * * * * *                   Every minute, UTC
    */15 * * * *                Every 15 minutes, UTC
    7 * * * *                   At minute 7 of every hour, UTC
    0,1,2,30 * * * *            At minutes 0 to 2 and 30 of every hour, UTC
    0 5 * * *                   At 05:00 every day, UTC
    15 5,17 * * 1-5             At 05:15 and 17:15 on Monday to Friday, UTC
    */10 9-17 * * mon-fri       Every 10 minutes from 09:00 to 17:59 on Monday to Friday, UTC
    5 0,6,12,18,20,22,23 * * *  At minute 5 in the hours 0, 6, 12, 18, 20, 22 and 23, UTC
    0 0 1 * *                   At 00:00 on the 1st of each month, UTC
    0 0 1,15 * 5                At 00:00 on the 1st and 15th and every Friday of each month, UTC
    0 0 L * *                   At 00:00 on the last day of each month, UTC
    0 12 * * 5#3                At 12:00 on the third Friday of each month, UTC
    0 12 * * 5L                 At 12:00 on the last Friday of each month, UTC
    0 0 29 2 *                  At 00:00 on the 29th of February, UTC
    0 0 */2 * 1                 At 00:00 on the 1st, 3rd, 5th, 7th, 9th, 11th, 13th, 15th, 17th, 19th, 21st, 23rd, 25th, 27th, 29th and 31st of each month, but only on Monday, UTC
    */20 * * * * *              Every 20 seconds, UTC
    30 0 12 * * *               At 12:00:30 every day, UTC
    5,10 * 2 * * *              At seconds 5 and 10 of minutes 0 to 59 from 02:00 to 02:59, UTC
    @weekly                     At 00:00 on Sunday, UTC
    ");
}

#[test]
fn recurrences_in_words() {
    let schedule = ScheduleParts::default;
    let texts = [
        every(Frequency::Minute, 1, schedule()),
        every(Frequency::Minute, 15, ScheduleParts { hours: vec![9, 10, 11, 12], ..schedule() }),
        every(Frequency::Minute, 90, ScheduleParts { months: vec![2], ..schedule() }),
        every(Frequency::Hour, 1, schedule()),
        every(Frequency::Hour, 36, ScheduleParts { minutes: vec![0, 30], ..schedule() }),
        every(Frequency::Day, 1, schedule()),
        every(Frequency::Day, 2, ScheduleParts { hours: vec![5], ..schedule() }),
        every(Frequency::Day, 1, ScheduleParts { minutes: vec![15, 45], ..schedule() }),
        every(Frequency::Week, 1, schedule()),
        every(
            Frequency::Week,
            2,
            ScheduleParts { week_days: vec![Weekday::Monday, Weekday::Wednesday], hours: vec![17], ..schedule() },
        ),
        every(Frequency::Month, 1, schedule()),
        every(Frequency::Month, 3, ScheduleParts { month_days: vec![1, 2, 3, -1, -2], ..schedule() }),
        every(
            Frequency::Month,
            1,
            ScheduleParts {
                monthly_occurrences: vec![
                    (Weekday::Friday, Some(1)),
                    (Weekday::Friday, Some(-3)),
                    (Weekday::Sunday, None),
                ],
                ..schedule()
            },
        ),
        every(Frequency::Year, 1, schedule()),
        every(Frequency::Year, 4, ScheduleParts { months: vec![2, 6], month_days: vec![29], ..schedule() }),
    ];
    assert_snapshot!(texts.join("\n"), @"
    Every minute, counted from 2026-01-31T08:30:00Z
    Every 15 minutes from 09:00 to 12:59, counted from 2026-01-31T08:30:00Z, UTC
    Every 90 minutes in February, counted from 2026-01-31T08:30:00Z, UTC
    Every hour, counted from 2026-01-31T08:30:00Z
    Every 36 hours at minutes 0 and 30, counted from 2026-01-31T08:30:00Z, UTC
    At 08:30 every day, UTC
    At 05:30 every 2 days, UTC
    At minutes 15 and 45 of every hour, UTC
    At 08:30 on Saturday, UTC
    At 17:30 on Monday and Wednesday of every 2 weeks, UTC
    At 08:30 on the 31st or the last day of each month, UTC
    At 08:30 on the 1st to 3rd, the second-to-last day and the last day of every 3 months, UTC
    At 08:30 on every Sunday, the first Friday and the third-to-last Friday of each month, UTC
    At 08:30 on the 31st of January, UTC
    At 08:30 on the 29th of February and June every 4 years, UTC
    ");
}

#[test]
fn zone_count_and_end_in_words() {
    let third_wednesday = Parts {
        frequency: Some(Frequency::Month),
        schedule: Some(ScheduleParts {
            hours: vec![5, 17],
            minutes: vec![15],
            monthly_occurrences: vec![(Weekday::Wednesday, Some(3))],
            ..ScheduleParts::default()
        }),
        time_zone: Some("Europe/Prague".to_owned()),
        ..Parts::default()
    };
    assert_snapshot!(describe(&third_wednesday), @"At 05:15 and 17:15 on the third Wednesday of each month, Europe/Prague");
    let ends = Parts { count: Some(10), end_time: Some(DateTime::parse("2026-11-04").unwrap()), ..third_wednesday };
    assert_snapshot!(describe(&ends), @"At 05:15 and 17:15 on the third Wednesday of each month, Europe/Prague, 10 times, until 2026-11-03T23:00:00Z");
    let once = Timetable::new(None, Anchor::Creation(at("2026-01-01T00:00:00.5Z"))).unwrap();
    assert_snapshot!(once.describe(None), @"Once, at 2026-01-01T00:00:00.5Z");
}
