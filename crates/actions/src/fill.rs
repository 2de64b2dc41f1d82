//! Placeholders in what an attempt sends.

use punctual_model::action::Target;
use punctual_model::placeholder::{Filling, Values, is_json};

use crate::executor::Call;

impl Call {
    /// What is to be done, with its placeholders filled in; none for a job without placeholders.
    pub(crate) fn filled_target(&self, public_url: Option<&str>, listen_url: &str) -> Option<Target> {
        let target = self.target().filter(|_| self.has_placeholders())?;
        let filling = Filling::Values(Values {
            names: self.names(),
            nominal: self.nominal,
            tag: self.occurrence,
            attempt: self.attempt,
            failure: self.failure.as_deref(),
            public_url,
            listen_url,
        });
        Some(filling.fill(target))
    }

    /// What is to be done, with gaps in the place of placeholders: what is left was written by the user and may be secret.
    /// None for a job without placeholders.
    pub(crate) fn target_with_gaps(&self) -> Option<Target> {
        self.target().filter(|_| self.has_placeholders()).map(|target| Filling::Gaps.fill(target))
    }

    /// What a body is called whose sender does not say: most are JSON, and a target that reads JSON refuses it under another
    /// name. Values that were filled in can make a text look like JSON that is none.
    pub(crate) fn content_type(&self, body: &str) -> &'static str {
        let looks_like_json = body.trim_start().starts_with(['{', '[']);
        if looks_like_json && (!self.has_placeholders() || is_json(body)) {
            "application/json"
        } else {
            "text/plain; charset=utf-8"
        }
    }

    fn has_placeholders(&self) -> bool {
        self.definition.options.has_placeholders()
    }
}
