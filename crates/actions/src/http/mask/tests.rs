use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::percent_decode_str;
use proptest::prelude::*;

use super::*;
use crate::limits;

fn mask(password: &str) -> Mask {
    let mut needles = Needles::default();
    needles.user("me", password);
    Mask::new(needles)
}

fn masked(password: &str, text: &str) -> String {
    mask(password).text(text)
}

/// Whether a text holds a secret after all percent signs are resolved, once or twice.
fn shows(text: &str, secret: &str) -> bool {
    text.contains(secret) || percent_decode_str(text).decode_utf8_lossy().contains(secret)
}

#[test]
fn spellings() {
    assert_eq!(masked("p\"a/s\\s", r#"x p"a/s\s y"#), "x *** y");
    assert_eq!(masked("p\"a/s\\s", r#"x p\"a\/s\\s y"#), "x *** y");
    assert_eq!(masked("p\"a/s\\s", r"x p\u0022a%2fs%5Cs y"), "x *** y");
    assert_eq!(masked("%?+a", "x %25%3F%2Ba %?+a y"), "x *** *** y");
    assert_eq!(masked("%25x", "x %25x %2525x y"), "x *** *** y");
    assert_eq!(masked("pass word", "x pass+word pass%20word pass word y"), "x *** *** *** y");
    assert_eq!(masked("<é&'😀>", r"x \u003c\u00e9\u0026'\ud83d\uDE00> y"), "x *** y");
    assert_eq!(masked("<é&'😀>", "x &lt;&#233;&amp;&#x27;&#128512;&gt; &#60;é&&apos;😀&#62; y"), "x *** *** y");
    assert_eq!(masked(r"\\&=", r"x \\&amp;= y"), "x *** y", "by the rules of HTML a backslash is itself");
    assert_eq!(masked("sécret", "x 73c3a963726574 73C3A963726574 y"), "x *** *** y");
}

#[test]
fn what_only_looks_like_an_escape() {
    for text in ["100% of it", "%", "%4", "\\", "\\u12", "\\ud83d\\u0041", "&", "&amp", "&#xfffffff;", "&#+65;", "\\x"]
    {
        assert_eq!(masked("secret", text), text);
    }
}

#[test]
fn values_in_bodies() {
    let masked = |body: &str, text: &str| {
        let mut needles = Needles::default();
        needles.body(body);
        Mask::new(needles).text(text)
    };
    let json = r#"{"a": "short", "b": ["long \"enough\"", {"c": 1234567890, "password": true}]}"#;
    assert_eq!(masked(json, r#"short, long "enough", 1234567890, password"#), "short, ***, ***, password");
    assert_eq!(masked("a=b&key=se%20cret%2Bvalue", "b, se cret+value, se%20cret%2Bvalue"), "b, ***, ***");
    assert_eq!(masked("{not json at all", "{not json at all"), "***");
    let many: Vec<String> = (0..1000).map(|number| format!("value-{number:05}")).collect();
    let masked = masked(&serde_json::to_string(&many).unwrap(), &many.join(" "));
    assert_eq!(masked.matches("***").count(), limits::MASKED_VALUES_MAX);
}

#[test]
fn short_secrets_are_left() {
    assert_eq!(masked("abc", "abcdef"), "abcdef");
    assert!(
        mask("abc").needles.forms(&[b'x'; 99], false).iter().all(|form| form.len() > 4),
        "only together with the user name"
    );
    assert!(Mask::of(&["abc"], &[]).is_empty());
    assert_eq!(Mask::of(&["abcd", "abcdef"], &[]).text("x abcd abcdef y"), "x *** *** y");
}

proptest! {
    #[test]
    fn what_is_planted_is_not_found(
        secret in "[a-zA-Z0-9 %&+/=?;#\\\\]{4,20}",
        before in "[\\PC]{0,20}",
        after in "[\\PC]{0,20}",
        form in 0..6,
    ) {
        let planted = match form {
            0 => secret.clone(),
            1 => percent_encoding::utf8_percent_encode(&secret, percent_encoding::NON_ALPHANUMERIC).to_string(),
            2 => STANDARD_NO_PAD.encode(format!("me:{secret}")),
            3 => URL_SAFE_NO_PAD.encode(format!("me:{secret}")),
            4 => secret.replace('&', "&amp;"),
            _ => secret.bytes().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}")),
        };
        let text = masked(&secret, &format!("{before}{planted}{after}"));
        prop_assert!(!text.contains(&planted), "{text}");
        prop_assert!(form > 1 || !shows(&text, &secret), "{text}");
    }

    #[test]
    fn any_text_is_masked(secret in "[\\PC]{0,8}", text in any::<Vec<u8>>(), is_cut in any::<bool>()) {
        mask(&secret).apply(&text, is_cut, 100);
    }
}
