use insta::assert_snapshot;

use super::Table;

#[tokio::test]
async fn cron() {
    let mut table = Table::new().await;
    for cron in [
        "",
        " ",
        "5",
        "* * * *",
        "* * * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * 32 * *",
        "* * * 13 *",
        "* * * * 8",
        "*/0 * * * *",
        "5-1 * * * *",
        "a * * * *",
        "* * * foo *",
        "@never",
        "@reboot",
        "0 0 30 2 *",
        "1,,2 * * * *",
        "-5 * * * *",
        "* * * * 1#6",
        "* * ? * L W",
        "60 * * * * *",
        "99999999999999999999 * * * *",
    ] {
        table.recurrence(&format!(r#"{{"cron": {cron:?}}}"#), "recurrence").await;
    }
    for (sent, field) in [
        (r#"{"cron": 5}"#, "recurrence.cron"),
        (r#"{"cron": ["* * * * *"]}"#, "recurrence.cron"),
        (r#"{"cron": "* * * * *", "frequency": "day"}"#, "recurrence"),
        (r#"{"cron": "* * * * *", "interval": 2}"#, "recurrence"),
        (r#"{"cron": "* * * * *", "schedule": {"hours": [5]}}"#, "recurrence"),
    ] {
        table.recurrence(sent, field).await;
    }
    table.recurrence(&format!(r#"{{"cron": "{} * * * *"}}"#, ["1"; 500].join(",")), "recurrence.cron").await;
    let rows = table.finish().await;
    assert_snapshot!(rows.replace(r#"{"recurrence": "#, ""), @r#"
    {"cron": ""}}
      -> properties.recurrence.cron: Given "", expected five fields (minute, hour, day of month, month, weekday) or six with seconds first, not 0.
    {"cron": " "}}
      -> properties.recurrence.cron: Given " ", expected five fields (minute, hour, day of month, month, weekday) or six with seconds first, not 0.
    {"cron": "5"}}
      -> properties.recurrence.cron: Given "5", expected five fields (minute, hour, day of month, month, weekday) or six with seconds first, not 1.
    {"cron": "* * * *"}}
      -> properties.recurrence.cron: Given "* * * *", expected five fields (minute, hour, day of month, month, weekday) or six with seconds first, not 4.
    {"cron": "* * * * * * *"}}
      -> properties.recurrence.cron: Given "* * * * * * *", expected five fields (minute, hour, day of month, month, weekday) or six with seconds first, not 7.
    {"cron": "60 * * * *"}}
      -> properties.recurrence.cron: Given "60 * * * *", expected in the minute field 0 to 59, not "60".
    {"cron": "* 24 * * *"}}
      -> properties.recurrence.cron: Given "* 24 * * *", expected in the hour field 0 to 23, not "24".
    {"cron": "* * 0 * *"}}
      -> properties.recurrence.cron: Given "* * 0 * *", expected in the day of month field 1 to 31, not "0".
    {"cron": "* * 32 * *"}}
      -> properties.recurrence.cron: Given "* * 32 * *", expected in the day of month field 1 to 31, not "32".
    {"cron": "* * * 13 *"}}
      -> properties.recurrence.cron: Given "* * * 13 *", expected in the month field 1 to 12 or a name such as jan, not "13".
    {"cron": "* * * * 8"}}
      -> properties.recurrence.cron: Given "* * * * 8", expected in the weekday field 0 to 7 or a name such as sun, not "8".
    {"cron": "*/0 * * * *"}}
      -> properties.recurrence.cron: Given "*/0 * * * *", expected in the minute field a step from 1 to 60 after /.
    {"cron": "5-1 * * * *"}}
      -> properties.recurrence.cron: Given "5-1 * * * *", expected in the minute field a range that goes up, not 5-1.
    {"cron": "a * * * *"}}
      -> properties.recurrence.cron: Given "a * * * *", expected in the minute field 0 to 59, not "a".
    {"cron": "* * * foo *"}}
      -> properties.recurrence.cron: Given "* * * foo *", expected in the month field 1 to 12 or a name such as jan, not "foo".
    {"cron": "@never"}}
      -> properties.recurrence.cron: Given "@never", expected @yearly, @monthly, @weekly, @daily or @hourly, or five or six fields.
    {"cron": "@reboot"}}
      -> properties.recurrence.cron: Given "@reboot", expected @yearly, @monthly, @weekly, @daily or @hourly, or five or six fields.
    {"cron": "0 0 30 2 *"}}
      -> properties.recurrence: Given a rule that matches no date up to the year 9999, expected days and times that exist together.
    {"cron": "1,,2 * * * *"}}
      -> properties.recurrence.cron: Given "1,,2 * * * *", expected in the minute field a value before and after each comma and hyphen, without blanks.
    {"cron": "-5 * * * *"}}
      -> properties.recurrence.cron: Given "-5 * * * *", expected in the minute field a value before and after each comma and hyphen, without blanks.
    {"cron": "* * * * 1#6"}}
      -> properties.recurrence.cron: Given "* * * * 1#6", expected in the weekday field a number from 1 to 5 after #.
    {"cron": "* * ? * L W"}}
      -> properties.recurrence.cron: Given "* * ? * L W", expected in the hour field * for any value, not "?".
    {"cron": "60 * * * * *"}}
      -> properties.recurrence.cron: Given "60 * * * * *", expected in the second field 0 to 59, not "60".
    {"cron": "99999999999999999999 * * * *"}}
      -> properties.recurrence.cron: Given "99999999999999999999 * * * *", expected in the minute field 0 to 59, not "99999999999999999999".
    {"cron": 5}}
      -> properties.recurrence.cron: Given 5, expected a text in quotes.
    {"cron": ["* * * * *"]}}
      -> properties.recurrence.cron: Given a list of 1, expected a text in quotes.
    {"cron": "* * * * *", "frequency": "day"}}
      -> properties.recurrence.frequency: Cron and frequency exclude each other: keep one.
    {"cron": "* * * * *", "interval": 2}}
      -> properties.recurrence.interval: Cron and interval exclude each other: keep one.
    {"cron": "* * * * *", "schedule": {"hours": [5]}}}
      -> properties.recurrence.schedule: Cron and schedule exclude each other: keep one.
    {"cron": "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1…
      -> properties.recurrence.cron: Given "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1…, expected at most 1000 characters.
    "#);
}
