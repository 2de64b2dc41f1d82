use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::percent_decode_str;
use proptest::prelude::*;

use super::*;
use crate::limits;

fn mask(password: &str) -> Mask<'_> {
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
    assert_eq!(masked("[1234567.25, -12345678]", "1234567.25, -12345678, 1234567"), "***, ***, 1234567");
    assert_eq!(masked("{not json at all", "{not json at all"), "***");
    assert_eq!(masked(r#"["long enough", "#, "long enough"), "long enough", "no JSON, so no values of it");
    let many: Vec<String> = (0..1000).map(|number| format!("value-{number:05}")).collect();
    let masked = masked(&serde_json::to_string(&many).unwrap(), &many.join(" "));
    assert_eq!(masked.matches("***").count(), 1000, "each of them");
}

#[test]
fn values_in_headers() {
    let masked = |value: &str, text: &str| {
        let mut needles = Needles::default();
        needles.header(value);
        Mask::new(needles).text(text)
    };
    let cookie = "theme=dark; session=s3cr3t-s3ssion; token=\"quoted%20token\"";
    assert_eq!(masked(cookie, "dark s3cr3t-s3ssion quoted token quoted%20token"), "dark *** *** ***");
    assert_eq!(masked("Digest username=\"me\", response=\"0123456789\"", "me 0123456789"), "me ***");
    assert_eq!(masked("SharedAccessSignature sig=abc%2Bdefgh&se=1", "abc+defgh abc%2Bdefgh"), "*** ***");
    assert_eq!(masked("Basic bWU6aHVzaC1odXNo", "me:hush-hush hush-hush bWU6aHVzaC1odXNo"), "*** *** ***");
}

#[test]
fn secrets_in_paths() {
    let mut needles = Needles::default();
    needles.path("/services/T0123/B0123456789ABCDEFG/an-ordinary-long-word/2026-11-16");
    let masked = Mask::new(needles).text("T0123 B0123456789ABCDEFG an-ordinary-long-word 2026-11-16");
    assert_eq!(masked, "T0123 *** an-ordinary-long-word 2026-11-16");
}

/// The work for one byte of a text, at most: common texts, many values, and texts and secrets that were made to cost work.
#[test]
fn work_is_linear_in_the_text() {
    let work = |values: &[String], text: &str, is_cut: bool| {
        let (mut needles, body) = (Needles::default(), serde_json::to_string(values).unwrap());
        needles.body(&body);
        let findings = search(&needles.forms(text.as_bytes(), is_cut), text.as_bytes(), is_cut);
        (findings.work / text.len(), findings.hidden.iter().all(|is_hidden| *is_hidden))
    };
    let many =
        |count: usize| (0..count).map(|number| format!("a value of a body, number {number:05}")).collect::<Vec<_>>();
    let log = "a value of a body was refused: 100% of them, it said & left. ".repeat(260);
    for count in [1, 256, 1500] {
        let (work, is_hidden) = work(&many(count), &log, true);
        assert!(work < 8 && !is_hidden, "{count} values: {work} steps a byte");
    }
    let passes_max = 13;
    let hardest = [
        (vec!["a".repeat(8000) + "b"], "a".repeat(16_000)),
        (vec!["a+".repeat(4000)], "a+".repeat(8000)),
        (vec!["%25".repeat(2000), "%".repeat(2000)], "%25".repeat(5000)),
        (vec!["a ".repeat(4000), "a+".repeat(4000), "a +".repeat(2500)], "a+a%20".repeat(2500)),
        ((0..=255).map(|last| format!("aaaaaaaaa{}", char::from(last))).collect(), "a".repeat(16_000)),
        (many(1500), "QUJD".repeat(4000)),
    ];
    for (values, text) in hardest {
        let (work, _) = work(&values, &text, true);
        assert!(work <= limits::MASK_WORK_PER_BYTE_MAX * passes_max, "{} {work}", &values[0][..10]);
    }
}

/// What would take too long is not shown.
#[test]
fn what_cannot_be_searched_is_hidden() {
    let password = "a+".repeat(1000) + "z";
    let mask = mask(&password);
    assert!(mask.text(&"a+".repeat(3000)) == "***");
    assert!(mask.text(&"a-".repeat(3000)) == "a-".repeat(3000));
}

#[test]
fn short_secrets_are_left() {
    assert_eq!(masked("abc", "abcdef"), "abcdef");
    assert!(
        mask("abc").needles.forms(&[b'x'; 99], false).iter().all(|form| form.bytes.len() > 4),
        "only together with the user name"
    );
    assert_eq!(Mask::of(&["abc"], &[]).bytes(), 0);
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
