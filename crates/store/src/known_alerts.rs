//! Alerts as they were last read: unsealing all of them each second would cost more than all else that is done about them.

use std::sync::{Arc, Mutex, PoisonError};

use crate::alert::AlertEntry;

/// All alerts of one version.
#[derive(Default)]
pub(crate) struct KnownAlerts(Mutex<Option<(i64, Arc<Vec<AlertEntry>>)>>);

impl KnownAlerts {
    /// The alerts, if they are of that version.
    pub(crate) fn get(&self, version: i64) -> Option<Arc<Vec<AlertEntry>>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().filter(|(known, _)| *known == version).map(|(_, alerts)| Arc::clone(alerts))
    }

    /// Keeps alerts that were read after their version was.
    pub(crate) fn put(&self, version: i64, alerts: Vec<AlertEntry>) -> Arc<Vec<AlertEntry>> {
        let alerts = Arc::new(alerts);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((version, Arc::clone(&alerts)));
        alerts
    }
}
