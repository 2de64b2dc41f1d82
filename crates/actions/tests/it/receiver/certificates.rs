//! Certificates for receivers that speak TLS, good ones and bad ones.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, SupportedProtocolVersion};

use super::pfx;

/// An authority of our own.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        // Each has a name of its own, as real ones do.
        let key = KeyPair::generate().unwrap();
        params.distinguished_name.push(DnType::CommonName, format!("{:?}", &key.public_key_raw()[..8]));
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    /// Its certificate, as the setting takes it.
    pub(crate) fn pem(&self) -> Vec<u8> {
        self.0.pem().into_bytes()
    }

    /// A server with a certificate for this name.
    pub(crate) fn server(&self, name: &str) -> ServerConfig {
        self.issue(&CertificateParams::new(vec![name.to_owned()]).unwrap())
    }

    /// A server that demands client certificates of this authority, too.
    pub(crate) fn strict_server(&self, name: &str, version: &'static SupportedProtocolVersion) -> ServerConfig {
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let verifier =
            WebPkiClientVerifier::builder_with_provider(roots.into(), Arc::clone(&provider)).build().unwrap();
        let builder = ServerConfig::builder_with_provider(provider).with_protocol_versions(&[version]).unwrap();
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let chain = vec![params.signed_by(&key, &self.0).unwrap().der().clone()];
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        builder.with_client_cert_verifier(verifier).with_single_cert(chain, key).unwrap()
    }

    /// A PFX file in base64 with a client certificate.
    pub(crate) fn client(&self, name: &str) -> String {
        self.client_until(name, 2040)
    }

    /// The same with one that expires at the beginning of a year.
    pub(crate) fn client_until(&self, name: &str, year: i32) -> String {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(year, 1, 1);
        let key = KeyPair::generate().unwrap();
        pfx::write(params.signed_by(&key, &self.0).unwrap().der(), key.serialized_der())
    }

    /// A server with one that was good until the end of 2020.
    pub(crate) fn expired_server(&self, name: &str) -> ServerConfig {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2020, 12, 31);
        self.issue(&params)
    }

    fn issue(&self, params: &CertificateParams) -> ServerConfig {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let provider = rustls::crypto::aws_lc_rs::default_provider();
        let builder =
            ServerConfig::builder_with_provider(provider.into()).with_safe_default_protocol_versions().unwrap();
        builder.with_no_client_auth().with_single_cert(vec![certificate.der().clone()], key).unwrap()
    }
}
