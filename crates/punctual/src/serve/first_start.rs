//! What a new data directory needs before anyone can use it: someone who may, and a collection to put jobs in.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use punctual_api::auth::Token;
use punctual_api::{DEFAULT_COLLECTION, Entropy, limits};
use punctual_model::Name;
use punctual_model::access::{Grant, Role, Scope};
use punctual_model::collection::{Collection, CollectionState};
use punctual_model::time::Timestamp;
use punctual_store::{CollectionKey, CollectionWrite, Error, GroupKey, Stamp, Store, TokenEntry};

/// The operator's copy of the owner token, in the data directory.
pub(super) const FILE: &str = "owner.token";

/// The owner token that was made.
pub(super) struct FirstStart {
    pub(super) token: Token,
    pub(super) file: PathBuf,
}

impl FirstStart {
    /// Makes the token and the collection, if nobody owns the server yet, or any more: who has revoked or lost every such
    /// token gets in again by starting the server again.
    pub(super) async fn make(
        store: &dyn Store,
        data: &Path,
        defaults: &GroupKey,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> anyhow::Result<Option<Self>> {
        let owner = Grant { role: Role::Owner, scope: Scope::Server };
        let owns = |token: &TokenEntry| token.grants.contains(&owner) && token.expires.is_none_or(|at| at > now);
        let known = store.tokens().await?;
        if known.iter().any(owns) {
            return Ok(None);
        }
        make_collection(store, defaults, now).await?;
        let mut random = [0; Token::RANDOM_BYTES];
        entropy.fill(&mut random);
        let token = Token::generate(random);
        let file = data.join(FILE);
        // The file comes first: a token that nobody has would keep everyone out.
        write(&file, &token).with_context(|| format!("cannot write {}", file.display()))?;
        let entry = TokenEntry {
            id: token.id(),
            hash: token.hash().bytes(),
            description: "the owner, made on first start".to_owned(),
            created: now,
            expires: None,
            grants: vec![owner.clone()],
        };
        // Of several nodes that start together one makes the token: the others find one more than they knew.
        let tokens_max = u32::try_from(known.len() + 1).unwrap_or(limits::TOKENS_MAX).min(limits::TOKENS_MAX);
        match store.put_token(entry, tokens_max).await {
            Ok(()) => Ok(Some(Self { token, file })),
            Err(Error::Full { .. }) if store.tokens().await?.iter().any(owns) => {
                std::fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// The collection that `/v1/jobs` means. It names no plan, so that none limits it.
async fn make_collection(store: &dyn Store, defaults: &GroupKey, now: Timestamp) -> anyhow::Result<()> {
    let name = Name::parse(DEFAULT_COLLECTION).map_err(|expected| anyhow::anyhow!("{expected}"))?;
    let GroupKey { subscription, group } = defaults.clone();
    let key = CollectionKey { subscription, group, collection: name.clone() };
    if store.collection(&key).await?.is_some() {
        return Ok(());
    }
    let (location, tags, sku, quota) = (None, BTreeMap::new(), None, None);
    let collection = Collection { name, location, tags, sku, state: CollectionState::Enabled, quota };
    let write = CollectionWrite::new(key, collection, Stamp::of_server(now));
    match store.put_collection(write).await {
        // Another node has made it at the same time.
        Err(Error::Stale) => Ok(()),
        written => Ok(written.map(drop)?),
    }
}

/// Readable by its owner alone.
fn write(file: &Path, token: &Token) -> std::io::Result<()> {
    let _ = std::fs::remove_file(file);
    let mut opened = File::options().create_new(true).write(true).mode(0o600).open(file)?;
    writeln!(opened, "{}", token.expose())?;
    opened.sync_all()
}
