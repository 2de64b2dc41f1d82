//! Definitions of jobs, as users write them.

use punctual_model::action::{Action, Address, ErrorAction, HttpAction, HttpType, Secret, Target};
use punctual_model::job::Definition;
use punctual_model::options::{CatchUp, Options, OptionsParts, Overlap};
use punctual_model::recurrence::{Frequency, Parts, Recurrence, ScheduleParts};
use punctual_model::retry::{RetryKind, RetryPolicy};
use punctual_model::time::{DateTime, Span, Start, TICKS_PER_HOUR, TICKS_PER_SECOND, Timestamp};

use crate::dice::Dice;

/// A definition as a client writes it.
pub(crate) type Wanted = Definition<Option<Secret>>;

/// Where a call goes: the version of the definition stands in it, so that whoever is called knows which it was.
fn target(dice: &mut Dice, style: &Style) -> Target<Option<Secret>> {
    Target::Http(HttpAction {
        kind: HttpType::Https,
        uri: Address::parse(&format!("https://host{}.example/{}", dice.number(0, style.hosts), style.version))
            .expect("an address"),
        method: "GET".to_owned(),
        headers: Vec::new(),
        body: None,
        authentication: None,
    })
}

/// The version that stands in a definition.
pub(crate) fn version<S>(definition: &Definition<S>) -> u64 {
    let Target::Http(http) = &definition.action.target else { unreachable!("these jobs call HTTP") };
    http.uri.as_str().rsplit('/').next().and_then(|version| version.parse().ok()).expect("a version")
}

/// What definitions look like.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// Jobs come due rarely, because months are to pass.
    pub(crate) is_rare: bool,
    /// The number of hosts that are called.
    pub(crate) hosts: i64,
    /// Stands in the address of the target, by which one definition is told from the next.
    pub(crate) version: u64,
}

/// A new definition.
pub(crate) fn new_definition(dice: &mut Dice, style: &Style, now: Timestamp) -> Wanted {
    let retry = retry(dice);
    let error = dice.once_in(3).then(|| ErrorAction { target: target(dice, style), retry: self::retry(dice) });
    let start = dice.once_in(2).then(|| Start::at(now.saturating_add(dice.number(-7200, 7200) * TICKS_PER_SECOND)));
    let recurrence = (!dice.once_in(6)).then(|| recurrence(dice, now, style.is_rare));
    Definition {
        start,
        action: Action { target: target(dice, style), retry, error, sign: None },
        recurrence,
        options: options(dice),
    }
}

/// The definition with something changed.
pub(crate) fn changed_definition(dice: &mut Dice, style: &Style, now: Timestamp, before: &Wanted) -> Wanted {
    let mut after = before.clone();
    after.action.target = target(dice, style);
    let other = new_definition(dice, style, now);
    match dice.number(0, 8) {
        0 => after.start = other.start,
        1 => after.recurrence = other.recurrence,
        2 => after.action.retry = other.action.retry,
        3 => after.action.error = other.action.error,
        4 => after.options = other.options,
        5 => return other,
        _ => {}
    }
    after
}

fn recurrence(dice: &mut Dice, now: Timestamp, is_rare: bool) -> Recurrence {
    let every =
        |frequency, interval| Parts { frequency: Some(frequency), interval: Some(interval), ..Parts::default() };
    let schedule = |hours, minutes| Some(ScheduleParts { hours, minutes, ..ScheduleParts::default() });
    let berlin = || Some("Europe/Berlin".to_owned());
    let often = [
        every(Frequency::Minute, 1),
        every(Frequency::Minute, 1),
        every(Frequency::Minute, 7),
        every(Frequency::Hour, 1),
        Parts { schedule: schedule(vec![], vec![0, 1, 2, 30]), ..every(Frequency::Day, 1) },
        Parts { cron: Some("*/2 0-3 * * *".to_owned()), ..Parts::default() },
        Parts { cron: Some("*/20 * * * * *".to_owned()), ..Parts::default() },
    ];
    let rarely = [
        every(Frequency::Hour, 11),
        every(Frequency::Day, 1),
        every(Frequency::Week, 1),
        every(Frequency::Month, 1),
        Parts { schedule: schedule(vec![1, 2, 3], vec![15, 45]), time_zone: berlin(), ..every(Frequency::Day, 2) },
        Parts { schedule: schedule(vec![2], vec![30, 31]), time_zone: berlin(), ..every(Frequency::Day, 1) },
        Parts { cron: Some("30 2 * * *".to_owned()), time_zone: berlin(), ..Parts::default() },
        Parts { cron: Some("0 0 L * 1#2".to_owned()), ..Parts::default() },
    ];
    let mut parts = if is_rare || dice.once_in(4) { dice.pick(&rarely) } else { dice.pick(&often) };
    let unit = if is_rare { 24 * TICKS_PER_HOUR } else { TICKS_PER_HOUR / 2 };
    parts.count = dice.once_in(4).then(|| dice.number(1, 20));
    parts.end_time = dice.once_in(6).then(|| {
        let end = now.saturating_add(dice.number(-1, 20) * unit);
        DateTime::parse(&end.to_string()).expect("a date-time")
    });
    Recurrence::new(&parts).expect("a rule")
}

fn retry(dice: &mut Dice) -> Option<RetryPolicy> {
    let kind = dice.pick(&[RetryKind::None, RetryKind::Fixed, RetryKind::Fixed, RetryKind::Exponential]);
    let interval = Span::parse(dice.pick(&["PT15S", "PT30S", "PT5M"])).expect("a span");
    let policy = RetryPolicy::new(Some(kind), Some(interval), None, Some(dice.number(0, 4)));
    Some(policy.expect("a policy")).filter(|_| !dice.once_in(5))
}

fn options(dice: &mut Dice) -> Options {
    let span = |text: &str| Some(Span::parse(text).expect("a span"));
    let parts = OptionsParts {
        timeout: dice.pick(&[None, span("PT2S"), span("PT10S"), span("PT90S")]),
        jitter: dice.pick(&[None, None, None, span("PT30S"), span("PT20M")]),
        overlap: dice.pick(&[None, None, Some(Overlap::Allow)]),
        catch_up: dice.pick(&[None, Some(CatchUp::Latest), Some(CatchUp::All), Some(CatchUp::None)]),
        catch_up_max: Some(dice.number(1, 30)),
        catch_up_spacing: dice.pick(&[None, span("PT0S"), span("PT3S")]),
        success: None,
        placeholders: Some(true),
        shadow: None,
    };
    Options::new(parts).expect("options")
}
