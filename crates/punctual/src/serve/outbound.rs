//! What leaves this machine: the calls of jobs and those of the server itself, by one proxy and one set of authorities.

use std::net::SocketAddr;

use anyhow::Context;
use punctual_actions::egress::Egress;
use punctual_actions::{Error, LookUp, OperatorClient, Proxy, Settings};

use crate::config::Config;

/// The proxy and the authorities of `[outbound]`.
pub(super) struct Outbound {
    proxy: Option<Proxy>,
    ca_pem: Option<Vec<u8>>,
}

impl Outbound {
    /// Reads the file with authorities, if the configuration names one.
    pub(super) fn read(config: &Config) -> anyhow::Result<Self> {
        let ca_pem =
            config.outbound.ca.as_ref().map(|file| {
                std::fs::read(file).with_context(|| format!("outbound.ca: cannot read {}", file.display()))
            });
        Ok(Self { proxy: config.outbound.proxy.clone(), ca_pem: ca_pem.transpose()? })
    }

    /// A client for addresses that the operator chose.
    pub(super) fn operator_client(&self) -> Result<OperatorClient, Error> {
        OperatorClient::new(self.proxy.clone(), self.ca_pem.as_deref())
    }

    /// How jobs call their targets. They must not call the server itself, which listens on `listeners`.
    pub(super) fn action_settings(&self, config: &Config, listeners: Vec<SocketAddr>) -> Settings {
        let outbound = &config.outbound;
        Settings {
            egress: Egress {
                own_listeners: listeners,
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
            // The address of the listener is no address for people elsewhere.
            public_url: config.server.public_url.as_ref().map(|url| url.as_str().to_owned()),
        }
    }
}
