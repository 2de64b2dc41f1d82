//! `punctual next`.

use insta::assert_snapshot;

use super::punctual;

const JOB: &str = r#"{
    // Comments and trailing commas are fine in a file.
    "startTime": "2012-08-04T00:00Z",
    "action": { "type": "http", "request": { "uri": "http://contoso.com/foo", "method": "PUT", "body": "x", }, },
    "recurrence": {
        "frequency": "week", "interval": 1,
        "schedule": { "weekDays": ["monday", "wednesday", "friday"], "hours": [10, 22] },
        "count": 10,
        "endTime": "2012-11-04",
    },
    "state": "disabled",
}"#;

fn next(arguments: &str, stdin: &str) -> String {
    let arguments: Vec<_> = ["next"].into_iter().chain(arguments.split('|').filter(|part| !part.is_empty())).collect();
    punctual(&arguments, stdin)
}

#[test]
fn of_a_whole_job() {
    assert_snapshot!(next("-|--now|2012-08-01", JOB), @"
    -- stdout
    At 10:00 and 22:00 on Monday, Wednesday and Friday, UTC, 10 times, until 2012-11-04T00:00:00Z

    UTC
    2012-08-06T10:00:00Z
    2012-08-06T22:00:00Z
    2012-08-08T10:00:00Z
    2012-08-08T22:00:00Z
    2012-08-10T10:00:00Z
    2012-08-10T22:00:00Z
    2012-08-13T10:00:00Z
    2012-08-13T22:00:00Z
    2012-08-15T10:00:00Z
    2012-08-15T22:00:00Z

    Then never again: ended by count.
    -- stderr
    warning: state: the job is Disabled; this is when it would run if it were enabled
    -- exit status 0
    ");
}

#[test]
fn of_a_resource_in_json() {
    let resource = format!(r#"{{"id": "/x", "name": "c/j", "type": "t", "properties": {JOB}}}"#);
    assert_snapshot!(next("-|--now|2012-08-20|--count|2|--output|json", &resource), @r#"
    -- stdout
    {
      "description": "At 10:00 and 22:00 on Monday, Wednesday and Friday, UTC, 10 times, until 2012-11-04T00:00:00Z",
      "occurrences": [
        "2012-08-20T10:00:00Z",
        "2012-08-20T22:00:00Z"
      ],
      "ends": null,
      "warnings": [
        "properties.state: the job is Disabled; this is when it would run if it were enabled"
      ]
    }
    -- exit status 0
    "#);
}

#[test]
fn of_a_start_and_a_recurrence_alone() {
    let timing = r#"{"startTime": "2015-07-13T00:00:00Z", "recurrence": {"frequency": "Week"}}"#;
    assert_snapshot!(next("-|--now|2016-03-30T19:36Z|--count|1|--output|json", timing), @r#"
    -- stdout
    {
      "description": "At 00:00 on Monday, UTC",
      "occurrences": [
        "2016-04-04T00:00:00Z"
      ],
      "ends": null,
      "warnings": []
    }
    -- exit status 0
    "#);
}

#[test]
fn of_a_job_that_runs_once() {
    assert_snapshot!(next("--start|2026-05-01T10:00+02:00|--now|2026-01-01|--zone|W. Europe Standard Time", ""), @"
    -- stdout
    Once, at 2026-05-01T08:00:00Z

    UTC                   Europe/Berlin
    2026-05-01T08:00:00Z  Fri 2026-05-01 10:00:00 +02:00
    -- exit status 0
    ");
    assert_snapshot!(next("-|--now|2026-01-01T00:00:00.25Z|--output|json", "{}"), @r#"
    -- stdout
    {
      "description": "Once, at 2026-01-01T00:00:00.25Z",
      "occurrences": [
        "2026-01-01T00:00:00.25Z"
      ],
      "ends": null,
      "warnings": []
    }
    -- exit status 0
    "#);
}

#[test]
fn of_cron_expressions_that_are_not_what_they_look_like() {
    assert_snapshot!(next("--cron|0 15 10 ? * 6#3 *|--cron-dialect|Quartz|--now|2026-03-28|--count|1", ""), @"
    -- stdout
    At 10:15 on the third Friday of each month, UTC

    UTC
    2026-04-17T10:15:00Z
    -- exit status 0
    ");
    assert_snapshot!(next("--cron|0 15 10 ? * 6#3 *|--now|2026-03-28", ""), @r#"
    -- stderr
    error: --cron: seven fields are Quartz's: set cronDialect to "quartz"
    -- exit status 2
    "#);
    assert_snapshot!(next("--cron|0 0 1 * *|--cron-dialect|spring|--now|2026-03-28", ""), @r#"
    -- stderr
    error: --cron-dialect: given "spring", expected debian or quartz
    -- exit status 2
    "#);
    assert_snapshot!(next("--cron|*/45 * * * *|--now|2026-03-28|--count|2", ""), @"
    -- stdout
    At minutes 0 and 45 of every hour, UTC

    UTC
    2026-03-28T00:45:00Z
    2026-03-28T01:00:00Z
    -- stderr
    warning: recurrence.cron: */45 in the minute field is not every 45 minutes: after 45 comes 0, 15 minutes later; every 45 minutes is frequency Minute with interval 45, without cron
    -- exit status 0
    ");
}

#[test]
fn of_a_cron_expression_over_the_change_to_summer_time() {
    assert_snapshot!(next("--cron|30 2 * * *|--time-zone|Europe/Berlin|--now|2026-03-28|--count|3", ""), @"
    -- stdout
    At 02:30 every day, Europe/Berlin

    UTC                   Europe/Berlin
    2026-03-28T01:30:00Z  Sat 2026-03-28 02:30:00 +01:00
    2026-03-29T01:30:00Z  Sun 2026-03-29 03:30:00 +02:00
    2026-03-30T00:30:00Z  Mon 2026-03-30 02:30:00 +02:00
    -- exit status 0
    ");
}

#[test]
fn of_an_interval() {
    assert_snapshot!(next("--every|2 days|--start|2015-04-07T14:00Z|--now|2015-04-08T13:00Z|--count|3", ""), @"
    -- stdout
    At 14:00 every 2 days, UTC

    UTC
    2015-04-09T14:00:00Z
    2015-04-11T14:00:00Z
    2015-04-13T14:00:00Z
    -- exit status 0
    ");
}

#[test]
fn a_zone_beside_utc_does_not_move_the_rule() {
    assert_snapshot!(next("--cron|0 5 * * *|--zone|Asia/Kathmandu|--now|2026-01-01|--count|1", ""), @"
    -- stdout
    At 05:00 every day, UTC

    UTC                   Asia/Kathmandu
    2026-01-01T05:00:00Z  Thu 2026-01-01 10:45:00 +05:45
    -- stderr
    note: --zone only shows the times; the rule itself is in UTC, unless --time-zone says otherwise
    -- exit status 0
    ");
}

#[test]
fn within_a_range() {
    assert_snapshot!(next("--every|day|--now|2026-01-01|--from|2026-02-27|--to|2026-03-01|--output|json", ""), @r#"
    -- stdout
    {
      "description": "At 00:00 every day, UTC",
      "occurrences": [
        "2026-02-27T00:00:00Z",
        "2026-02-28T00:00:00Z",
        "2026-03-01T00:00:00Z"
      ],
      "ends": null,
      "warnings": []
    }
    -- exit status 0
    "#);
    assert_snapshot!(next("--every|month|--now|2026-01-01|--from|2026-02-02|--to|2026-02-27", ""), @"
    -- stdout
    At 00:00 on the 1st of each month, UTC

    None in this range.
    -- exit status 0
    ");
    assert_snapshot!(next("--every|1m|--now|2026-01-01|--to|2026-01-01T00:09Z|--count|3", ""), @"
    -- stdout
    Every minute, counted from 2026-01-01T00:00:00Z

    UTC
    2026-01-01T00:00:00Z
    2026-01-01T00:01:00Z
    2026-01-01T00:02:00Z
    -- stderr
    warning: count: up to the end of the range there are more, not shown: 7
    -- exit status 0
    ");
}

#[test]
fn up_to_the_end() {
    let counted = r#"{"startTime": "2026-01-01", "recurrence": {"frequency": "Day", "count": 3}}"#;
    assert_snapshot!(next("-|--now|2025-12-31", counted), @"
    -- stdout
    At 00:00 every day, UTC, 3 times

    UTC
    2026-01-01T00:00:00Z
    2026-01-02T00:00:00Z
    2026-01-03T00:00:00Z

    Then never again: ended by count.
    -- exit status 0
    ");
    assert_snapshot!(next("-|--now|2025-12-31|--from|2026-01-03|--output|json", counted), @r#"
    -- stdout
    {
      "description": "At 00:00 every day, UTC, 3 times",
      "occurrences": [
        "2026-01-03T00:00:00Z"
      ],
      "ends": "count",
      "warnings": []
    }
    -- exit status 0
    "#);
    assert_snapshot!(next("-|--now|2025-12-31|--from|2026-01-04", counted), @"
    -- stdout
    At 00:00 every day, UTC, 3 times

    None in this range: ended by count.
    -- exit status 0
    ");
    let past = r#"{"startTime": "2026-01-01", "recurrence": {"frequency": "Day", "endTime": "2026-02-01"}}"#;
    assert_snapshot!(next("-|--now|2026-03-01|--output|json", past), @r#"
    -- stdout
    {
      "description": "At 00:00 every day, UTC, until 2026-02-01T00:00:00Z",
      "occurrences": [],
      "ends": "endTime",
      "warnings": [
        "recurrence.endTime: no occurrence is left up to 2026-02-01T00:00:00Z"
      ]
    }
    -- exit status 0
    "#);
    assert_snapshot!(next("-|--now|2026-01-31", past), @"
    -- stdout
    At 00:00 every day, UTC, until 2026-02-01T00:00:00Z

    UTC
    2026-02-01T00:00:00Z

    Then never again: ended by endTime.
    -- exit status 0
    ");
}

#[test]
fn what_was_bent_is_said() {
    let bent = r#"{"startTime": "2026-03-29T02:30", "extra": 1,
        "recurrence": {"frequency": "daily", "interval": "2", "timeZone": "Europe/Berlin", "schedule": {"minute": 15}}}"#;
    assert_snapshot!(next("-|--now|2026-03-01|--count|2", bent), @r#"
    -- stdout
    At minute 15 of every hour every 2 days, Europe/Berlin

    UTC                   Europe/Berlin
    2026-03-29T02:15:00Z  Sun 2026-03-29 04:15:00 +02:00
    2026-03-29T03:15:00Z  Sun 2026-03-29 05:15:00 +02:00
    -- stderr
    warning: recurrence.frequency: taken as Day
    warning: recurrence.interval: the text "2" was taken as the number 2
    warning: recurrence.schedule.minute: taken as minutes
    warning: recurrence.schedule.minutes: not a list; taken as a list of one
    warning: startTime: 2026-03-29 02:30:00 does not exist in Europe/Berlin; moved to 2026-03-29 03:30:00, 2026-03-29T01:30:00Z
    warning: extra: ignored: it means nothing here
    -- exit status 0
    "#);
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let wrong = r#"{
        "startTime": "tomorrow",
        "action": {"request": {"uri": "ftp://example.com", "headers": {"Host": "x"}}},
        "recurrence": {"frequency": "Day", "interval": 549, "weekDays": ["monday"], "count": 0, "timeZone": "Mars",
            "schedule": {"hours": [24], "minutes": ["x"], "monthDays": [0, 32]}}
    }"#;
    assert_snapshot!(next("-", wrong), @r#"
    -- stderr
    error: startTime: given "tomorrow", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00
    error: recurrence.schedule.minutes[0]: given "x", expected a whole number
    error: recurrence.interval: given 549, expected 1 to 548 with frequency Day
    error: recurrence.schedule.hours[0]: given 24, expected 0 to 23; 0 is midnight
    error: recurrence.schedule.monthDays[0]: given 0, expected 1 to 31, or -1 to -31
    error: recurrence.schedule.monthDays[1]: given 32, expected 1 to 31, or -1 to -31
    error: recurrence.schedule.monthDays: given frequency Day, expected monthDays only with frequency Month or Year
    error: recurrence.count: given 0, expected 1 to 2147483647
    error: recurrence.timeZone: given "Mars", expected an IANA or Windows time zone name such as Europe/Prague or Central Europe Standard Time
    error: recurrence.weekDays: move weekDays into recurrence.schedule
    error: action.request.uri: given "ftp://example.com", expected a scheme of http or https
    error: action.request.headers.Host: this must be a header of the request; those of the connection are set by the sender
    -- exit status 2
    "#);
}

#[test]
fn what_never_matches_is_refused() {
    let never = r#"{"recurrence": {"frequency": "Month", "schedule": {"monthDays": [30], "months": [2]}}}"#;
    assert_snapshot!(next("-|--now|2026-01-01", never), @"
    -- stderr
    error: recurrence: given a rule that matches no date up to the year 9999, expected days and times that exist together
    -- exit status 2
    ");
    assert_snapshot!(next("--cron|0 0 30 2 *|--now|2026-01-01", never), @"
    -- stderr
    error: --cron: given a rule that matches no date up to the year 9999, expected days and times that exist together
    -- exit status 2
    ");
}

#[test]
fn wrong_arguments_are_named() {
    assert_snapshot!(next("--now|now|--from|2026-02-30|--zone|Nowhere|--every|day", ""), @r#"
    -- stderr
    error: --now: given "now", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00
    error: --from: given "2026-02-30", expected a day of February 2026 from 1 to 28, not 30
    error: --zone: given "Nowhere", expected an IANA or Windows time zone name such as Europe/Prague or Central Europe Standard Time
    -- exit status 2
    "#);
    assert_snapshot!(next("--every|day|--from|2026-02-02|--to|2026-02-01", ""), @"
    -- stderr
    error: --to: given 2026-02-01T00:00:00Z, expected an instant not before --from, 2026-02-02T00:00:00Z
    -- exit status 2
    ");
    assert_snapshot!(next("--cron|0 5 * *", ""), @"
    -- stderr
    error: --cron: an expression has five fields (minute, hour, day of month, month, weekday) or six with seconds first, not 4
    -- exit status 2
    ");
    assert_snapshot!(next("--every|1001h|--time-zone|Nowhere", ""), @r#"
    -- stderr
    error: --every: given 1001, expected 1 to 1000 with frequency Hour
    error: --time-zone: given "Nowhere", expected an IANA or Windows time zone name such as Europe/Prague or Central Europe Standard Time
    -- exit status 2
    "#);
    assert_snapshot!(next("--every|fortnight", ""), @r#"
    -- stderr
    error: --every: given "fortnight", expected a number and a unit such as 15m, 2 hours, day, 3 weeks, 6 months or year
    -- exit status 2
    "#);
    assert_snapshot!(next("", ""), @"
    -- stderr
    error: given nothing, expected a FILE (- for standard input), --cron, --every or --start
    -- exit status 2
    ");
    assert_snapshot!(next("no-such-file.json", ""), @r#"
    -- stderr
    error: "no-such-file.json": no such file
    -- exit status 3
    "#);
    assert_snapshot!(next("-", "{\n  \"startTime\": \n}"), @"
    -- stderr
    error: -: no JSON from line 3, column 1 on: expected value
    -- exit status 2
    ");
    assert_snapshot!(next("-", "{\"frequency\": \"day\"}"), @"
    -- stderr
    error: this is no job: send a job, its properties, or startTime and recurrence
    error: frequency: move frequency into recurrence
    -- exit status 2
    ");
    assert_snapshot!(next("--cron|0 8 32 * *|--time-zone|X|--start|bogus|--now|never", ""), @r#"
    -- stderr
    error: --now: given "never", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00
    error: --cron: the day of month field takes 1 to 31, not "32"
    error: --time-zone: given "X", expected an IANA or Windows time zone name such as Europe/Prague or Central Europe Standard Time
    error: --start: given "bogus", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00
    -- exit status 2
    "#);
    assert_snapshot!(next("--start|2026-04-07T14:00|--time-zone|Europe/Prague|--now|2026-01-01", ""), @"
    -- stdout
    Once, at 2026-04-07T12:00:00Z

    UTC
    2026-04-07T12:00:00Z
    -- exit status 0
    ");
    assert_snapshot!(next("-|--every|day", ""), @"
    -- stderr
    error: the argument '[FILE]' cannot be used with '--every <INTERVAL>'

    Usage: punctual next <FILE>

    For more information, try '--help'.
    -- exit status 2
    ");
}
