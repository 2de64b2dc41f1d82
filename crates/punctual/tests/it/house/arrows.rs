//! Who may use whom.
//!
//! ```text
//!                 punctual
//!                /   |    \
//!             api  engine  \
//!            / |  \ /  \    \
//!           /  store   actions      api and engine also use alerts and telemetry (which uses metrics); these use model
//!          |     |       |          punctual uses import, which uses arm; api may use arm; arm uses model
//!          |     \     /   |
//!          |      model    |
//!           \____ pfx ____/
//! ```

use super::metadata::{self, crates};

/// Each room with the rooms right below it. It may use them, and what they may use.
const ARROWS: [(&str, &[&str]); 13] = [
    ("punctual", &["api", "engine", "actions", "import"]),
    ("api", &["store", "pfx", "telemetry", "alerts", "arm"]),
    ("engine", &["store", "actions", "telemetry", "alerts"]),
    ("store", &["model"]),
    ("actions", &["model", "pfx"]),
    ("metrics", &["model"]),
    ("telemetry", &["metrics"]),
    ("alerts", &["model"]),
    ("import", &["arm"]),
    ("arm", &["model"]),
    ("model", &[]),
    ("pfx", &[]),
    // Beside the house: tests and simulations only, so that nobody is above it.
    ("simulated-store", &["store"]),
];

#[test]
fn crates_use_only_what_lies_below_them() {
    let mut wrong = Vec::new();
    for user in crates().iter().filter(|user| user.room != "benches") {
        assert!(below(&user.room).is_some(), "crates/{} is no room of the house", user.room);
        for used in user.dependencies.iter().filter_map(|name| metadata::room(name)) {
            if !may_use(&user.room, used) {
                wrong.push(format!("{} uses {used}", user.room));
            }
        }
    }
    assert!(wrong.is_empty(), "arrows that do not exist: {}", wrong.join(", "));
}

#[test]
fn the_arrows_themselves() {
    for (user, used, may) in [
        ("punctual", "model", true),
        ("api", "model", true),
        ("engine", "actions", true),
        ("api", "engine", false),
        ("engine", "api", false),
        ("store", "actions", false),
        ("actions", "store", false),
        ("model", "store", false),
        ("api", "metrics", true),
        ("api", "telemetry", true),
        ("engine", "telemetry", true),
        ("actions", "telemetry", false),
        ("telemetry", "actions", false),
        ("engine", "metrics", true),
        ("store", "metrics", false),
        ("api", "pfx", true),
        ("actions", "pfx", true),
        ("store", "pfx", false),
        ("pfx", "model", false),
        ("import", "model", true),
        ("import", "api", false),
        ("api", "arm", true),
        ("arm", "import", false),
        ("simulated-store", "model", true),
        ("engine", "simulated-store", false),
    ] {
        assert_eq!(may_use(user, used), may, "{user} uses {used}");
    }
}

fn below(room: &str) -> Option<&'static [&'static str]> {
    ARROWS.iter().find(|(name, _)| *name == room).map(|(_, below)| *below)
}

fn may_use(room: &str, other: &str) -> bool {
    below(room).unwrap_or_default().iter().any(|next| *next == other || may_use(next, other))
}
