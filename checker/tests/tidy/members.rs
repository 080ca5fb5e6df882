//! The crates of the workspace.

use std::fs;
use std::path::Path;

/// The folders of the crates, in the order of the workspace's manifest.
pub(crate) fn members() -> Vec<String> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let manifest = fs::read_to_string(manifest).expect("the workspace has a manifest");
    let members = manifest.split("members = [").nth(1).and_then(|rest| rest.split(']').next());
    let members = members.expect("the workspace has members").lines().map(str::trim);
    let folders = members.filter_map(|line| line.strip_prefix('"')?.strip_suffix("\","));
    folders.map(str::to_owned).collect()
}
