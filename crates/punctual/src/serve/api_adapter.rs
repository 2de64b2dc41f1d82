//! Gives the server's requests to the API.

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use punctual_actions::egress::Network;
use punctual_api::{Api, RequestBody};
use tokio_util::sync::CancellationToken;

use super::event_body::EventBody;
use crate::server::body::UnreadBody;
use crate::server::responder::{Body, BodyFault, Peer, Responder, full, streamed};

/// The API, as the server knows it.
pub(super) struct ApiAdapter {
    pub(super) api: Api,
    /// Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.
    pub(super) trusted_proxies: Vec<Network>,
    /// Ends streams of events.
    pub(super) shutdown: CancellationToken,
}

impl Responder for ApiAdapter {
    async fn respond(&self, request: Request<UnreadBody>, peer: Peer) -> Response<Body> {
        let request = request.map(BodyAdapter);
        let peer = self.client(request.headers(), peer);
        self.api.answer(request, peer).await.map(|body| match body {
            punctual_api::Body::Whole(bytes) => full(bytes),
            punctual_api::Body::Events(stream) => streamed(EventBody::new(stream, self.shutdown.clone())),
        })
    }
}

impl ApiAdapter {
    /// The client itself, if it came through a proxy that is trusted: the last address that no such proxy has, since
    /// everything before it could have been written by anyone.
    fn client(&self, headers: &HeaderMap, peer: Peer) -> punctual_api::Peer {
        let is_trusted = |address| self.trusted_proxies.iter().any(|network| network.contains(address));
        let mut client = punctual_api::Peer { address: peer.address, is_tls: peer.is_tls };
        if !is_trusted(peer.address.ip()) {
            return client;
        }
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let forwarded = text("x-forwarded-for").rsplit(',').map_while(|address| address.trim().parse().ok());
        for address in forwarded {
            client.address.set_ip(address);
            if !is_trusted(address) {
                break;
            }
        }
        client.is_tls = text("x-forwarded-proto").eq_ignore_ascii_case("https");
        client
    }
}

/// The body of a request, as the API knows it.
struct BodyAdapter(UnreadBody);

impl RequestBody for BodyAdapter {
    async fn read(self, caller: &str) -> Result<Bytes, punctual_api::BodyFault> {
        self.0.read(caller).await.map_err(fault)
    }
}

fn fault(fault: BodyFault) -> punctual_api::BodyFault {
    match fault {
        BodyFault::TooLarge { bytes_max } => punctual_api::BodyFault::TooLarge { bytes_max },
        BodyFault::TooSlow { time_max } => punctual_api::BodyFault::TooSlow { seconds_max: time_max.as_secs() },
        BodyFault::Broken => punctual_api::BodyFault::Broken,
        BodyFault::NoRoom => punctual_api::BodyFault::NoRoom,
    }
}
