//! The first lines on stderr: where the server listens, and what to try first.

use super::first_start::{self, FirstStart};
use crate::cli::print_note;
use crate::config::Config;
use crate::config::server::Tls;
use crate::server::Server;

/// Prints where the server listens, where its data is, and a first request to try.
pub(super) fn print(config: &Config, server: &Server, first_start: Option<&FirstStart>) {
    let url = config.server.public_url(server.address());
    let (url, data) = (url.as_str(), config.store.data.display());
    let mut lines =
        vec![format!("punctual {} listens on {url}", env!("CARGO_PKG_VERSION")), format!("its data is in {data}")];
    let mut trusting = String::new();
    if matches!(config.server.tls, Tls::SelfSigned) {
        let ca = config.store.data.join("tls").join("ca.pem");
        trusting = format!(" --cacert {}", ca.display());
        lines.push(format!(
            "clients trust it with {0} (curl --cacert {0}, Python connection_verify='{0}')",
            ca.display()
        ));
    }
    if !config.auth.required {
        lines.push("anyone on this machine may do everything (--no-auth)".to_owned());
    }
    if let Some(FirstStart { token, file }) = first_start {
        lines.push(format!("the owner token, shown this once and kept in {}: {}", file.display(), token.expose()));
    }
    let bearer = if config.auth.required {
        format!(" -H \"Authorization: Bearer $(cat {data}/{})\"", first_start::FILE)
    } else {
        String::new()
    };
    lines.push(format!(
        "try: curl{trusting} -X PUT {url}/v1/jobs/hello{bearer} -d \
         '{{\"action\":{{\"request\":{{\"uri\":\"https://example.com\"}}}},\"recurrence\":{{\"frequency\":\"Minute\"}}}}'"
    ));
    for line in &lines {
        print_note(line);
    }
}
