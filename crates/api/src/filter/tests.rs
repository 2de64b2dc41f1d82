//! What filters are taken for, and what is said against wrong ones.

use insta::assert_snapshot;
use proptest::prelude::*;

use super::{HistoryFilter, JobFilter, OccurrenceId, Phase, State, StatusKind, Timestamp, parse_history_filter};

fn said<T: std::fmt::Debug>(filters: &[&str], parse: impl Fn(&str) -> Result<T, super::Violation>) -> String {
    let line = |filter: &&str| match parse(filter) {
        Ok(filter) => format!("{filter:?}"),
        Err(violation) => format!("✗ {violation}"),
    };
    filters.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn jobs_are_filtered_by_state() {
    for (text, state) in [
        ("state eq Disabled", Some(State::Disabled)),
        ("STATE EQ 'enabled'", Some(State::Enabled)),
        ("  state\teq  faulted ", Some(State::Faulted)),
        ("state eq Completed", Some(State::Completed)),
        ("", None),
        ("  ", None),
    ] {
        assert_eq!(JobFilter::parse(text), Ok(JobFilter { state }), "{text}");
    }
}

#[test]
fn history_is_filtered_by_status_action_and_time() {
    let at = |seconds| Timestamp::from_seconds(seconds);
    let none = HistoryFilter::default();
    let failed = HistoryFilter { status: Some(StatusKind::Failed), ..none };
    let january = HistoryFilter { started_from: at(1_767_225_600), ..none };
    for (text, filter) in [
        ("", none),
        ("status eq Failed", failed),
        ("state eq 'FAILED'", failed),
        ("status eq completed", HistoryFilter { status: Some(StatusKind::Completed), ..none }),
        ("status eq Postponed", HistoryFilter { status: Some(StatusKind::Postponed), ..none }),
        ("status eq GIVENUP", HistoryFilter { only_last_attempts: true, ..failed }),
        (
            "executionTag eq '0F3c5a7be2d94c1890ab6e4d2c7f8135'",
            HistoryFilter { occurrence: OccurrenceId::parse("0f3c5a7be2d94c1890ab6e4d2c7f8135"), ..none },
        ),
        ("actionName eq ErrorAction", HistoryFilter { phase: Some(Phase::Error), ..none }),
        ("actionname EQ mainaction", HistoryFilter { phase: Some(Phase::Main), ..none }),
        ("startTime ge 2026-01-01T00:00:00Z", january),
        ("startTime ge '2026-01-01T01:00:00+01:00'", january),
        ("startTime ge 2026-01-01", january),
        ("startTime le '2026-01-01 00:00'", HistoryFilter { started_until: at(1_767_225_600), ..none }),
        (
            "startTime le 1970-01-02 AND status eq Failed and actionName eq 'ErrorAction' and startTime ge 1970-01-01",
            HistoryFilter { phase: Some(Phase::Error), started_from: at(0), started_until: at(86_400), ..failed },
        ),
    ] {
        assert_eq!(parse_history_filter(text), Ok(filter), "{text}");
    }
}

#[test]
fn wrong_filters_of_jobs() {
    let wrong = [
        "state",
        "state eq",
        "state eq Broken",
        "state eq ''",
        "state ne Disabled",
        "state = Disabled",
        "status eq Disabled",
        "state eq Disabled and",
        "state eq Disabled or state eq Enabled",
        "state eq Disabled and state eq Enabled",
        "state eq 'Disabled",
        "state eq 'Disabled'x",
        "(state eq Disabled)",
        "state eq \"Disabled\"",
    ];
    assert_snapshot!(said(&wrong, JobFilter::parse), @r#"
    ✗ $filter: given state, expected state eq Enabled (or Disabled, Completed, Faulted)
    ✗ $filter: given state eq, expected state eq Enabled (or Disabled, Completed, Faulted)
    ✗ $filter: given state eq Broken, expected state eq Enabled (or Disabled, Completed, Faulted)
    ✗ $filter: given state eq '', expected state eq Enabled (or Disabled, Completed, Faulted)
    ✗ $filter: given state ne Disabled, expected state eq Enabled (or Disabled, Completed, Faulted)
    ✗ $filter: given state = Disabled, expected state eq Enabled (or Disabled, Completed, Faulted)
    ✗ $filter: given status eq Disabled, expected state eq Enabled (or Disabled, Completed, Faulted)
    ✗ $filter: given state eq Disabled and, expected state eq Enabled (or Disabled, Completed, Faulted)
    ✗ $filter: given state eq Disabled or state eq Enabled, expected state eq Enabled (or Disabled, Completed, Faulted)
    ✗ $filter: given state eq Enabled, expected only one such condition
    ✗ $filter: given 'Disabled, expected a second ' at the end of the value
    ✗ $filter: given 'Disabled'x, expected a space after the '
    ✗ $filter: given (state eq Disabled), expected state eq Enabled (or Disabled, Completed, Faulted)
    ✗ $filter: given state eq "Disabled", expected state eq Enabled (or Disabled, Completed, Faulted)
    "#);
}

#[test]
fn wrong_filters_of_history() {
    let long = format!("status eq '{}'", "x".repeat(500));
    let wrong = [
        "Failed",
        "status eq Disabled",
        "status eq Failed, Completed",
        "status gt Failed",
        "status eq Failed status eq Failed",
        "status eq Failed and state eq Failed",
        "not status eq Failed",
        "status eq Failed or actionName eq ErrorAction",
        "and status eq Failed",
        "actionName eq Error",
        "actionName ge ErrorAction",
        "endTime le 2026-01-01",
        "startTime eq 2026-01-01T00:00:00Z",
        "startTime gt 2026-01-01T00:00:00Z",
        "startTime ge yesterday",
        "startTime ge 2026-02-29",
        "startTime ge 2026-01-01 00:00",
        "startTime ge datetime'2026-01-01T00:00:00Z'",
        "startTime ge '2026-01-01",
        "startTime ge 2026-01-01 and startTime ge 2026-02-01",
        "startTime le",
        "properties/status eq 'Failed'",
        &long,
    ];
    assert_snapshot!(said(&wrong, parse_history_filter), @"
    ✗ $filter: given Failed, expected conditions with and between them: status eq failed (or succeeded, notRun, givenUp, Completed, Postponed), actionName eq MainAction (or ErrorAction), executionTag eq (32 hexadecimal digits), startTime ge (or le) 2026-01-01T00:00:00Z
    ✗ $filter: given status eq Disabled, expected status eq failed (or succeeded, notRun, givenUp, Completed, Postponed)
    ✗ $filter: given status eq Failed, Completed, expected conditions with and between them: status eq failed (or succeeded, notRun, givenUp, Completed, Postponed), actionName eq MainAction (or ErrorAction), executionTag eq (32 hexadecimal digits), startTime ge (or le) 2026-01-01T00:00:00Z
    ✗ $filter: given status gt Failed, expected status eq failed (or succeeded, notRun, givenUp, Completed, Postponed)
    ✗ $filter: given status eq Failed status eq Failed, expected conditions with and between them: status eq failed (or succeeded, notRun, givenUp, Completed, Postponed), actionName eq MainAction (or ErrorAction), executionTag eq (32 hexadecimal digits), startTime ge (or le) 2026-01-01T00:00:00Z
    ✗ $filter: given state eq Failed, expected only one such condition
    ✗ $filter: given not status eq Failed, expected conditions with and between them: status eq failed (or succeeded, notRun, givenUp, Completed, Postponed), actionName eq MainAction (or ErrorAction), executionTag eq (32 hexadecimal digits), startTime ge (or le) 2026-01-01T00:00:00Z
    ✗ $filter: given status eq Failed or actionName eq ErrorAction, expected conditions with and between them: status eq failed (or succeeded, notRun, givenUp, Completed, Postponed), actionName eq MainAction (or ErrorAction), executionTag eq (32 hexadecimal digits), startTime ge (or le) 2026-01-01T00:00:00Z
    ✗ $filter: given and status eq Failed, expected conditions with and between them: status eq failed (or succeeded, notRun, givenUp, Completed, Postponed), actionName eq MainAction (or ErrorAction), executionTag eq (32 hexadecimal digits), startTime ge (or le) 2026-01-01T00:00:00Z
    ✗ $filter: given actionName eq Error, expected actionName eq MainAction (or ErrorAction)
    ✗ $filter: given actionName ge ErrorAction, expected actionName eq MainAction (or ErrorAction)
    ✗ $filter: given endTime le 2026-01-01, expected conditions with and between them: status eq failed (or succeeded, notRun, givenUp, Completed, Postponed), actionName eq MainAction (or ErrorAction), executionTag eq (32 hexadecimal digits), startTime ge (or le) 2026-01-01T00:00:00Z
    ✗ $filter: given startTime eq 2026-01-01T00:00:00Z, expected startTime ge (or le) 2026-01-01T00:00:00Z
    ✗ $filter: given startTime gt 2026-01-01T00:00:00Z, expected startTime ge (or le) 2026-01-01T00:00:00Z
    ✗ $filter: given startTime ge yesterday, expected startTime ge an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00
    ✗ $filter: given startTime ge 2026-02-29, expected startTime ge a day of February 2026 from 1 to 28, not 29
    ✗ $filter: given startTime ge 2026-01-01 00:00, expected conditions with and between them: status eq failed (or succeeded, notRun, givenUp, Completed, Postponed), actionName eq MainAction (or ErrorAction), executionTag eq (32 hexadecimal digits), startTime ge (or le) 2026-01-01T00:00:00Z
    ✗ $filter: given startTime ge datetime'2026-01-01T00:00:00Z', expected startTime ge an ISO 8601 date or date-time such as 2026-03-29, 2026-03-29T02:30 or 2026-03-29T02:30:00+01:00
    ✗ $filter: given '2026-01-01, expected a second ' at the end of the value
    ✗ $filter: given startTime ge 2026-02-01, expected only one such condition
    ✗ $filter: given startTime le, expected conditions with and between them: status eq failed (or succeeded, notRun, givenUp, Completed, Postponed), actionName eq MainAction (or ErrorAction), executionTag eq (32 hexadecimal digits), startTime ge (or le) 2026-01-01T00:00:00Z
    ✗ $filter: given properties/status eq Failed, expected conditions with and between them: status eq failed (or succeeded, notRun, givenUp, Completed, Postponed), actionName eq MainAction (or ErrorAction), executionTag eq (32 hexadecimal digits), startTime ge (or le) 2026-01-01T00:00:00Z
    ✗ $filter: given 512 characters, expected at most 500 characters
    ");
}

proptest! {
    #[test]
    fn any_filter_is_read_or_refused(
        text in any::<String>(),
        words in prop::collection::vec("state|status|eq|ge|and|'|''| |  |Failed|startTime|2026-01-01|é", 0..12),
    ) {
        for text in [text, words.concat(), words.join(" ")] {
            let refused = [JobFilter::parse(&text).err(), parse_history_filter(&text).err()];
            prop_assert!(refused.iter().flatten().all(|violation| violation.path == "$filter"));
        }
    }
}
