//! Serves metrics at an address of their own.

use std::net::SocketAddr;
use std::sync::Arc;

use http::header::{ACCEPT, ALLOW, AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, request};
use punctual_api::auth::refuse_foreign;
use punctual_metrics::{Format, Metrics};
use punctual_model::time::Clock;

use super::scrape_token::ScrapeToken;
use super::server_config;
use crate::clock::SystemClock;
use crate::config::Config;
use crate::config::server::Tls;
use crate::server::body::UnreadBody;
use crate::server::responder::{Body, Peer, Responder, full};
use crate::server::{Server, ServerConfig, TlsSource};

/// Connections that are open at once: two instances of Prometheus, and people who look.
const CONNECTIONS_MAX: usize = 32;

/// The server of metrics, and who answers for it.
pub(super) struct MetricsServer {
    server: Server,
    responder: Arc<MetricsResponder>,
}

impl MetricsServer {
    /// Takes the address that the configuration names, if it names one. The API listens already.
    pub(super) async fn bind(
        config: &Config,
        metrics: &Arc<Metrics>,
        clock: SystemClock,
    ) -> anyhow::Result<Option<Self>> {
        let Some(listen) = config.metrics.listen else { return Ok(None) };
        let token = config.metrics.token_file.as_deref().map(ScrapeToken::read).transpose()?;
        let tls = match &config.server.tls {
            // The API has made this certificate and renews it.
            Tls::SelfSigned => {
                let file = |name: &str| config.store.data.join("tls").join(name);
                Some(TlsSource::Files { certificate: file("server.pem"), key: file("server.key") })
            }
            Tls::Off | Tls::Files { .. } => server_config(config, clock).tls,
        };
        let limits = server_config(config, clock);
        let server = Server::bind(ServerConfig { listen, tls, connections_max: CONNECTIONS_MAX, ..limits }).await?;
        let responder = Arc::new(MetricsResponder { metrics: Arc::clone(metrics), token, clock });
        Ok(Some(Self { server, responder }))
    }

    /// Where it listens.
    pub(super) fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Answers until `shutdown`.
    pub(super) async fn run(self, shutdown: tokio_util::sync::CancellationToken) {
        self.server.run(self.responder, shutdown).await;
    }
}

/// Answers `GET /metrics`, and nothing else.
struct MetricsResponder {
    metrics: Arc<Metrics>,
    /// Nothing where everyone on this machine may ask.
    token: Option<ScrapeToken>,
    clock: SystemClock,
}

impl Responder for MetricsResponder {
    async fn respond(&self, request: Request<UnreadBody>, _peer: Peer) -> Response<Body> {
        let (head, _) = request.into_parts();
        if let Some(refusal) = self.refusal(&head) {
            return refusal;
        }
        let accept = head.headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let format = Format::of_accept(accept);
        let text = self.metrics.render(format, self.clock.now());
        answer(StatusCode::OK, text, (CONTENT_TYPE, format.content_type()))
    }
}

impl MetricsResponder {
    /// The answer to a request that is refused; none if it is not.
    fn refusal(&self, head: &request::Parts) -> Option<Response<Body>> {
        let plain = (CONTENT_TYPE, "text/plain; charset=utf-8");
        if head.uri.path() != "/metrics" {
            return Some(answer(StatusCode::NOT_FOUND, "only /metrics is here\n", plain));
        }
        if head.method != Method::GET && head.method != Method::HEAD {
            return Some(answer(StatusCode::METHOD_NOT_ALLOWED, "", (ALLOW, "GET, HEAD")));
        }
        let authorization = head.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        match &self.token {
            Some(token) if token.is_shown_in(authorization) => None,
            Some(_) => {
                let text = "send the token of metrics.token_file: Authorization: Bearer …\n";
                Some(answer(StatusCode::UNAUTHORIZED, text, (WWW_AUTHENTICATE, "Bearer")))
            }
            None => {
                let reason = refuse_foreign(head).err()?;
                Some(answer(StatusCode::FORBIDDEN, format!("{reason}\n"), plain))
            }
        }
    }
}

fn answer(
    status: StatusCode,
    text: impl Into<bytes::Bytes>,
    (name, value): (HeaderName, &'static str),
) -> Response<Body> {
    let mut response = Response::new(full(text));
    *response.status_mut() = status;
    response.headers_mut().insert(name, HeaderValue::from_static(value));
    response
}
