use insta::assert_snapshot;

use super::Table;

#[tokio::test]
async fn lists() {
    let mut table = Table::new().await;
    for (query, field) in [
        ("$top=0", "$top"),
        ("$top=501", "$top"),
        ("$top=-1", "$top"),
        ("$top=ten", "$top"),
        ("$top=", "$top"),
        ("$top=1.0", "$top"),
        ("%24top=99999999999", "$top"),
        ("$skip=-1", "$skip"),
        ("$skip=x", "$skip"),
        ("$skip=4294967296", "$skip"),
        ("$skiptoken=x", "$skiptoken"),
        ("$skiptoken=", "$skiptoken"),
        ("$skiptoken=YS9i", "$skiptoken"),
        ("$skiptoken=%FF", "$skiptoken"),
        ("$filter=state", "$filter"),
        ("$filter=state%20eq", "$filter"),
        ("$filter=state%20eq%20on", "$filter"),
        ("$filter=state%20ne%20Enabled", "$filter"),
        ("$filter=name%20eq%20j", "$filter"),
        ("$filter=state%20eq%20Enabled%20or%20state%20eq%20Disabled", "$filter"),
        ("$filter=state%20eq%20Enabled%20and%20state%20eq%20Disabled", "$filter"),
        ("$filter=state%20eq%20'Enabled", "$filter"),
        ("$filter=(state%20eq%20Enabled)", "$filter"),
    ] {
        let answer = table.server.get(&format!("/v1/collections/default/jobs?{query}")).await;
        table.add(query, field, &answer);
    }
    let long = format!("$filter={}", "x".repeat(501));
    let answer = table.server.get(&format!("/v1/collections/default/jobs?{long}")).await;
    table.add("a filter of 501 characters", "$filter", &answer);
    assert_snapshot!(table.finish().await, @r#"
    $top=0
      -> $top: Given "0", expected a whole number from 1 to 500.
    $top=501
      -> $top: Given "501", expected a whole number from 1 to 500.
    $top=-1
      -> $top: Given "-1", expected a whole number from 1 to 500.
    $top=ten
      -> $top: Given "ten", expected a whole number from 1 to 500.
    $top=
      -> $top: Given "", expected a whole number from 1 to 500.
    $top=1.0
      -> $top: Given "1.0", expected a whole number from 1 to 500.
    %24top=99999999999
      -> $top: Given "99999999999", expected a whole number from 1 to 500.
    $skip=-1
      -> $skip: Given "-1", expected a whole number from 0 to 4294967295.
    $skip=x
      -> $skip: Given "x", expected a whole number from 0 to 4294967295.
    $skip=4294967296
      -> $skip: Given "4294967296", expected a whole number from 0 to 4294967295.
    $skiptoken=x
      -> $skiptoken: This is no place in the list: follow nextLink as it was given.
    $skiptoken=
      -> $skiptoken: This is no place in the list: follow nextLink as it was given.
    $skiptoken=YS9i
      -> $skiptoken: This is no place in the list: follow nextLink as it was given.
    $skiptoken=%FF
      -> $skiptoken: This is no place in the list: follow nextLink as it was given.
    $filter=state
      -> $filter: Given state, expected state eq Enabled (or Disabled, Completed, Faulted).
    $filter=state%20eq
      -> $filter: Given state eq, expected state eq Enabled (or Disabled, Completed, Faulted).
    $filter=state%20eq%20on
      -> $filter: Given state eq on, expected state eq Enabled (or Disabled, Completed, Faulted).
    $filter=state%20ne%20Enabled
      -> $filter: Given state ne Enabled, expected state eq Enabled (or Disabled, Completed, Faulted).
    $filter=name%20eq%20j
      -> $filter: Given name eq j, expected state eq Enabled (or Disabled, Completed, Faulted).
    $filter=state%20eq%20Enabled%20or%20state%20eq%20Disabled
      -> $filter: Given state eq Enabled or state eq Disabled, expected state eq Enabled (or Disabled, Completed, Faulted).
    $filter=state%20eq%20Enabled%20and%20state%20eq%20Disabled
      -> $filter: Given state eq Disabled, expected only one such condition.
    $filter=state%20eq%20'Enabled
      -> $filter: Given 'Enabled, expected a second ' at the end of the value.
    $filter=(state%20eq%20Enabled)
      -> $filter: Given (state eq Enabled), expected state eq Enabled (or Disabled, Completed, Faulted).
    a filter of 501 characters
      -> $filter: Given 501 characters, expected at most 500 characters.
    "#);
}

#[tokio::test]
async fn others() {
    let mut table = Table::new().await;
    for (path, field) in [
        ("/v1/jobs/j/history?$filter=status%20eq%20Lost", "$filter"),
        ("/v1/jobs/j/history?$filter=startTime%20ge%20soon", "$filter"),
        ("/v1/jobs/j/history?$filter=startTime%20eq%202026-01-01", "$filter"),
        ("/v1/jobs/j/history?$filter=actionName%20eq%20Other", "$filter"),
        ("/v1/jobs/j/history?$top=501", "$top"),
        ("/v1/jobs/j/history?$skiptoken=YWJj", "$skiptoken"),
        ("/v1/collections?$top=0", "$top"),
        ("/v1/collections?$skiptoken=YWJj", "$skiptoken"),
        ("/v1/collections?group=a%2Fb", "group"),
        ("/v1/collections?subscription=", "subscription"),
        ("/subscriptions?api-version=2016-01-01&$top=x", "$top"),
        ("/subscriptions/s/resourceGroups?api-version=2016-01-01&$skip=x", "$skip"),
    ] {
        let answer = table.server.get(path).await;
        table.add(path, field, &answer);
    }
    for (query, body, field) in [
        ("?count=0", "{}", "count"),
        ("?count=1001", "{}", "count"),
        ("?from=soon", "{}", "from"),
        ("?to=2026-99-01", "{}", "to"),
        ("?from=2027-01-01&to=2026-01-01", "{}", "to"),
        ("", "", ""),
        ("", "[]", ""),
        ("", r#"{"frequency": "day"}"#, ""),
        ("", r#"{"recurrence": {"frequency": "x"}}"#, "recurrence.frequency"),
        (
            "",
            r#"{"properties": {"recurrence": {"frequency": "day", "schedule": {"hours": [25]}}}}"#,
            "properties.recurrence.schedule.hours[0]",
        ),
        ("", r#"{"properties": {"action": {"request": {}}}}"#, "properties.action.request.uri"),
    ] {
        let answer = table.server.call("POST", &format!("/v1/preview{query}")).body(body).send().await;
        table.add(&format!("POST /v1/preview{query} {body}"), field, &answer);
    }
    let answer = table.server.post("/v1/secrets/rotate?continue=x").await;
    table.add("POST /v1/secrets/rotate?continue=x", "continue", &answer);
    assert_snapshot!(table.finish().await, @r#"
    /v1/jobs/j/history?$filter=status%20eq%20Lost
      -> $filter: Given status eq Lost, expected status eq failed (or succeeded, notRun, givenUp, Completed, Postponed).
    /v1/jobs/j/history?$filter=startTime%20ge%20soon
      -> $filter: Given startTime ge soon, expected startTime ge an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    /v1/jobs/j/history?$filter=startTime%20eq%202026-01-01
      -> $filter: Given startTime eq 2026-01-01, expected startTime ge (or le) 2026-01-01T00:00:00Z.
    /v1/jobs/j/history?$filter=actionName%20eq%20Other
      -> $filter: Given actionName eq Other, expected actionName eq MainAction (or ErrorAction).
    /v1/jobs/j/history?$top=501
      -> $top: Given "501", expected a whole number from 1 to 500.
    /v1/jobs/j/history?$skiptoken=YWJj
      -> $skiptoken: This is no place in the list: follow nextLink as it was given.
    /v1/collections?$top=0
      -> $top: Given "0", expected a whole number from 1 to 500.
    /v1/collections?$skiptoken=YWJj
      -> $skiptoken: This is no place in the list: follow nextLink as it was given.
    /v1/collections?group=a%2Fb
      -> group: Given "a/b", expected 1 to 260 characters, none of / \ ? # % and no control characters.
    /v1/collections?subscription=
      -> subscription: Given "", expected 1 to 260 characters, none of / \ ? # % and no control characters.
    /subscriptions?api-version=2016-01-01&$top=x
      -> $top: Given "x", expected a whole number from 1 to 500.
    /subscriptions/s/resourceGroups?api-version=2016-01-01&$skip=x
      -> $skip: Given "x", expected a whole number from 0 to 4294967295.
    POST /v1/preview?count=0 {}
      -> count: Given "0", expected a whole number from 1 to 1000.
    POST /v1/preview?count=1001 {}
      -> count: Given "1001", expected a whole number from 1 to 1000.
    POST /v1/preview?from=soon {}
      -> from: Given "soon", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    POST /v1/preview?to=2026-99-01 {}
      -> to: Given "2026-99-01", expected a month from 1 to 12, not 99.
    POST /v1/preview?from=2027-01-01&to=2026-01-01 {}
      -> to: Given 2026-01-01T00:00:00Z, expected an instant not before from, 2027-01-01T00:00:00Z.
    POST /v1/preview 
      -> body: The body is empty: send a JSON object.
    POST /v1/preview []
      -> body: Given a list of 0, expected an object in braces.
    POST /v1/preview {"frequency": "day"}
      -> body: This is no job: send a job, its properties, or startTime and recurrence.
      -> frequency: Move frequency into recurrence.
    POST /v1/preview {"recurrence": {"frequency": "x"}}
      -> recurrence.frequency: Given "x", expected one of Minute, Hour, Day, Week, Month, Year.
    POST /v1/preview {"properties": {"recurrence": {"frequency": "day", "schedule": {"hours": [25]}}}}
      -> properties.recurrence.schedule.hours[0]: Given 25, expected 0 to 23; 0 is midnight.
    POST /v1/preview {"properties": {"action": {"request": {}}}}
      -> properties.action.request.uri: Given nothing, expected the address to call, such as https://example.com/path.
    POST /v1/secrets/rotate?continue=x
      -> continue: This is no place to go on at: send what the last answer said.
    "#);
}

#[tokio::test]
async fn events() {
    let mut table = Table::new().await;
    for (query, field) in [
        ("events=", "events"),
        ("events=failed,", "events"),
        ("events=failed;skipped", "events"),
        ("events=gap", "events"),
        ("lastEventId=", "lastEventId"),
        ("lastEventId=x", "lastEventId"),
        ("lastEventId=-1", "lastEventId"),
        ("lastEventId=99999999999999999999999", "lastEventId"),
    ] {
        let answer = table.server.get(&format!("/v1/events?{query}")).await;
        table.add(query, field, &answer);
    }
    let answer = table.server.call("GET", "/v1/events").header("last-event-id", "x").send().await;
    table.add("Last-Event-ID: x", "Last-Event-ID", &answer);
    assert_snapshot!(table.finish().await, @r#"
    events=
      -> events: Given "", expected names of events with commas between them: started, succeeded, failed, retrying, skipped, edited, clockJump, historyDropped.
    events=failed,
      -> events: Given "", expected names of events with commas between them: started, succeeded, failed, retrying, skipped, edited, clockJump, historyDropped.
    events=failed;skipped
      -> events: Given "failed;skipped", expected names of events with commas between them: started, succeeded, failed, retrying, skipped, edited, clockJump, historyDropped.
    events=gap
      -> events: Given "gap", expected names of events with commas between them: started, succeeded, failed, retrying, skipped, edited, clockJump, historyDropped.
    lastEventId=
      -> lastEventId: Given "", expected the id of an event, such as 7340033-12.
    lastEventId=x
      -> lastEventId: Given "x", expected the id of an event, such as 7340033-12.
    lastEventId=-1
      -> lastEventId: Given "-1", expected the id of an event, such as 7340033-12.
    lastEventId=99999999999999999999999
      -> lastEventId: Given "99999999999999999999999", expected the id of an event, such as 7340033-12.
    Last-Event-ID: x
      -> Last-Event-ID: Given "x", expected the id of an event, such as 7340033-12.
    "#);
}

#[tokio::test]
async fn audits() {
    let mut table = Table::new().await;
    for (query, field) in [
        ("", "from"),
        ("from=", "from"),
        ("from=yesterday", "from"),
        ("from=2026-11-02&to=2026-11-01", "to"),
        ("from=2026-01-01&to=2026-03-01", "to"),
        ("from=2026-01-01", "to"),
        ("from=2026-11-14&to=x", "to"),
        ("from=2026-11-14&continue=x", "continue"),
    ] {
        let answer = table.server.get(&format!("/v1/audit?{query}")).await;
        table.add(query, field, &answer);
    }
    assert_snapshot!(table.finish().await, @r#"

      -> from: Given nothing, expected an instant, such as 2026-01-01T00:00:00Z.
    from=
      -> from: Given "", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    from=yesterday
      -> from: Given "yesterday", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    from=2026-11-02&to=2026-11-01
      -> to: Given 2026-11-01T00:00:00Z, expected an instant not before from, 2026-11-02T00:00:00Z.
    from=2026-01-01&to=2026-03-01
      -> to: Given 2026-03-01T00:00:00Z, expected at most 31 days after from, 2026-01-01T00:00:00Z.
    from=2026-01-01
      -> to: Given 2026-11-15T12:00:00Z, expected at most 31 days after from, 2026-01-01T00:00:00Z.
    from=2026-11-14&to=x
      -> to: Given "x", expected an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00.
    from=2026-11-14&continue=x
      -> continue: This is no place to go on at: send what the last answer said.
    "#);
}
