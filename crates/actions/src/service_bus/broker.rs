//! A broker to be connected to, and how to log in to it.

use punctual_model::action::Secret;

use crate::credential::Credential;

/// A broker of AMQP, with the credentials of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Broker {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) is_tls: bool,
    pub(crate) login: Login,
}

/// How to log in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Login {
    /// As the Service Bus has it: a token for each queue or topic, put on the link `$cbs`.
    Cbs {
        key_name: String,
        key: Secret,
        /// What tokens are for, without the queue or topic: `sb://namespace.servicebus.windows.net`.
        resource: String,
    },
    /// User and password.
    Plain { user: String, password: Secret },
    /// Without saying who it is.
    Anonymous,
}

impl Broker {
    /// By this a connection is known: where it leads, and whose it is. It does not show the secret.
    pub(crate) fn pool_key(&self) -> String {
        let login = match &self.login {
            Login::Cbs { key_name, key, .. } => Credential::of_parts(&["cbs", key_name, key.expose()]),
            Login::Plain { user, password } => Credential::of_parts(&["plain", user, password.expose()]),
            Login::Anonymous => Credential::of_parts(&["anonymous"]),
        };
        format!("{}:{}:{} {login}", self.host, self.port, if self.is_tls { "tls" } else { "plain" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_told_apart_by_their_credentials() {
        let broker = |login| Broker { host: "h".to_owned(), port: 1, is_tls: true, login };
        let plain = |user: &str, password: &str| {
            broker(Login::Plain { user: user.to_owned(), password: Secret::new(password) }).pool_key()
        };
        let cbs = |resource: &str| {
            let (key_name, key) = ("user".to_owned(), Secret::new("hush-hush"));
            broker(Login::Cbs { key_name, key, resource: resource.to_owned() }).pool_key()
        };
        assert_eq!(plain("user", "hush-hush"), plain("user", "hush-hush"));
        assert!(!plain("user", "hush-hush").contains("hush"));
        let others =
            [plain("user", "other"), plain("userh", "ush-hush"), cbs("sb://h"), broker(Login::Anonymous).pool_key()];
        assert!(others.iter().all(|other| *other != plain("user", "hush-hush")));
    }
}
