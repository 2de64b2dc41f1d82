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
        "5-61 * * * *",
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
        "0 0 12 * * ? 2027",
        "0 10 ? * 2",
    ] {
        table.recurrence(&format!(r#"{{"cron": {cron:?}}}"#), "recurrence").await;
    }
    for (sent, field) in [
        (r#"{"cron": 5}"#, "recurrence.cron"),
        (r#"{"cron": ["* * * * *"]}"#, "recurrence.cron"),
        (r#"{"cron": "* * * * *", "frequency": "day"}"#, "recurrence"),
        (r#"{"cron": "* * * * *", "interval": 2}"#, "recurrence"),
        (r#"{"cron": "* * * * *", "cronDialect": "spring"}"#, "recurrence"),
        (r#"{"cron": "0 0 12 * * ? 2027", "cronDialect": "quartz"}"#, "recurrence"),
        (r#"{"frequency": "day", "cronDialect": "quartz"}"#, "recurrence"),
        (r#"{"cron": "* * * * *", "schedule": {"hours": [5]}}"#, "recurrence"),
    ] {
        table.recurrence(sent, field).await;
    }
    table.recurrence(&format!(r#"{{"cron": "{} * * * *"}}"#, ["1"; 500].join(",")), "recurrence.cron").await;
    let rows = table.finish().await;
    assert_snapshot!(rows.replace(r#"{"recurrence": "#, ""), @r#"
    {"cron": ""}}
      -> properties.recurrence.cron: An expression has five fields (minute, hour, day of month, month, weekday) or six with seconds first, not 0.
    {"cron": " "}}
      -> properties.recurrence.cron: An expression has five fields (minute, hour, day of month, month, weekday) or six with seconds first, not 0.
    {"cron": "5"}}
      -> properties.recurrence.cron: An expression has five fields (minute, hour, day of month, month, weekday) or six with seconds first, not 1.
    {"cron": "* * * *"}}
      -> properties.recurrence.cron: An expression has five fields (minute, hour, day of month, month, weekday) or six with seconds first, not 4.
    {"cron": "* * * * * * *"}}
      -> properties.recurrence.cron: Seven fields are Quartz's: set cronDialect to "quartz".
    {"cron": "60 * * * *"}}
      -> properties.recurrence.cron: The minute field takes 0 to 59, not "60".
    {"cron": "* 24 * * *"}}
      -> properties.recurrence.cron: The hour field takes 0 to 23, not "24".
    {"cron": "* * 0 * *"}}
      -> properties.recurrence.cron: The day of month field takes 1 to 31, not "0".
    {"cron": "* * 32 * *"}}
      -> properties.recurrence.cron: The day of month field takes 1 to 31, not "32".
    {"cron": "* * * 13 *"}}
      -> properties.recurrence.cron: The month field takes 1 to 12 or a name such as jan, not "13".
    {"cron": "* * * * 8"}}
      -> properties.recurrence.cron: The weekday field takes 0 to 7 or a name such as sun, not "8".
    {"cron": "*/0 * * * *"}}
      -> properties.recurrence.cron: The minute field takes a step from 1 to 60 after /, not "0".
    {"cron": "5-61 * * * *"}}
      -> properties.recurrence.cron: The minute field takes 0 to 59, not "61".
    {"cron": "a * * * *"}}
      -> properties.recurrence.cron: The minute field takes 0 to 59, not "a".
    {"cron": "* * * foo *"}}
      -> properties.recurrence.cron: The month field takes 1 to 12 or a name such as jan, not "foo".
    {"cron": "@never"}}
      -> properties.recurrence.cron: "@never" is not known: use @yearly, @monthly, @weekly, @daily or @hourly, or five or six fields.
    {"cron": "@reboot"}}
      -> properties.recurrence.cron: @reboot means the start of a machine, and a job here belongs to no machine: name the times, or start the job with run.
    {"cron": "0 0 30 2 *"}}
      -> properties.recurrence: Given a rule that matches no date up to the year 9999, expected days and times that exist together.
    {"cron": "1,,2 * * * *"}}
      -> properties.recurrence.cron: The minute field takes a value before and after each comma and hyphen, without blanks.
    {"cron": "-5 * * * *"}}
      -> properties.recurrence.cron: The minute field takes a value before and after each comma and hyphen, without blanks.
    {"cron": "* * * * 1#6"}}
      -> properties.recurrence.cron: The weekday field takes a number from 1 to 5 after #.
    {"cron": "* * ? * L W"}}
      -> properties.recurrence.cron: The hour field takes * for any value; ? stands alone for the day of month or the weekday, the fourth and sixth of six fields, which begin with seconds.
    {"cron": "60 * * * * *"}}
      -> properties.recurrence.cron: The second field takes 0 to 59, not "60".
    {"cron": "99999999999999999999 * * * *"}}
      -> properties.recurrence.cron: The minute field takes 0 to 59, not "99999999999999999999".
    {"cron": "0 0 12 * * ? 2027"}}
      -> properties.recurrence.cron: Seven fields are Quartz's: set cronDialect to "quartz"; and a year cannot be kept: use startTime and endTime.
    {"cron": "0 10 ? * 2"}}
      -> properties.recurrence.cron: ? comes from Quartz, where weekdays count from 1 = Sunday, and here they count from 0 = Sunday: set cronDialect to "quartz", or write the weekday by name.
    {"cron": 5}}
      -> properties.recurrence.cron: Given 5, expected a text in quotes.
    {"cron": ["* * * * *"]}}
      -> properties.recurrence.cron: Given a list of 1, expected a text in quotes.
    {"cron": "* * * * *", "frequency": "day"}}
      -> properties.recurrence.frequency: Cron and frequency exclude each other: keep one.
    {"cron": "* * * * *", "interval": 2}}
      -> properties.recurrence.interval: Cron and interval exclude each other: keep one.
    {"cron": "* * * * *", "cronDialect": "spring"}}
      -> properties.recurrence.cronDialect: Given "spring", expected one of debian, quartz.
    {"cron": "0 0 12 * * ? 2027", "cronDialect": "quartz"}}
      -> properties.recurrence.cron: The year field takes *, not "2027": bound the job by startTime and endTime instead.
    {"frequency": "day", "cronDialect": "quartz"}}
      -> properties.recurrence.cronDialect: It is the dialect of cron, and there is no cron.
    {"cron": "* * * * *", "schedule": {"hours": [5]}}}
      -> properties.recurrence.schedule: Cron and schedule exclude each other: keep one.
    {"cron": "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1…
      -> properties.recurrence.cron: An expression has at most 1000 characters, not 1007.
    "#);
}
