//! Lists the files of `spec/tables` and `spec/systems`: a file that stands there is bundled.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let spec = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("..");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let tables = names(&spec.join("tables"))?;
    let systems = names(&spec.join("systems"))?;
    let text = format!(
        "{}{}{}",
        constant("Tables, by name.", "TABLES", "tables", &tables),
        constant("Systems, by name.", "SYSTEMS", "systems", &systems),
        for_each_table(&tables),
    );
    fs::write(out.join("files.rs"), text)
}

/// The names of the YAML files of a folder, sorted; a change of the folder runs this again.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            let name = path.file_stem().and_then(|name| name.to_str());
            names.push(name.ok_or_else(|| io::Error::other("a name is UTF-8"))?.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn constant(doc: &str, constant: &str, folder: &str, names: &[String]) -> String {
    let files: String =
        names.iter().map(|name| format!("    bundled!({folder:?}, {name:?}),\n")).collect();
    format!("/// {doc}\npub const {constant}: &[Bundled] = &[\n{files}];\n\n")
}

/// The macro by which tests ask something of every bundled table.
fn for_each_table(names: &[String]) -> String {
    let table = |name: &String| {
        let module = name.replace('-', "_");
        format!("            {module}, {name:?}, \"../../spec/tables/{name}.yaml\";\n")
    };
    let tables: String = names.iter().map(table).collect();
    let doc = "/// Calls a macro with the module, the name and the file of every bundled table. The
\
               /// file is as a crate two folders below the root names it to `machine!`.";
    let arm = format!("    ($macro:ident) => {{\n        $macro! {{\n{tables}        }}\n    }};");
    format!("{doc}\n#[macro_export]\nmacro_rules! for_each_table {{\n{arm}\n}}\n")
}
