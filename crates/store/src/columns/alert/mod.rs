//! What the columns of alerts, incidents and messages say.

pub(crate) mod alerts;
pub(crate) mod deadlines;
pub(crate) mod deliveries;
pub(crate) mod facts;
pub(crate) mod incidents;
pub(crate) mod signals;
