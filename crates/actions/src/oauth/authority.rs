//! Who issues tokens.

use crate::http::Address;
use crate::settings::Error;

/// Where tokens come from: Microsoft Entra ID or something that looks like it, or any token endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    /// Begins the address of every directory, or is the address itself.
    template: String,
    is_directory: bool,
}

/// Stands in an address for the tenant of the job.
const TENANT: &str = "{tenant}";

impl Authority {
    /// Reads an address: `https://login.microsoftonline.com`, whose directories have token endpoints as Entra's have, or with
    /// a path the endpoint itself, in which `{tenant}` stands for the tenant of the job.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let wrong = || Error::Authority { given: text.rsplit_once('@').map_or(text, |(_, rest)| rest).to_owned() };
        let address = Address::parse(&text.replace(TENANT, "tenant")).ok_or_else(wrong)?;
        let is_plain = address.credentials.is_none() && !text.replace(TENANT, "").contains(['{', '}', '#']);
        if !is_plain {
            return Err(wrong());
        }
        let template = text.strip_suffix('/').filter(|_| address.target == "/").unwrap_or(text);
        Ok(Self { template: template.to_owned(), is_directory: address.target == "/" })
    }

    /// Where tokens of a tenant are asked for; `is_scope` if they are for a scope, which the older endpoint does not know.
    pub(crate) fn address(&self, tenant: &str, is_scope: bool) -> Option<Address> {
        let template = self.template.replace(TENANT, tenant);
        match (self.is_directory, is_scope) {
            (false, _) => Address::parse(&template),
            (true, false) => Address::parse(&format!("{template}/{tenant}/oauth2/token")),
            (true, true) => Address::parse(&format!("{template}/{tenant}/oauth2/v2.0/token")),
        }
    }

    /// Whether it is like Entra, and is asked as Entra is.
    pub(crate) fn is_directory(&self) -> bool {
        self.is_directory
    }
}

/// The authority that Azure Scheduler used.
impl Default for Authority {
    fn default() -> Self {
        Self { template: "https://login.microsoftonline.com".to_owned(), is_directory: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(text: &str) -> String {
        let authority = Authority::parse(text).unwrap();
        [false, true]
            .map(|is_scope| {
                let address = authority.address("contoso.com", is_scope).unwrap();
                format!("{}://{}{}", address.scheme(), address.authority(), address.target)
            })
            .join(" ")
    }

    #[test]
    fn where_tokens_are_asked_for() {
        insta::assert_snapshot!([
            "https://login.microsoftonline.com",
            "https://login.microsoftonline.us/",
            "http://127.0.0.1:8080/token",
            "https://id.example/realms/{tenant}/token",
            "https://{tenant}.id.example/oauth/token",
        ].map(addresses).join("\n"), @"
        https://login.microsoftonline.com/contoso.com/oauth2/token https://login.microsoftonline.com/contoso.com/oauth2/v2.0/token
        https://login.microsoftonline.us/contoso.com/oauth2/token https://login.microsoftonline.us/contoso.com/oauth2/v2.0/token
        http://127.0.0.1:8080/token http://127.0.0.1:8080/token
        https://id.example/realms/contoso.com/token https://id.example/realms/contoso.com/token
        https://contoso.com.id.example/oauth/token https://contoso.com.id.example/oauth/token
        ");
        assert_eq!(Authority::parse("https://login.microsoftonline.com").unwrap(), Authority::default());
    }

    #[test]
    fn what_is_no_address() {
        for text in [
            "",
            "login.microsoftonline.com",
            "ftp://id.example",
            "https://me:secret@id.example",
            "https://id.example/{client}",
            "https://id.example/#a",
        ] {
            let error = Authority::parse(text).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
