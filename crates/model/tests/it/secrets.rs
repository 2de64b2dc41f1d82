//! A client that writes back what it read sends no secrets: which are kept, and which are asked for.

use insta::assert_snapshot;
use punctual_model::action::{
    Action, Address, Authentication, BrokeredProperties, Entity, ErrorAction, HttpAction, HttpType, SasKey, Secret,
    ServiceBusAction, Signing, StorageQueueAction, Target,
};

fn http(authentication: Authentication<Option<Secret>>) -> Action<Option<Secret>> {
    action(Target::Http(HttpAction {
        kind: HttpType::Https,
        uri: Address::parse("https://example.com").unwrap(),
        method: "GET".to_owned(),
        headers: Vec::new(),
        body: None,
        authentication: Some(authentication),
    }))
}

fn action(target: Target<Option<Secret>>) -> Action<Option<Secret>> {
    Action { target, retry: None, error: None, sign: None }
}

fn basic(username: &str, password: Option<&str>) -> Action<Option<Secret>> {
    http(Authentication::Basic { username: username.to_owned(), password: password.map(Secret::new) })
}

fn oauth(client_id: &str, secret: Option<&str>) -> Action<Option<Secret>> {
    let [tenant, audience] = ["contoso", "https://management.core.windows.net/"].map(str::to_owned);
    http(Authentication::OAuth { tenant, audience, client_id: client_id.to_owned(), secret: secret.map(Secret::new) })
}

fn certificate(thumbprint: Option<&str>, pfx: Option<&str>) -> Action<Option<Secret>> {
    let thumbprint = thumbprint.map(str::to_owned);
    http(Authentication::ClientCertificate { pfx: pfx.map(Secret::new), password: None, thumbprint, info: None })
}

fn queue(account: &str, sas_token: Option<&str>) -> Action<Option<Secret>> {
    action(Target::StorageQueue(StorageQueueAction {
        account: account.to_owned(),
        queue: "work".to_owned(),
        sas_token: sas_token.map(Secret::new),
        message: "hello".to_owned(),
        format: None,
        time_to_live: None,
        visibility_delay: None,
    }))
}

fn service_bus(key_name: &str, key: Option<&str>) -> Action<Option<Secret>> {
    action(Target::ServiceBus(Box::new(ServiceBusAction {
        entity: Entity::Queue("work".to_owned()),
        namespace: "contoso".to_owned(),
        transport: None,
        authentication: Some(SasKey { name: key_name.to_owned(), key: key.map(|key| Some(Secret::new(key))) }),
        message: "hello".to_owned(),
        brokered: BrokeredProperties::default(),
        custom: Vec::new(),
    })))
}

/// What becomes of `written` over `stored`: the secret it ends up with, or what is missing.
fn outcome(stored: Option<Action<Option<Secret>>>, written: Action<Option<Secret>>) -> String {
    let stored = stored.map(|stored| stored.complete(None).unwrap());
    match written.complete(stored.as_ref()) {
        Ok(action) => match &action.error {
            Some(error) => secret_of(&error.target),
            None => secret_of(&action.target),
        },
        Err(violations) => violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
    }
}

fn secret_of(target: &Target) -> String {
    let secret = match target {
        Target::Http(http) => match http.authentication.as_ref().unwrap() {
            Authentication::Basic { password, .. } => Some(password),
            Authentication::OAuth { secret, .. } => Some(secret),
            Authentication::ClientCertificate { pfx, .. } => Some(pfx),
        },
        Target::StorageQueue(queue) => Some(&queue.sas_token),
        Target::ServiceBus(bus) => bus.authentication.as_ref().unwrap().key.as_ref(),
        Target::Email(_) => None,
    };
    secret.map_or("the configuration's".to_owned(), |secret| secret.expose().to_owned())
}

#[test]
fn a_secret_is_kept_while_its_public_part_is_unchanged() {
    let told = [
        outcome(Some(basic("ann", Some("old"))), basic("ann", None)),
        outcome(Some(basic("ann", Some("old"))), basic("ann", Some("new"))),
        outcome(Some(basic("ann", Some("old"))), basic("bob", None)),
        outcome(None, basic("ann", None)),
        outcome(Some(oauth("client", Some("old"))), oauth("client", None)),
        outcome(Some(oauth("client", Some("old"))), oauth("other", None)),
        outcome(Some(oauth("client", Some("old"))), basic("client", None)),
        outcome(Some(certificate(Some("AB12"), Some("old"))), certificate(Some("AB12"), None)),
        outcome(Some(certificate(Some("AB12"), Some("old"))), certificate(None, None)),
        outcome(Some(certificate(Some("AB12"), Some("old"))), certificate(Some("CD34"), None)),
        outcome(None, certificate(Some("AB12"), None)),
        outcome(Some(queue("account", Some("old"))), queue("Account", None)),
        outcome(Some(queue("account", Some("old"))), queue("another", None)),
        outcome(Some(service_bus("policy", Some("old"))), service_bus("policy", None)),
        outcome(Some(service_bus("policy", Some("old"))), service_bus("other", None)),
        outcome(Some(queue("account", Some("old"))), service_bus("policy", None)),
    ];
    assert_snapshot!(told.join("\n"), @"
    old
    new
    action.request.authentication.password: missing, and no stored password has this username, scheme, host and port: send the password
    action.request.authentication.password: missing, and no stored password has this username, scheme, host and port: send the password
    old
    action.request.authentication.secret: missing, and no stored secret has this clientId, tenant, audience, scheme, host and port: send the secret
    action.request.authentication.password: missing, and no stored password has this username, scheme, host and port: send the password
    old
    old
    action.request.authentication.pfx: missing, and no stored pfx has this certificateThumbprint, scheme, host and port: send the pfx
    action.request.authentication.pfx: missing, and no stored pfx has this certificateThumbprint, scheme, host and port: send the pfx
    old
    action.queueMessage.sasToken: missing, and no stored sasToken has this storageAccount and queueName: send the sasToken
    old
    the configuration's
    the configuration's
    ");
}

#[test]
fn the_error_action_has_secrets_of_its_own() {
    let with_error = |error: Action<Option<Secret>>| Action {
        error: Some(ErrorAction { target: error.target, retry: None }),
        ..basic("ann", Some("main"))
    };
    let stored = with_error(queue("account", Some("old")));
    let told = [
        outcome(Some(stored.clone()), with_error(queue("account", None))),
        outcome(Some(stored), with_error(queue("another", None))),
        outcome(Some(queue("account", Some("main"))), with_error(queue("account", None))),
    ];
    assert_snapshot!(told.join("\n"), @"
    old
    action.errorAction.queueMessage.sasToken: missing, and no stored sasToken has this storageAccount and queueName: send the sasToken
    action.errorAction.queueMessage.sasToken: missing, and no stored sasToken has this storageAccount and queueName: send the sasToken
    ");
}

fn signed(key: Option<&str>, header: &str) -> Action<Option<Secret>> {
    let mut action = basic("ann", Some("password"));
    let Target::Http(http) = &mut action.target else { unreachable!() };
    http.headers.push((header.to_owned(), "x".to_owned()));
    Action { sign: Some(Signing { key: key.map(Secret::new) }), ..action }
}

#[test]
fn the_key_of_signatures_stays_with_the_servers_that_it_signs_for() {
    let calling = |key: Option<&str>, uris: &[&str]| {
        let http = |uri: &str| {
            let mut http = signed(key, "x");
            let Target::Http(target) = &mut http.target else { unreachable!() };
            target.uri = Address::parse(uri).unwrap();
            target.authentication = None;
            http
        };
        let error = uris.get(1).map(|uri| ErrorAction { target: http(uri).target, retry: None });
        Action { error, ..http(uris[0]) }
    };
    let stored = calling(Some("old"), &["https://a.example.com/", "https://b.example.com/"]).complete(None).unwrap();
    let kept = |key: Option<&str>, uris: &[&str]| match calling(key, uris).complete(Some(&stored)) {
        Ok(action) => action.sign.unwrap().key.expose().to_owned(),
        Err(violations) => violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
    };
    assert_eq!(kept(None, &["https://a.example.com/other"]), "old");
    assert_eq!(kept(None, &["https://b.example.com/", "https://a.example.com/"]), "old");
    let sentence = "options.sign.secret: missing, and no stored secret has this scheme, host and port: send the secret";
    assert_eq!(kept(None, &["https://c.example.com/"]), sentence);
    assert_eq!(kept(None, &["http://a.example.com/"]), sentence);
    assert_eq!(kept(None, &["https://a.example.com/", "https://c.example.com/"]), sentence);
    assert_eq!(kept(Some("***"), &["https://c.example.com/"]), sentence.replace("missing", "masked (***)"));
    assert_eq!(kept(Some("new"), &["https://c.example.com/"]), "new");
}

#[test]
fn the_key_of_signatures_is_kept_while_calls_are_signed() {
    let outcome = |stored: Option<Action<Option<Secret>>>, written: Action<Option<Secret>>| {
        let stored = stored.map(|stored| stored.complete(None).unwrap());
        match written.complete(stored.as_ref()) {
            Ok(action) => action.sign.map_or("not signed".to_owned(), |sign| sign.key.expose().to_owned()),
            Err(violations) => violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        }
    };
    let told = [
        outcome(Some(signed(Some("old"), "x")), signed(None, "x")),
        outcome(Some(signed(Some("old"), "x")), signed(Some("new"), "x")),
        outcome(Some(signed(Some("old"), "x")), basic("ann", None)),
        outcome(Some(basic("ann", Some("password"))), signed(None, "x")),
        outcome(None, signed(None, "x")),
        outcome(None, signed(Some("new"), "Webhook-Id")),
    ];
    assert_snapshot!(told.join("\n"), @"
    old
    new
    not signed
    options.sign.secret: given nothing, expected the key to sign with, since none is stored
    options.sign.secret: given nothing, expected the key to sign with, since none is stored
    action.request.headers.Webhook-Id: the signature (options.sign) sets this header: leave it out, or do not sign
    ");
}
