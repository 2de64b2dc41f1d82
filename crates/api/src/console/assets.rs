//! The files that pages load. They are in the binary, under addresses that hold their hash, so that browsers keep them for
//! ever and ask for a new one as soon as it has changed.

use std::sync::LazyLock;

use aws_lc_rs::digest::{SHA256, digest};

use super::reply::Reply;

/// A file.
struct Asset {
    name: &'static str,
    content_type: &'static str,
    text: &'static str,
}

/// How pages look. In parts, each of which has one subject.
const STYLE: &str = concat!(
    include_str!("assets/tokens.css"),
    include_str!("assets/frame.css"),
    include_str!("assets/controls.css"),
    include_str!("assets/lists.css"),
    include_str!("assets/pictures.css"),
    include_str!("assets/forms.css"),
    include_str!("assets/narrow.css"),
);

const ASSETS: [Asset; 3] = [
    Asset { name: "console.css", content_type: "text/css; charset=utf-8", text: STYLE },
    Asset {
        name: "console.js",
        content_type: "text/javascript; charset=utf-8",
        text: include_str!("assets/console.js"),
    },
    Asset { name: "mark.svg", content_type: "image/svg+xml", text: include_str!("assets/mark.svg") },
];

/// One hash for all files, short: it tells versions apart and protects nothing.
static HASH: LazyLock<String> = LazyLock::new(|| {
    let all: String = ASSETS.iter().map(|asset| asset.text).collect();
    let hash = digest(&SHA256, all.as_bytes());
    let number = hash.as_ref()[..6].iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    format!("{number:012x}")
});

/// The address of a file.
pub(super) fn address(name: &str) -> String {
    format!("/assets/{}/{name}", *HASH)
}

/// The file of that hash and name, if there is one.
pub(super) fn find(hash: &str, name: &str) -> Option<Reply> {
    let asset = ASSETS.iter().find(|asset| asset.name == name).filter(|_| hash == *HASH)?;
    Some(Reply::asset(asset.content_type, asset.text.as_bytes()))
}
