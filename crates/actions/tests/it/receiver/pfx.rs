//! Writes PFX files, without any protection: what is tested here is what is in them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const DATA: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01";
const KEY_BAG: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x0a\x01\x01";
const CERTIFICATE_BAG: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x0a\x01\x03";
const X509_CERTIFICATE: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x16\x01";

const INTEGER: u8 = 0x02;
const OCTET_STRING: u8 = 0x04;
const IDENTIFIER: u8 = 0x06;
const SEQUENCE: u8 = 0x30;
const CONTEXT_0: u8 = 0xa0;

/// A file with a certificate and its key, both in DER, as base64.
pub(crate) fn write(certificate: &[u8], key_pkcs8: &[u8]) -> String {
    let certificate = typed(X509_CERTIFICATE, &der(OCTET_STRING, &[certificate]));
    let bags = der(SEQUENCE, &[&typed(KEY_BAG, key_pkcs8), &typed(CERTIFICATE_BAG, &certificate)]);
    let contents = der(SEQUENCE, &[&data(&bags)]);
    STANDARD.encode(der(SEQUENCE, &[&der(INTEGER, &[&[3]]), &data(&contents)]))
}

fn data(content: &[u8]) -> Vec<u8> {
    typed(DATA, &der(OCTET_STRING, &[content]))
}

fn typed(kind: &[u8], content: &[u8]) -> Vec<u8> {
    der(SEQUENCE, &[&der(IDENTIFIER, &[kind]), &der(CONTEXT_0, &[content])])
}

fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let [high, low] = u16::try_from(content.len()).unwrap().to_be_bytes();
    let mut bytes = vec![tag];
    match content.len() {
        0..=127 => bytes.push(low),
        128..=255 => bytes.extend([0x81, low]),
        _ => bytes.extend([0x82, high, low]),
    }
    bytes.extend(content);
    bytes
}
