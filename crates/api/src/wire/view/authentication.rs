//! Credentials, without what makes them credentials.

use punctual_model::action::{Authentication, SasKey};

use super::Writer;
use super::members::Members;
use crate::wire::json::Json;

pub(super) fn write(authentication: &Authentication, writer: &Writer) -> Json {
    let members = match authentication {
        Authentication::ClientCertificate { thumbprint, info, .. } => {
            let shown = Members::new().add_some("certificateThumbprint", thumbprint.as_ref());
            let expiration = info.as_ref().map(|info| info.expires.to_string());
            let names = writer.dialect.certificate_expiration.iter();
            names
                .fold(shown, |members, name| members.add_some(name, expiration.clone()))
                .add_some("certificateSubjectName", info.as_ref().map(|info| info.subject.clone()))
        }
        Authentication::Basic { username, .. } => Members::new().add("username", username),
        Authentication::OAuth { tenant, audience, client_id, .. } => {
            Members::new().add("tenant", tenant).add("audience", audience).add("clientId", client_id)
        }
    };
    members.add("type", writer.dialect.as_described(authentication.type_name())).into_json()
}

pub(super) fn sas_key(key: &SasKey, writer: &Writer) -> Json {
    Members::new().add("sasKeyName", &key.name).add("type", writer.dialect.lower_first("SharedAccessKey")).into_json()
}
