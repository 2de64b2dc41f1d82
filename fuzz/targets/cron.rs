//! Cron expressions: any text is refused or has a timetable.

#![no_main]

use libfuzzer_sys::fuzz_target;
use punctual_fuzz::{Bytes, explain, within_deadline};
use punctual_model::recurrence::{Anchor, Cron, CronDialect, Parts, Recurrence, Timetable};
use punctual_model::time::Timestamp;

fuzz_target!(|input: &[u8]| {
    if let Some(text) = Bytes::new(input).text() {
        explain(|| format!("{text:?}"));
        within_deadline("the check", || check(text));
    }
});

fn check(text: &str) {
    CronDialect::ALL.into_iter().for_each(|dialect| check_dialect(text, dialect));
}

fn check_dialect(text: &str, dialect: CronDialect) {
    let Ok(cron) = Cron::parse(text, dialect) else { return };
    assert_eq!(Cron::parse(cron.as_written(), dialect).as_ref(), Ok(&cron), "{text:?}");
    let _ = cron.oddities();
    for zone in [None, Some("America/New_York")] {
        let parts = Parts {
            cron: Some(text.to_owned()),
            cron_dialect: Some(dialect),
            time_zone: zone.map(str::to_owned),
            ..Parts::default()
        };
        let recurrence = Recurrence::new(&parts).expect("a cron expression that was read");
        let created = Timestamp::from_seconds(1_800_000_000).expect("the year 2027");
        let Ok(timetable) = Timetable::new(Some(&recurrence), Anchor::Creation(created)) else { continue };
        let mut last = created;
        for at in timetable.occurrences(created..Timestamp::MAX).take(20) {
            assert!(at > last, "{text:?}: {at} after {last}");
            assert!(timetable.contains(at), "{text:?}: {at}");
            last = at;
        }
    }
}
