//! Only when.

use insta::assert_snapshot;

use super::check_timing;

#[test]
fn whatever_holds_a_start_and_a_recurrence() {
    assert_snapshot!(check_timing(r#"{"startTime": "2030-01-01", "recurrence": {"frequency": "Day"}}"#), @"
    from 2030-01-01T00:00:00Z
    Every(Every { frequency: Day, interval: 1, schedule: None })
    ");
    assert_snapshot!(check_timing(r#"{"properties": {"startTime": "2030-01-01", "recurrence": {"frequency": "Day"}, "state": "Enabled"}}"#), @"
    from 2030-01-01T00:00:00Z
    Every(Every { frequency: Day, interval: 1, schedule: None })
    ");
    assert_snapshot!(check_timing(r#"{"name": "c/j", "properties": {"action": {"request": {"uri": "https://example.com"}}, "recurrence": {"cron": "@hourly"}}}"#), @r#"Cron(Cron { text: "@hourly", dialect: Debian, fields: CronFields { seconds: 1, minutes: 1, hours: 16777215, every_hour: true, months: MonthSet(4095), days: Named(MonthDays { from_start: 4294967294, from_end: 0, weekdays: [0, 0, 0, 0, 0], weekdays_from_end: [0, 0, 0, 0, 0], nearest: 0, nearest_from_end: 0 }) } })"#);
    assert_snapshot!(check_timing(r#"{"recurrence": {"frequency": "Day"}, "retryPolicy": {"retryType": "None"}, "action": {"request": {"uri": "https://example.com"}}}"#), @"
    Every(Every { frequency: Day, interval: 1, schedule: None })
    ! retryPolicy: taken as action.retryPolicy
    ");
    assert_snapshot!(check_timing(r#"{"recurrence": {"frequency": "Day"}, "retryPolicy": {"retryType": "None"}, "colour": "red"}"#), @"
    Every(Every { frequency: Day, interval: 1, schedule: None })
    ! colour: ignored: it means nothing here
    ");
    assert_snapshot!(check_timing("{}"), @"");
    assert_snapshot!(check_timing(r#"{"properties": {}}"#), @"");
}

#[test]
fn an_action_that_is_there_must_be_right() {
    assert_snapshot!(check_timing(r#"{"startTime": "2030-01-01", "action": {"request": {}}}"#), @"✗ action.request.uri: given nothing, expected the address to call, such as https://example.com/path");
    assert_snapshot!(check_timing(r#"{"properties": {"action": {}, "recurrence": {"frequency": "often"}, "options": {"timeout": 1}}}"#), @r#"
    ✗ properties.recurrence.frequency: given "often", expected one of Minute, Hour, Day, Week, Month, Year
    ✗ properties.action.request: given nothing, expected what the job does: an object with request, queueMessage, serviceBusQueueMessage or serviceBusTopicMessage
    ✗ properties.options.timeout: given 1, expected a duration such as 30s, PT30S, P1DT12H or 00:00:30, as a text in quotes
    "#);
}

#[test]
fn a_start_in_a_gap_is_moved() {
    assert_snapshot!(check_timing(r#"{"startTime": "2026-03-08T02:15:00", "recurrence": {"frequency": "daily", "timeZone": "America/New_York"}}"#), @r#"
    from 2026-03-08T07:15:00Z
    Every(Every { frequency: Day, interval: 1, schedule: None })
    zone Some("America/New_York"), count None, end None
    ! recurrence.frequency: taken as Day
    ! startTime: 2026-03-08 02:15:00 does not exist in America/New_York; moved to 2026-03-08 03:15:00, 2026-03-08T07:15:00Z
    "#);
}

#[test]
fn what_is_no_object() {
    assert_snapshot!(check_timing("[]"), @"✗ given a list of 0, expected an object in braces");
    assert_snapshot!(check_timing(r#"{"properties": 5}"#), @"✗ properties: given 5, expected an object in braces");
}
