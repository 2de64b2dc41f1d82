//! Cron as people write it: what an expression means, in words and in dates, and where it is not what it looks like.

use std::fmt::Write;

use insta::assert_snapshot;
use punctual_model::recurrence::{Anchor, CronDialect, Parts, Recurrence, Timetable};
use punctual_model::time::{DateTime, Timestamp, Zone};

fn now() -> Timestamp {
    DateTime::parse("2026-01-01T12:00Z").expect("a date-time").resolve(Zone::utc()).instant()
}

/// Each expression with its description, its first three occurrences and its oddities, or with what is wrong.
fn table(dialect: CronDialect, expressions: &[&str]) -> String {
    let mut rows = String::new();
    for cron in expressions {
        let parts = Parts { cron: Some((*cron).to_owned()), cron_dialect: Some(dialect), ..Parts::default() };
        let lines = match Recurrence::new(&parts) {
            Ok(recurrence) => meaning(&recurrence),
            Err(violations) => violations.iter().map(ToString::to_string).collect(),
        };
        writeln!(rows, "{cron}\n  {}", lines.join("\n  ")).expect("a text can be written to");
    }
    rows
}

fn meaning(recurrence: &Recurrence) -> Vec<String> {
    let timetable = Timetable::new(Some(recurrence), Anchor::new(None, true, now())).expect("a rule that matches");
    let next = std::iter::successors(timetable.first(now()), |at| timetable.next(*at)).take(3);
    let dates: Vec<_> = next.map(|at| at.to_string()).collect();
    let oddities = recurrence.oddities().into_iter().map(|odd| format!("! {odd}"));
    [timetable.describe(Some(recurrence)), dates.join(" ")].into_iter().chain(oddities).collect()
}

#[test]
fn words_of_other_crons() {
    let rows = table(
        CronDialect::Debian,
        &[
            "0 12 ? * mon",
            "0 12 1 * ?",
            "5/15 * * * *",
            "0 22-6 * * *",
            "0 22-6/4 * * *",
            "0 9 * * fri-mon",
            "0 9 * * 5-0",
            "0 9 * nov-feb *",
            "0 9 15W * *",
            "0 9 1W * *",
            "0 9 LW * *",
            "0 9 L-3 * *",
            "0 9 L-1W * *",
            "0 9 1W,15W,L * *",
            "0 9 * * 7/3",
        ],
    );
    assert_snapshot!(rows, @"
    0 12 ? * mon
      At 12:00 on Monday, UTC
      2026-01-05T12:00:00Z 2026-01-12T12:00:00Z 2026-01-19T12:00:00Z
    0 12 1 * ?
      At 12:00 on the 1st of each month, UTC
      2026-02-01T12:00:00Z 2026-03-01T12:00:00Z 2026-04-01T12:00:00Z
    5/15 * * * *
      At minutes 5, 20, 35 and 50 of every hour, UTC
      2026-01-01T12:05:00Z 2026-01-01T12:20:00Z 2026-01-01T12:35:00Z
    0 22-6 * * *
      At minute 0 in the hours 0 to 6, 22 and 23, UTC
      2026-01-01T22:00:00Z 2026-01-01T23:00:00Z 2026-01-02T00:00:00Z
    0 22-6/4 * * *
      At 02:00, 06:00 and 22:00 every day, UTC
      2026-01-01T22:00:00Z 2026-01-02T02:00:00Z 2026-01-02T06:00:00Z
    0 9 * * fri-mon
      At 09:00 on Monday and Friday to Sunday, UTC
      2026-01-02T09:00:00Z 2026-01-03T09:00:00Z 2026-01-04T09:00:00Z
    0 9 * * 5-0
      At 09:00 on Friday to Sunday, UTC
      2026-01-02T09:00:00Z 2026-01-03T09:00:00Z 2026-01-04T09:00:00Z
    0 9 * nov-feb *
      At 09:00 every day in January, February, November and December, UTC
      2026-01-02T09:00:00Z 2026-01-03T09:00:00Z 2026-01-04T09:00:00Z
    0 9 15W * *
      At 09:00 on the weekday nearest to the 15th of each month, UTC
      2026-01-15T09:00:00Z 2026-02-16T09:00:00Z 2026-03-16T09:00:00Z
    0 9 1W * *
      At 09:00 on the weekday nearest to the 1st of each month, UTC
      2026-02-02T09:00:00Z 2026-03-02T09:00:00Z 2026-04-01T09:00:00Z
    0 9 LW * *
      At 09:00 on the last weekday of each month, UTC
      2026-01-30T09:00:00Z 2026-02-27T09:00:00Z 2026-03-31T09:00:00Z
    0 9 L-3 * *
      At 09:00 on the fourth-to-last day of each month, UTC
      2026-01-28T09:00:00Z 2026-02-25T09:00:00Z 2026-03-28T09:00:00Z
    0 9 L-1W * *
      At 09:00 on the weekday nearest to the second-to-last day of each month, UTC
      2026-01-30T09:00:00Z 2026-02-27T09:00:00Z 2026-03-30T09:00:00Z
    0 9 1W,15W,L * *
      At 09:00 on the last day, the weekday nearest to the 1st and the weekday nearest to the 15th of each month, UTC
      2026-01-15T09:00:00Z 2026-01-31T09:00:00Z 2026-02-02T09:00:00Z
    0 9 * * 7/3
      At 09:00 on Wednesday, Saturday and Sunday, UTC
      2026-01-03T09:00:00Z 2026-01-04T09:00:00Z 2026-01-07T09:00:00Z
      ! cron: 7/3 in the weekday field is not every 3 days: after 6 comes 0, 1 day later; every 3 days is frequency Day with interval 3, without cron
    ");
}

#[test]
fn not_what_it_looks_like() {
    let rows = table(
        CronDialect::Debian,
        &[
            "*/7 * * * *",
            "*/45 * * * *",
            "*/60 * * * *",
            "50/20 * * * *",
            "0 */5 * * *",
            "0 0 */2 * *",
            "0 0 1 */5 *",
            "0 0 * * */2",
            "0 0 31 * *",
            "0 0 31W * *",
            "0 0 31 1,3 *",
            "0 0 29 2 *",
            "0 0 28-31 * *",
            "0 0 13 * fri",
            "0 0 */2 * fri",
            "*/15 * * * *",
            "0 0 1/1 * *",
        ],
    );
    assert_snapshot!(rows, @"
    */7 * * * *
      At minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour, UTC
      2026-01-01T12:07:00Z 2026-01-01T12:14:00Z 2026-01-01T12:21:00Z
      ! cron: */7 in the minute field is not every 7 minutes: after 56 comes 0, 4 minutes later; every 7 minutes is frequency Minute with interval 7, without cron
    */45 * * * *
      At minutes 0 and 45 of every hour, UTC
      2026-01-01T12:45:00Z 2026-01-01T13:00:00Z 2026-01-01T13:45:00Z
      ! cron: */45 in the minute field is not every 45 minutes: after 45 comes 0, 15 minutes later; every 45 minutes is frequency Minute with interval 45, without cron
    */60 * * * *
      At minute 0 of every hour, UTC
      2026-01-01T13:00:00Z 2026-01-01T14:00:00Z 2026-01-01T15:00:00Z
    50/20 * * * *
      At minute 50 of every hour, UTC
      2026-01-01T12:50:00Z 2026-01-01T13:50:00Z 2026-01-01T14:50:00Z
      ! cron: 50/20 in the minute field is not every 20 minutes: it is 50 alone; every 20 minutes is frequency Minute with interval 20, without cron
    0 */5 * * *
      At 00:00, 05:00, 10:00, 15:00 and 20:00 every day, UTC
      2026-01-01T15:00:00Z 2026-01-01T20:00:00Z 2026-01-02T00:00:00Z
      ! cron: */5 in the hour field is not every 5 hours: after 20 comes 0, 4 hours later; every 5 hours is frequency Hour with interval 5, without cron
    0 0 */2 * *
      At 00:00 on the 1st, 3rd, 5th, 7th, 9th, 11th, 13th, 15th, 17th, 19th, 21st, 23rd, 25th, 27th, 29th and 31st of each month, UTC
      2026-01-03T00:00:00Z 2026-01-05T00:00:00Z 2026-01-07T00:00:00Z
      ! cron: */2 in the day of month field is not every 2 days: each month starts again with day 1; every 2 days is frequency Day with interval 2, without cron
    0 0 1 */5 *
      At 00:00 on the 1st of January, June and November, UTC
      2026-06-01T00:00:00Z 2026-11-01T00:00:00Z 2027-01-01T00:00:00Z
      ! cron: */5 in the month field is not every 5 months: after 11 comes 1, 2 months later; every 5 months is frequency Month with interval 5, without cron
    0 0 * * */2
      At 00:00 on Tuesday, Thursday, Saturday and Sunday, UTC
      2026-01-03T00:00:00Z 2026-01-04T00:00:00Z 2026-01-06T00:00:00Z
      ! cron: */2 in the weekday field is not every 2 days: after 6 comes 0, 1 day later; every 2 days is frequency Day with interval 2, without cron
    0 0 31 * *
      At 00:00 on the 31st of each month, UTC
      2026-01-31T00:00:00Z 2026-03-31T00:00:00Z 2026-05-31T00:00:00Z
      ! cron: months without a 31st are skipped; L is the last day of every month
    0 0 31W * *
      At 00:00 on the weekday nearest to the 31st of each month, UTC
      2026-01-30T00:00:00Z 2026-03-31T00:00:00Z 2026-05-29T00:00:00Z
      ! cron: months without a 31st are skipped; L is the last day of every month
    0 0 31 1,3 *
      At 00:00 on the 31st of January and March, UTC
      2026-01-31T00:00:00Z 2026-03-31T00:00:00Z 2027-01-31T00:00:00Z
    0 0 29 2 *
      At 00:00 on the 29th of February, UTC
      2028-02-29T00:00:00Z 2032-02-29T00:00:00Z 2036-02-29T00:00:00Z
      ! cron: months without a 29th are skipped
    0 0 28-31 * *
      At 00:00 on the 28th to 31st of each month, UTC
      2026-01-28T00:00:00Z 2026-01-29T00:00:00Z 2026-01-30T00:00:00Z
    0 0 13 * fri
      At 00:00 on the 13th and every Friday of each month, UTC
      2026-01-02T00:00:00Z 2026-01-09T00:00:00Z 2026-01-13T00:00:00Z
      ! cron: day of month and weekday are both named: a day on which either one holds is enough
    0 0 */2 * fri
      At 00:00 on the 1st, 3rd, 5th, 7th, 9th, 11th, 13th, 15th, 17th, 19th, 21st, 23rd, 25th, 27th, 29th and 31st of each month, but only on Friday, UTC
      2026-01-09T00:00:00Z 2026-01-23T00:00:00Z 2026-02-13T00:00:00Z
      ! cron: */2 in the day of month field is not every 2 days: each month starts again with day 1; every 2 days is frequency Day with interval 2, without cron
    */15 * * * *
      Every 15 minutes, UTC
      2026-01-01T12:15:00Z 2026-01-01T12:30:00Z 2026-01-01T12:45:00Z
    0 0 1/1 * *
      At 00:00 every day, UTC
      2026-01-02T00:00:00Z 2026-01-03T00:00:00Z 2026-01-04T00:00:00Z
    ");
}

#[test]
fn quartz() {
    let rows = table(
        CronDialect::Quartz,
        &[
            "0 0 12 * * ?",
            "0 0 0/1 1/1 * ? *",
            "0 15 10 ? * 2-6",
            "0 15 10 ? * 6L",
            "0 15 10 ? * 6#3",
            "0 15 10 ? * L",
            "0 15 10 ? * 7-2",
            "0 15 10 L-2 * ?",
            "0 15 10 LW * ?",
            "0 0 12 * * ? 2026",
            "0 0 12 1 * 2",
            "0 0 12 ? * 0",
            "0 12 * * ?",
        ],
    );
    assert_snapshot!(rows, @r#"
    0 0 12 * * ?
      At 12:00 every day, UTC
      2026-01-02T12:00:00Z 2026-01-03T12:00:00Z 2026-01-04T12:00:00Z
    0 0 0/1 1/1 * ? *
      At minute 0 of every hour, UTC
      2026-01-01T13:00:00Z 2026-01-01T14:00:00Z 2026-01-01T15:00:00Z
    0 15 10 ? * 2-6
      At 10:15 on Monday to Friday, UTC
      2026-01-02T10:15:00Z 2026-01-05T10:15:00Z 2026-01-06T10:15:00Z
    0 15 10 ? * 6L
      At 10:15 on the last Friday of each month, UTC
      2026-01-30T10:15:00Z 2026-02-27T10:15:00Z 2026-03-27T10:15:00Z
    0 15 10 ? * 6#3
      At 10:15 on the third Friday of each month, UTC
      2026-01-16T10:15:00Z 2026-02-20T10:15:00Z 2026-03-20T10:15:00Z
    0 15 10 ? * L
      At 10:15 on Saturday, UTC
      2026-01-03T10:15:00Z 2026-01-10T10:15:00Z 2026-01-17T10:15:00Z
    0 15 10 ? * 7-2
      At 10:15 on Monday, Saturday and Sunday, UTC
      2026-01-03T10:15:00Z 2026-01-04T10:15:00Z 2026-01-05T10:15:00Z
    0 15 10 L-2 * ?
      At 10:15 on the third-to-last day of each month, UTC
      2026-01-29T10:15:00Z 2026-02-26T10:15:00Z 2026-03-29T10:15:00Z
    0 15 10 LW * ?
      At 10:15 on the last weekday of each month, UTC
      2026-01-30T10:15:00Z 2026-02-27T10:15:00Z 2026-03-31T10:15:00Z
    0 0 12 * * ? 2026
      cron: the year field takes *, not "2026": bound the job by startTime and endTime instead
    0 0 12 1 * 2
      cron: Quartz takes a day of month or a weekday: write ? for the one that does not matter
    0 0 12 ? * 0
      cron: the weekday field takes 1 to 7 or a name such as sun, not "0"
    0 12 * * ?
      cron: an expression of Quartz has six fields (second, minute, hour, day of month, month, weekday) or seven with the year last, not 5
    "#);
}

#[test]
fn refused() {
    let rows = table(
        CronDialect::Debian,
        &[
            "0 0 12 * * ? *",
            "0 0 12 * * ? 2026",
            "0 15 10 ? * 6#3",
            "0 10 ? * 2-6",
            "0 10 ? * mon-6",
            "0 10 * * ? *",
            "? * * * *",
            "@reboot",
            "@every 5m",
            "@noon",
            "*/90 * * * *",
            "*/0 * * * *",
            "0 9 W * *",
            "0 9 1-5W * *",
            "0 9 32W * *",
            "0 9 L-31 * *",
            "0 9 LL * *",
            "0 9 * * L",
            "0 9 * * 15W",
            "CRON_TZ=UTC 0 9 * * *",
        ],
    );
    assert_snapshot!(rows, @r#"
    0 0 12 * * ? *
      cron: seven fields are Quartz's: set cronDialect to "quartz"
    0 0 12 * * ? 2026
      cron: seven fields are Quartz's: set cronDialect to "quartz"; and a year cannot be kept: use startTime and endTime
    0 15 10 ? * 6#3
      cron: ? comes from Quartz, where weekdays count from 1 = Sunday, and here they count from 0 = Sunday: set cronDialect to "quartz", or write the weekday by name
    0 10 ? * 2-6
      cron: ? comes from Quartz, where weekdays count from 1 = Sunday, and here they count from 0 = Sunday: set cronDialect to "quartz", or write the weekday by name
    0 10 ? * mon-6
      cron: ? comes from Quartz, where weekdays count from 1 = Sunday, and here they count from 0 = Sunday: set cronDialect to "quartz", or write the weekday by name
    0 10 * * ? *
      cron: the month field takes * for any value; ? stands alone for the day of month or the weekday, the fourth and sixth of six fields, which begin with seconds
    ? * * * *
      cron: the minute field takes * for any value; ? stands alone for the day of month or the weekday, the fourth and sixth of six fields, which begin with seconds
    @reboot
      cron: @reboot means the start of a machine, and a job here belongs to no machine: name the times, or start the job with run
    @every 5m
      cron: an interval has members of its own: frequency and interval, without cron
    @noon
      cron: "@noon" is not known: use @yearly, @monthly, @weekly, @daily or @hourly, or five or six fields
    */90 * * * *
      cron: the minute field takes a step from 1 to 60 after /, not "90"; every 90 minutes is frequency Minute with interval 90, without cron
    */0 * * * *
      cron: the minute field takes a step from 1 to 60 after /, not "0"
    0 9 W * *
      cron: the day of month field takes W only after a day of the month: 15W, or LW
    0 9 1-5W * *
      cron: the day of month field takes 1 to 31, not "1-5"
    0 9 32W * *
      cron: the day of month field takes 1 to 31, not "32"
    0 9 L-31 * *
      cron: the day of month field takes L or L-1 to L-30 for days before the last, not "L-31"
    0 9 LL * *
      cron: the day of month field takes L or L-1 to L-30 for days before the last, not "LL"
    0 9 * * L
      cron: the weekday field takes L only as a day of the month, or after a weekday: 5L
    0 9 * * 15W
      cron: the weekday field takes 0 to 7 or a name such as sun, not "15W"
    CRON_TZ=UTC 0 9 * * *
      cron: the time zone has a member of its own: timeZone
    "#);
}
