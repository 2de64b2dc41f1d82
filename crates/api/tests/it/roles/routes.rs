//! Every route, by hand.

/// A route, what it needs, and what is answered to someone who may.
pub(super) struct Row {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    /// A role and where; nothing where everyone may.
    pub(super) needs: Option<(&'static str, &'static str)>,
    /// Whether the role on something inside is enough, because only that is shown, or touched.
    pub(super) from_inside: bool,
    pub(super) allowed: u16,
}

const ROOT: &str = "/";
const SUBSCRIPTION: &str = "/subscriptions/s";
const GROUP: &str = "/subscriptions/s/resourceGroups/g";
const COLLECTION: &str = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c";

const fn open(method: &'static str, path: &'static str) -> Row {
    Row { method, path, needs: None, from_inside: false, allowed: 200 }
}

const fn row(method: &'static str, path: &'static str, role: &'static str, on: &'static str, allowed: u16) -> Row {
    Row { method, path, needs: Some((role, on)), from_inside: false, allowed }
}

const fn inside(method: &'static str, path: &'static str, on: &'static str, allowed: u16) -> Row {
    Row { method, path, needs: Some(("reader", on)), from_inside: true, allowed }
}

const fn inside_writer(method: &'static str, path: &'static str, allowed: u16) -> Row {
    Row { method, path, needs: Some(("contributor", ROOT)), from_inside: true, allowed }
}

/// In the paths `S`, `G` and `C` stand for the subscription, the resource group and the collection.
pub(super) const ROWS: [Row; 98] = [
    open("GET", "/healthz"),
    open("HEAD", "/healthz"),
    open("GET", "/readyz"),
    open("HEAD", "/readyz"),
    open("GET", "/openapi.json"),
    open("HEAD", "/openapi.json"),
    open("GET", "/schema.json"),
    open("HEAD", "/schema.json"),
    row("GET", "/metrics", "reader", ROOT, 200),
    inside("POST", "/v1/preview", ROOT, 400),
    row("GET", "/v1/audit?from=2026-11-15", "reader", ROOT, 200),
    inside("GET", "/v1/events", ROOT, 200),
    inside("GET", "/v1/failures", ROOT, 200),
    inside("GET", "/v1/due", ROOT, 200),
    inside("GET", "/v1/history", ROOT, 200),
    inside_writer("POST", "/v1/rerun", 400),
    // What is inside is judged item by item: see the tests of bulk.
    inside_writer("POST", "/v1/bulk", 400),
    // What is behind these depends on the scope of the alert: see the tests of alerts.
    inside("GET", "/v1/alerts", ROOT, 200),
    inside("GET", "/v1/alerts/a", ROOT, 404),
    inside_writer("PUT", "/v1/alerts/a", 400),
    inside_writer("DELETE", "/v1/alerts/a", 404),
    inside_writer("POST", "/v1/alerts/a/test", 400),
    inside_writer("POST", "/v1/alerts/a/mute", 400),
    inside_writer("POST", "/v1/alerts/a/unmute", 400),
    inside("GET", "/v1/alerts/a/changes", ROOT, 404),
    inside("GET", "/v1/alerts/a/messages", ROOT, 404),
    inside("GET", "/v1/alerts/a/messages/1", ROOT, 404),
    inside("GET", "/v1/incidents", ROOT, 200),
    inside("GET", "/v1/incidents/1", ROOT, 404),
    inside_writer("POST", "/v1/incidents/1/mute", 400),
    inside_writer("POST", "/v1/incidents/1/unmute", 400),
    row("GET", "/v1/pause", "reader", ROOT, 200),
    row("POST", "/v1/pause", "owner", ROOT, 400),
    row("POST", "/v1/resume", "owner", ROOT, 400),
    inside("POST", "/v1/sign-in-link", ROOT, 400),
    row("GET", "/v1/cluster", "reader", ROOT, 200),
    row("POST", "/v1/cluster/nodes/0/drain", "owner", ROOT, 400),
    row("DELETE", "/v1/cluster/nodes/0/drain", "owner", ROOT, 409),
    row("GET", "/v1/changes", "reader", ROOT, 200),
    inside("GET", "/v1/jobs", ROOT, 200),
    row("GET", "/v1/tokens", "owner", ROOT, 200),
    row("POST", "/v1/tokens", "owner", ROOT, 400),
    row("DELETE", "/v1/tokens/zzzzzzzzzzzz", "owner", ROOT, 404),
    row("GET", "/v1/assignments", "owner", ROOT, 200),
    row("POST", "/v1/assignments", "owner", ROOT, 400),
    row("DELETE", "/v1/assignments/99", "owner", ROOT, 404),
    row("POST", "/v1/secrets/rotate?continue=x", "owner", ROOT, 400),
    inside("GET", "/subscriptions?api-version=2016-06-01", ROOT, 200),
    inside("GET", "/providers/Microsoft.Scheduler/operations?api-version=2016-03-01", ROOT, 200),
    inside("GET", "{S}?api-version=2016-06-01", SUBSCRIPTION, 200),
    inside("GET", "{S}/providers?api-version=2016-06-01", SUBSCRIPTION, 200),
    inside("GET", "{S}/providers/Microsoft.Scheduler?api-version=2016-06-01", SUBSCRIPTION, 200),
    inside("POST", "{S}/providers/Microsoft.Scheduler/register?api-version=2016-06-01", SUBSCRIPTION, 200),
    inside("GET", "{S}/providers/Microsoft.Scheduler/jobCollections?api-version=2016-03-01", SUBSCRIPTION, 200),
    inside("GET", "{S}/resourceGroups?api-version=2016-06-01", SUBSCRIPTION, 200),
    inside("GET", "{G}?api-version=2016-06-01", GROUP, 200),
    inside("HEAD", "{G}?api-version=2016-06-01", GROUP, 204),
    row("PUT", "{G}?api-version=2016-06-01", "contributor", GROUP, 400),
    row("DELETE", "{G}?api-version=2016-06-01", "contributor", GROUP, 404),
    inside("GET", "{G}/providers/Microsoft.Scheduler/jobCollections?api-version=2016-03-01", GROUP, 200),
    row("GET", "{C}?api-version=2016-03-01", "reader", COLLECTION, 404),
    row("PUT", "{C}?api-version=2016-03-01", "contributor", COLLECTION, 400),
    row("PATCH", "{C}?api-version=2016-03-01", "contributor", COLLECTION, 404),
    row("DELETE", "{C}?api-version=2016-03-01", "contributor", COLLECTION, 404),
    row("POST", "{C}/enable?api-version=2016-03-01", "contributor", COLLECTION, 404),
    row("POST", "{C}/disable?api-version=2016-03-01", "contributor", COLLECTION, 404),
    row("GET", "{C}/jobs?api-version=2016-03-01", "reader", COLLECTION, 404),
    row("GET", "{C}/jobs/j?api-version=2016-03-01", "reader", COLLECTION, 404),
    row("PUT", "{C}/jobs/j?api-version=2016-03-01", "contributor", COLLECTION, 400),
    row("PATCH", "{C}/jobs/j?api-version=2016-03-01", "contributor", COLLECTION, 404),
    row("DELETE", "{C}/jobs/j?api-version=2016-03-01", "contributor", COLLECTION, 404),
    row("POST", "{C}/jobs/j/run?api-version=2016-03-01", "contributor", COLLECTION, 404),
    row("GET", "{C}/jobs/j/history?api-version=2016-03-01", "reader", COLLECTION, 404),
    row("GET", "{C}/jobs/j/history/1?api-version=2016-03-01", "reader", COLLECTION, 404),
    row("POST", "{C}/jobs/j/history/1/rerun?api-version=2016-03-01", "contributor", COLLECTION, 404),
    row("GET", "{C}/changes?api-version=2016-03-01", "reader", COLLECTION, 404),
    row("GET", "{C}/jobs/j/changes?api-version=2016-03-01", "reader", COLLECTION, 404),
    // The short path needs what the long one does.
    inside("GET", "/v1/collections?subscription=s&group=g", GROUP, 200),
    row("GET", "/v1/collections/c?subscription=s&group=g", "reader", COLLECTION, 404),
    row("PUT", "/v1/collections/c?subscription=s&group=g", "contributor", COLLECTION, 400),
    row("PATCH", "/v1/collections/c?subscription=s&group=g", "contributor", COLLECTION, 404),
    row("DELETE", "/v1/collections/C?subscription=S&group=G", "contributor", COLLECTION, 404),
    row("POST", "/v1/collections/c/enable?subscription=s&group=g", "contributor", COLLECTION, 400),
    row("GET", "/v1/collections/c/jobs?subscription=s&group=g", "reader", COLLECTION, 404),
    row("GET", "/v1/collections/c/jobs/j?subscription=s&group=g", "reader", COLLECTION, 404),
    row("PUT", "/v1/collections/c/jobs/j?subscription=s&group=g", "contributor", COLLECTION, 400),
    row("PATCH", "/v1/collections/c/jobs/j?subscription=s&group=g", "contributor", COLLECTION, 404),
    row("DELETE", "/v1/collections/c/jobs/j?subscription=s&group=g", "contributor", COLLECTION, 404),
    row("POST", "/v1/collections/c/jobs/j/run?subscription=s&group=g", "contributor", COLLECTION, 400),
    row("POST", "/v1/collections/c/jobs/j/enable?subscription=s&group=g", "contributor", COLLECTION, 400),
    row("POST", "/v1/collections/c/jobs/j/disable?subscription=s&group=g", "contributor", COLLECTION, 400),
    row("GET", "/v1/collections/c/jobs/j/at/03:15?subscription=s&group=g", "reader", COLLECTION, 404),
    row("GET", "/v1/collections/c/jobs/j/backfill?subscription=s&group=g", "reader", COLLECTION, 404),
    row("POST", "/v1/collections/c/jobs/j/backfill?subscription=s&group=g", "contributor", COLLECTION, 400),
    row("DELETE", "/v1/collections/c/jobs/j/backfill?subscription=s&group=g", "contributor", COLLECTION, 404),
    row("GET", "/v1/collections/c/jobs/j/history?subscription=s&group=g", "reader", COLLECTION, 404),
    row("GET", "/v1/collections/c/jobs/j/history/1?subscription=s&group=g", "reader", COLLECTION, 404),
    row("POST", "/v1/collections/c/jobs/j/history/1/rerun?subscription=s&group=g", "contributor", COLLECTION, 400),
];

impl Row {
    /// The path with its names.
    pub(super) fn path(&self) -> String {
        self.path.replace("{S}", SUBSCRIPTION).replace("{G}", GROUP).replace("{C}", COLLECTION)
    }
}
