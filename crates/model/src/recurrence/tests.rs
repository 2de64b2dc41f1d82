use super::*;
use crate::time::*;
fn at(text: &str) -> Timestamp {
    DateTime::parse(text).unwrap().resolve(Zone::utc()).instant()
}
#[test]
fn smoke() {
    for (zone, cron, from) in [
        ("Europe/Berlin", "30 2 * * *", "2026-03-28T00:00Z"),
        ("Europe/Berlin", "30 2 * * *", "2026-10-24T00:00Z"),
        ("Europe/Berlin", "*/30 * * * *", "2026-10-25T00:00Z"),
        ("UTC", "0 0 29 2 *", "2095-01-01"),
        ("Pacific/Apia", "0 10 * * *", "2011-12-28T00:00Z"),
    ] {
        let r = Recurrence::new(&Parts { cron: Some(cron.into()), time_zone: Some(zone.into()), ..Parts::default() })
            .unwrap();
        let t = Timetable::new(Some(&r), Anchor::Creation(at(from))).unwrap();
        println!("{zone} {cron}");
        for x in t.occurrences(at(from)..Timestamp::MAX).take(6) {
            println!("   {x} prev {:?}", t.previous(x));
        }
        println!("  {} {}", t.count(at(from)..at("2126-01-01")), t.occurrences(at(from)..at("2126-01-01")).count());
    }
}
