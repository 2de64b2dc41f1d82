//! What leaves this machine: the calls of jobs and those of the server itself, by one proxy and one set of authorities.

use std::net::SocketAddr;

use anyhow::{Context, ensure};
use punctual_actions::egress::Egress;
use punctual_actions::email::MailServer;
use punctual_actions::{Error, LookUp, OperatorClient, Proxy, Settings};
use punctual_model::action::Secret;

use crate::config::Config;

/// The proxy and the authorities of `[outbound]`, and the mail server of `[email]`.
pub(super) struct Outbound {
    proxy: Option<Proxy>,
    ca_pem: Option<Vec<u8>>,
    email: Option<MailServer>,
}

impl Outbound {
    /// Reads the files with authorities and with the password of the mail server, if the configuration names them.
    pub(super) fn read(config: &Config) -> anyhow::Result<Self> {
        let ca_pem =
            config.outbound.ca.as_ref().map(|file| {
                std::fs::read(file).with_context(|| format!("outbound.ca: cannot read {}", file.display()))
            });
        Ok(Self { proxy: config.outbound.proxy.clone(), ca_pem: ca_pem.transpose()?, email: mail_server(config)? })
    }

    /// A client for addresses that the operator chose.
    pub(super) fn operator_client(&self) -> Result<OperatorClient, Error> {
        OperatorClient::new(self.proxy.clone(), self.ca_pem.as_deref())
    }

    /// How jobs call their targets. They must not call the server itself: neither its API, which listens on `listener`, nor its
    /// metrics.
    pub(super) fn action_settings(
        &self,
        config: &Config,
        listener: SocketAddr,
        metrics: Option<SocketAddr>,
    ) -> Settings {
        let outbound = &config.outbound;
        Settings {
            egress: Egress {
                own_listeners: [listener].into_iter().chain(metrics).collect(),
                is_loopback_allowed: outbound.allows_loopback,
                denied: outbound.denied.clone(),
                allowed: outbound.allowed.clone(),
            },
            proxy: self.proxy.clone(),
            ca_pem: self.ca_pem.clone(),
            look_up: LookUp::default(),
            oauth: config.oauth.clone(),
            storage_queue: config.storage_queue.clone(),
            service_bus: config.service_bus.clone(),
            email: self.email.clone(),
            // The address of the listener is no address for people elsewhere: links with it lead to the API, not to a page.
            public_url: config.server.public_url.as_ref().map(|url| url.as_str().to_owned()),
            listen_url: config.server.listen_url(listener).as_str().to_owned(),
        }
    }
}

/// The mail server with its password, which may be in a file.
fn mail_server(config: &Config) -> anyhow::Result<Option<MailServer>> {
    let email = &config.email;
    let mut server = email.server.clone();
    let login = server.as_mut().and_then(|server| server.login.as_mut());
    if let (Some(file), Some(login)) = (&email.password_file, login) {
        let text = std::fs::read_to_string(file);
        let text = text.with_context(|| format!("email.password_file: cannot read {}", file.display()))?;
        let password = text.trim_end_matches(['\r', '\n']);
        let is_line = !password.is_empty() && !password.chars().any(char::is_control);
        ensure!(is_line, "email.password_file: {} has to hold one line, the password", file.display());
        login.password = Secret::new(password);
    }
    Ok(server)
}
