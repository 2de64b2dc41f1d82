//! What `serve` would fail at before it serves: files, keys and authorities. Nothing is changed, and no port is opened.

use anyhow::Context;
use punctual_actions::Actions;
use punctual_store::sqlite::Sqlite;

use super::outbound::Outbound;
use super::scrape_token::ScrapeToken;
use super::{authentication, data_directory, server_config, stores};
use crate::clock::SystemClock;
use crate::config::Config;
use crate::server;

/// Everything that would keep the server from starting, as far as that can be known without starting it.
pub(crate) fn check(config: &Config, clock: SystemClock) -> Vec<anyhow::Error> {
    let mut wrong = Vec::new();
    if let Some(postgres) = &config.store.postgres {
        wrong.extend(stores::settings(postgres).err());
    } else {
        wrong.extend(data_directory::refuse_lost_database(&config.store.data).err());
        let keys = Sqlite::check_keys(&config.store.data, config.secrets.keyring.as_ref());
        wrong.extend(keys.context("store.data").err());
    }
    if let Some(tls) = server_config(config, clock).tls {
        wrong.extend(server::check_tls(&tls).context("server.tls").err());
    }
    let token = config.metrics.token_file.as_deref().map(ScrapeToken::read).transpose();
    wrong.extend(token.err());
    match Outbound::read(config) {
        Ok(outbound) => {
            let settings = outbound.action_settings(config, config.server.listen, None);
            let actions = Actions::new(settings).context("[outbound]").map(drop);
            wrong.extend(actions.and_then(|()| authentication(config, &outbound).map(drop)).err());
        }
        Err(error) => wrong.push(error),
    }
    wrong
}
