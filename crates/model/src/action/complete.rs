//! Fills in the secrets that a client did not send from the stored action.
//!
//! A stored secret is bound to what it is known by and to the server that it is sent to. Otherwise whoever may write a job
//! could have its secrets sent to a server of their own.

use super::{
    Action, Authentication, ErrorAction, HttpAction, MASK, Origin, SasKey, SasToken, Secret, ServiceBusAction, Signing,
    StorageQueueAction, Target, is_header_of_signature,
};
use crate::Violation;

impl Action<Option<Secret>> {
    /// The action with every secret it needs: those given, else the stored ones whose public part is unchanged and whose
    /// server is the same. A mask in the place of a secret gives none.
    ///
    /// A secret that is neither given nor stored is a violation. Paths are relative to the definition of the job.
    pub fn complete(mut self, stored: Option<&Action>) -> Result<Action, Vec<Violation>> {
        let mut violations = self.unmask(stored);
        let is_elsewhere = stored.is_some_and(|stored| {
            let known = origins(&stored.target, stored.error.as_ref().map(|error| &error.target));
            let given = origins(&self.target, self.error.as_ref().map(|error| &error.target));
            given.iter().any(|origin| !known.contains(origin))
        });
        let target = self.target.complete(stored.map(|action| &action.target));
        let target = gather(&mut violations, "action", target);
        let error = self.error.map(|error| {
            let stored = stored.and_then(|action| action.error.as_ref());
            let target =
                gather(&mut violations, "action.errorAction", error.target.complete(stored.map(|error| &error.target)));
            target.map(|target| ErrorAction { target, retry: error.retry })
        });
        let stored_sign = stored.and_then(|action| action.sign.as_ref());
        let sign = self.sign.map(|sign| {
            let completed = sign.complete(stored_sign, is_elsewhere);
            gather(&mut violations, "options.sign", completed)
        });
        match target {
            Some(target) if violations.is_empty() => {
                let action = Action { target, retry: self.retry, error: error.flatten(), sign: sign.flatten() };
                let violations = action.headers_of_signature();
                if violations.is_empty() { Ok(action) } else { Err(violations) }
            }
            _ => Err(violations),
        }
    }
}

impl Action {
    /// What is wrong with headers of the job that its signature sets, too.
    fn headers_of_signature(&self) -> Vec<Violation> {
        let headers = self.targets().filter(|_| self.sign.is_some()).flat_map(|(path, target)| match target {
            Target::Http(http) => http.headers.iter().map(|(name, _)| (path, name)).collect(),
            Target::StorageQueue(_) | Target::ServiceBus(_) | Target::Email(_) => Vec::new(),
        });
        let ours = headers.filter(|(_, name)| is_header_of_signature(name));
        let text = "the signature (options.sign) sets this header: leave it out, or do not sign";
        ours.map(|(path, name)| Violation::sentence(format!("{path}.request.headers.{name}"), text)).collect()
    }
}

impl Signing<Option<Secret>> {
    /// `is_elsewhere`: what is signed goes to a server that the stored key has not signed for. Who has the key's signatures made for
    /// a server of their own could show them to the other one.
    fn complete(self, stored: Option<&Signing>, is_elsewhere: bool) -> Result<Signing, Violation> {
        let absent = if self.key.is_some() { MASK } else { "nothing" };
        if is_elsewhere && stored.is_some() && self.key.as_ref().is_none_or(Secret::is_mask) {
            return Err(missing(self.key.as_ref(), "secret", "scheme, host and port"));
        }
        let key = self.key.filter(|key| !key.is_mask()).or_else(|| stored.map(|stored| stored.key.clone()));
        let missing = || Violation::new("secret", absent, "the key to sign with, since none is stored");
        Ok(Signing { key: key.ok_or_else(missing)? })
    }
}

/// The servers that calls over HTTP go to.
fn origins<S>(target: &Target<S>, error: Option<&Target<S>>) -> Vec<Origin> {
    let http = [Some(target), error].into_iter().flatten().filter_map(|target| match target {
        Target::Http(http) => Some(http.uri.origin()),
        Target::StorageQueue(_) | Target::ServiceBus(_) | Target::Email(_) => None,
    });
    http.collect()
}

fn gather<T>(violations: &mut Vec<Violation>, member: &str, result: Result<T, Violation>) -> Option<T> {
    result.map_err(|violation| violations.push(violation.under(member))).ok()
}

impl Target<Option<Secret>> {
    fn complete(self, stored: Option<&Target>) -> Result<Target, Violation> {
        Ok(match (self, stored) {
            (Self::Http(http), Some(Target::Http(stored))) => Target::Http(http.complete(Some(stored))?),
            (Self::Http(http), _) => Target::Http(http.complete(None)?),
            (Self::StorageQueue(queue), Some(Target::StorageQueue(stored))) => {
                Target::StorageQueue(queue.complete(Some(stored))?)
            }
            (Self::StorageQueue(queue), _) => Target::StorageQueue(queue.complete(None)?),
            (Self::ServiceBus(bus), Some(Target::ServiceBus(stored))) => {
                Target::ServiceBus(Box::new(bus.complete(Some(stored))?))
            }
            (Self::ServiceBus(bus), _) => Target::ServiceBus(Box::new(bus.complete(None)?)),
            (Self::Email(email), _) => Target::Email(email),
        })
    }
}

impl HttpAction<Option<Secret>> {
    fn complete(self, stored: Option<&HttpAction>) -> Result<HttpAction, Violation> {
        let stored = stored.filter(|stored| stored.uri.origin() == self.uri.origin());
        let stored = stored.and_then(|http| http.authentication.as_ref());
        let authentication = match self.authentication {
            Some(given) => Some(given.complete(stored).map_err(|v| v.under("authentication").under("request"))?),
            None => None,
        };
        Ok(HttpAction {
            kind: self.kind,
            uri: self.uri,
            method: self.method,
            headers: self.headers,
            body: self.body,
            authentication,
        })
    }
}

impl Authentication<Option<Secret>> {
    /// `stored` are the credentials that go to the same server.
    fn complete(self, stored: Option<&Authentication>) -> Result<Authentication, Violation> {
        match self {
            Self::Basic { username, password } => {
                let kept = match stored {
                    Some(Authentication::Basic { username: known, password }) if *known == username => Some(password),
                    _ => None,
                };
                let password = given_or_kept(password, kept, "password", "username, scheme, host and port")?;
                Ok(Authentication::Basic { username, password })
            }
            Self::OAuth { tenant, audience, client_id, secret } => {
                let kept = match stored {
                    Some(Authentication::OAuth { tenant: issuer, audience: reader, client_id: known, secret })
                        if *known == client_id && *reader == audience && issuer.eq_ignore_ascii_case(&tenant) =>
                    {
                        Some(secret)
                    }
                    _ => None,
                };
                let known_by = "clientId, tenant, audience, scheme, host and port";
                let secret = given_or_kept(secret, kept, "secret", known_by)?;
                Ok(Authentication::OAuth { tenant, audience, client_id, secret })
            }
            Self::ClientCertificate { pfx: Some(pfx), password, thumbprint, info } if !pfx.is_mask() => {
                let password = password.unwrap_or_else(|| Secret::new(""));
                Ok(Authentication::ClientCertificate { pfx, password, thumbprint, info })
            }
            Self::ClientCertificate { pfx, thumbprint: given, .. } => match stored {
                Some(Authentication::ClientCertificate { thumbprint, .. })
                    if given.is_none() || given == *thumbprint =>
                {
                    Ok(stored.expect("matched").clone())
                }
                _ => Err(missing(pfx.as_ref(), "pfx", "certificateThumbprint, scheme, host and port")),
            },
        }
    }
}

impl StorageQueueAction<Option<Secret>> {
    fn complete(self, stored: Option<&StorageQueueAction>) -> Result<StorageQueueAction, Violation> {
        let kept = stored.filter(|stored| self.has_same_queue(stored)).map(|stored| &stored.sas_token);
        let given = self.sas_token.map(|given| {
            let is_masked = SasToken::new(&given).signature().is_some_and(|signature| signature == MASK);
            if is_masked { Secret::new(MASK) } else { given }
        });
        let sas_token = given_or_kept(given, kept, "sasToken", "storageAccount and queueName");
        Ok(StorageQueueAction {
            account: self.account,
            queue: self.queue,
            sas_token: sas_token.map_err(|violation| violation.under("queueMessage"))?,
            message: self.message,
            format: self.format,
            time_to_live: self.time_to_live,
            visibility_delay: self.visibility_delay,
        })
    }
}

impl ServiceBusAction<Option<Secret>> {
    /// A key that is neither given nor stored is the one the configuration holds. A mask asks for a stored one.
    fn complete(self, stored: Option<&ServiceBusAction>) -> Result<ServiceBusAction, Violation> {
        let stored = stored.filter(|stored| stored.namespace.eq_ignore_ascii_case(&self.namespace));
        let stored = stored.and_then(|stored| stored.authentication.as_ref());
        let member = self.member();
        let authentication = match self.authentication {
            Some(SasKey { name, key }) => {
                let kept = stored.filter(|stored| stored.name == name).and_then(|stored| stored.key.as_ref());
                let key = match key.flatten() {
                    None => kept.cloned(),
                    Some(given) => {
                        let key = given_or_kept(Some(given), kept, "sasKey", "sasKeyName and namespace");
                        Some(key.map_err(|violation| violation.under("authentication").under(member))?)
                    }
                };
                Some(SasKey { name, key })
            }
            None => None,
        };
        Ok(ServiceBusAction {
            entity: self.entity,
            namespace: self.namespace,
            transport: self.transport,
            authentication,
            message: self.message,
            brokered: self.brokered,
            custom: self.custom,
        })
    }
}

fn given_or_kept(
    given: Option<Secret>,
    kept: Option<&Secret>,
    member: &str,
    known_by: &str,
) -> Result<Secret, Violation> {
    match given {
        Some(secret) if !secret.is_mask() => Ok(secret),
        absent => kept.cloned().ok_or_else(|| missing(absent.as_ref(), member, known_by)),
    }
}

/// The violation of a secret that is absent, or `masked`, and not stored either.
fn missing(masked: Option<&Secret>, member: &str, known_by: &str) -> Violation {
    let absent = if masked.is_some() { "masked (***)" } else { "missing" };
    Violation::sentence(member, format!("{absent}, and no stored {member} has this {known_by}: send the {member}"))
}
