//! The crates of the workspace and what they depend on, as cargo sees them.

use std::process::Command;

use serde_json::Value;

use super::source;

/// A crate of the workspace.
pub(crate) struct Crate {
    /// `model` for `punctual-model`; `punctual` for the binary.
    pub(crate) room: String,
    /// What it needs to run, by package name. What only its tests need is its own affair.
    pub(crate) dependencies: Vec<String>,
}

pub(crate) fn crates() -> Vec<Crate> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(source::root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    packages.iter().map(of_package).collect()
}

/// The room of a package of this workspace, by its name.
pub(crate) fn room(package: &str) -> Option<&str> {
    if package == "punctual" { Some(package) } else { package.strip_prefix("punctual-") }
}

fn of_package(package: &Value) -> Crate {
    let name = package["name"].as_str().expect("a name");
    let dependencies = package["dependencies"].as_array().expect("dependencies");
    // A dependency without a kind is a normal one; the others are `dev` and `build`.
    let normal = dependencies.iter().filter(|dependency| dependency["kind"].is_null());
    Crate {
        room: room(name).unwrap_or_else(|| panic!("{name} is not named after a room")).to_owned(),
        dependencies: normal.map(|dependency| dependency["name"].as_str().expect("a name").to_owned()).collect(),
    }
}
