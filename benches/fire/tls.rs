//! The same over TLS.

use std::path::Path;

use punctual_benches::{Bench, Goal, Punctual, Stock, check_lead, clock, paced};
use punctual_model::time::TICKS_PER_SECOND;

use crate::stampede::{Life, Order, Stampede};

/// Jobs due at one instant, and jobs beside them by which it is known how long filling takes.
const DUE: usize = 20_000;
const OTHERS: usize = 20_000;

/// Calls a second, few enough for each to find a connection that has rested.
const PER_SECOND: usize = 200;

/// The part `tls`.
pub(crate) fn measure(bench: &mut Bench) {
    let files = tempfile::tempdir().expect("a directory");
    let authority = files.path().join("authority.pem");
    std::fs::write(&authority, &bench.receiver.authority_pem).expect("a file");
    let settings = trusting(&authority);
    let uri = format!("https://127.0.0.1:{}/job", bench.receiver.tls_port);
    let (due, others) = (bench.scaled(DUE), bench.scaled(OTHERS));
    let order = Order::Contiguous;
    let stampede = Stampede {
        stored: due + others,
        due,
        rounds: 1,
        order,
        life: Life::Daily,
        uri: uri.clone(),
        spread_ticks: 0,
        settings: settings.clone(),
    };
    let outcome = stampede.run(bench, None);
    bench.report.figure("stampede over TLS: fires a second", outcome.median(|round| round.fires_per_second), "");
    bench.report.figure("stampede over TLS: connections", outcome.connections, "");
    bench.report.goal(Goal::at_most("stampede over TLS: lost or doubled", 0.0, outcome.wrong, ""));
    let per_connection = f64::from(u32::try_from(due).expect("a small number")) / outcome.connections;
    bench.report.goal(Goal::at_least("stampede over TLS: calls on a connection", 10.0, per_connection, ""));
    let data = tempfile::tempdir().expect("a directory for the data");
    let per_second = bench.scaled(PER_SECOND);
    let mut stock = Stock::open(data.path(), others);
    let at = stock.instant_after(60 * per_second);
    let (count, job) = paced(uri, at, per_second);
    stock.fill(count, job);
    drop(stock);
    let mut server = Punctual::start(data.path(), &settings);
    check_lead(at);
    clock::sleep_until(at.saturating_add(TICKS_PER_SECOND));
    let arrivals = bench.watch();
    server.check();
    bench.note_lateness("steady over TLS", arrivals, per_second);
}

/// A setting as it is written in the environment: a file of certificates that jobs trust.
fn trusting(authority: &Path) -> Vec<(String, String)> {
    vec![("PUNCTUAL_OUTBOUND__CA".to_owned(), authority.display().to_string())]
}
