//! Which credentials something was made with.

use std::fmt;

use aws_lc_rs::digest::{Context, SHA256};
use punctual_model::action::{Authentication, Secret};

/// Tells credentials apart without holding them: a hash of all their parts.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Credential([u8; 32]);

impl Credential {
    /// The credentials of an action. Basic ones travel with each request, so nothing is made with them.
    pub(crate) fn of(authentication: &Authentication) -> Option<Self> {
        match authentication {
            Authentication::ClientCertificate { pfx, password, .. } => Some(Self::of_certificate(pfx, password)),
            Authentication::OAuth { tenant, audience, client_id, secret } => {
                Some(Self::of_parts(&["token", tenant, audience, client_id, secret.expose()]))
            }
            Authentication::Basic { .. } => None,
        }
    }

    pub(crate) fn of_certificate(pfx: &Secret, password: &Secret) -> Self {
        Self::of_parts(&["certificate", pfx.expose(), password.expose()])
    }

    /// Credentials that consist of these parts, the first of which says of what kind they are.
    pub(crate) fn of_parts(parts: &[&str]) -> Self {
        let mut context = Context::new(&SHA256);
        for part in parts {
            // With their lengths, so that no two lists look the same.
            context.update(&part.len().to_be_bytes());
            context.update(part.as_bytes());
        }
        let mut bytes = [0; 32];
        bytes.copy_from_slice(context.finish().as_ref());
        Self(bytes)
    }
}

/// Half of the digits: enough to tell them apart.
impl fmt::Display for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..16].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credential({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_counts_by_itself() {
        assert_eq!(Credential::of_parts(&["ab", "c"]), Credential::of_parts(&["ab", "c"]));
        assert_ne!(Credential::of_parts(&["ab", "c"]), Credential::of_parts(&["a", "bc"]));
        assert_ne!(Credential::of_parts(&["ab"]), Credential::of_parts(&["ab", ""]));
    }
}
