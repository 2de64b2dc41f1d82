//! Credentials, without what makes them credentials.

use punctual_model::action::{Authentication, SasKey, Secret};

use super::Writer;
use super::members::Members;
use crate::wire::json::Json;

pub(super) fn write(authentication: &Authentication, writer: &Writer) -> Json {
    let secret = |secret: &Secret| writer.is_secret_shown().then(|| secret.expose().to_owned());
    let members = match authentication {
        Authentication::ClientCertificate { pfx, password, thumbprint, info } => {
            let shown = Members::new()
                .add_some("pfx", secret(pfx))
                .add_some("password", secret(password))
                .add_some("certificateThumbprint", thumbprint.as_ref());
            let expiration = info.as_ref().map(|info| info.expires.to_string());
            let names = writer.dialect.certificate_expiration.iter();
            names
                .fold(shown, |members, name| members.add_some(name, expiration.clone()))
                .add_some("certificateSubjectName", info.as_ref().map(|info| info.subject.clone()))
        }
        Authentication::Basic { username, password } => {
            Members::new().add("username", username).add_some("password", secret(password))
        }
        Authentication::OAuth { tenant, audience, client_id, secret: client_secret } => Members::new()
            .add("tenant", tenant)
            .add("audience", audience)
            .add("clientId", client_id)
            .add_some("secret", secret(client_secret)),
    };
    members.add("type", authentication.type_name()).into_json()
}

pub(super) fn sas_key(key: &SasKey, writer: &Writer) -> Json {
    let secret = key.key.as_ref().filter(|_| writer.is_secret_shown());
    Members::new()
        .add("sasKeyName", &key.name)
        .add_some("sasKey", secret.map(|secret| secret.expose().to_owned()))
        .add("type", writer.dialect.lower_first("SharedAccessKey"))
        .into_json()
}
