//! A copy of the workspace whose cores have all mutants, and the program built from it.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::cores::{cores, is_core, is_in_cores, link, listed, place, put, read, sources, told};
use crate::find::{self, types::Types};
use crate::site::{Kind, Mutant, Site, switchable};

/// The program that judges the mutants, in the copy.
const PROGRAM: &str = "checker/mutants";

/// The builds after which no further mutants are left out. The compiler names those of one phase at
/// a time, and of several around one expression the innermost.
const ROUNDS: usize = 60;

/// The numbers of those that do not compile, below what they are numbers of.
const INVALID: &str = "invalid.txt";

/// The copy, and the mutants that compile in it; a mutant's number is its position from 1.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    folder: PathBuf,
    mutants: Vec<Mutant>,
    /// The ids of mutants of all kinds.
    ids: BTreeSet<String>,
    /// Those that do not compile, by number.
    invalid: BTreeSet<usize>,
}

impl Tree {
    /// Copies the workspace at `root` to `folder/tree`, with mutants of these kinds.
    ///
    /// # Errors
    ///
    /// Why a file cannot be read or written.
    pub fn new(root: &Path, folder: &Path, kinds: &[Kind]) -> Result<Self, String> {
        let tree = folder.join("tree");
        let listed = listed(root)?;
        for file in &listed {
            let from = root.join(file);
            if let Ok(to) = fs::read_link(&from) {
                link(&tree.join(file), &to)?;
            } else if let Ok(text) = fs::read(&from) {
                // A file that was removed is listed until that is committed.
                put(&tree.join(file), &text)?;
            }
        }
        // What has been removed or renamed since the last copy would be built, too.
        let is_own = |file: &str| is_in_cores(file) || file.starts_with(PROGRAM);
        for file in sources(&tree)? {
            if !is_own(&file) && !listed.contains(&file) {
                fs::remove_file(tree.join(&file))
                    .map_err(|error| told(&tree.join(&file), &error))?;
            }
        }
        let mut texts = Vec::new();
        let mut types = Types::default();
        for file in cores(root)?.into_iter().filter(|file| is_core(file)) {
            let text = read(&root.join(place(&file)))?;
            types.add(&file, &text)?;
            texts.push((file, text));
        }
        let (mut mutants, mut ids) = (Vec::new(), BTreeSet::new());
        for (file, text) in &texts {
            let found = find::mutants((file, text), &Kind::ALL, &types)?;
            ids.extend(found.iter().map(Mutant::id));
            mutants.extend(found.into_iter().filter(|one| kinds.contains(&one.kind)));
        }
        let (root, folder, invalid) = (root.into(), folder.into(), BTreeSet::new());
        Ok(Self { root, folder, mutants, ids, invalid })
    }

    /// Whether a mutant of any kind has this id.
    #[must_use]
    pub fn knows(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// The mutants that compile, with their numbers.
    pub fn mutants(&self) -> impl Iterator<Item = (usize, &Mutant)> {
        (1..).zip(&self.mutants).filter(|(number, _)| !self.invalid.contains(number))
    }

    /// Leaves out all mutants but these. The others are neither compiled nor asked whether they are
    /// on, so that a sample is built and searched sooner.
    pub fn keep(&mut self, numbers: &BTreeSet<usize>) {
        let mutants = std::mem::take(&mut self.mutants);
        let kept = (1..).zip(mutants).filter(|(number, _)| numbers.contains(number));
        self.mutants = kept.map(|(_, mutant)| mutant).collect();
    }

    /// How many do not compile.
    #[must_use]
    pub fn invalid(&self) -> usize {
        self.invalid.len()
    }

    /// Builds the program, without the mutants for which it does not compile.
    ///
    /// # Errors
    ///
    /// What does not compile, whatever the mutants are.
    pub fn build(&mut self) -> Result<PathBuf, String> {
        self.recall()?;
        for _ in 0..ROUNDS {
            let spans = self.write()?;
            let failures = self.cargo()?;
            if failures.is_empty() {
                return Ok(self.root.join("target/release/mutants"));
            }
            let before = self.invalid.len();
            for failure in &failures {
                self.invalid.extend(blamed(failure, &spans));
            }
            if self.invalid.len() == before {
                // What is meant follows from another line.
                self.invalid.extend(failures.iter().flat_map(|failure| beside(failure, &spans)));
            }
            self.remember()?;
            if self.invalid.len() == before {
                return Err(failures.into_iter().map(|failure| failure.rendered).collect());
            }
        }
        Err("the mutants do not compile, however many are left out".to_owned())
    }

    /// Leaves out what an earlier build of the same mutants has.
    fn recall(&mut self) -> Result<(), String> {
        let known = fs::read_to_string(self.folder.join(INVALID)).unwrap_or_default();
        let mut lines = known.lines();
        if lines.next() == Some(&self.fingerprint()?) {
            self.invalid = lines.filter_map(|line| line.parse().ok()).collect();
        }
        Ok(())
    }

    fn remember(&self) -> Result<(), String> {
        let lines: String = self.invalid.iter().map(|number| format!("{number}\n")).collect();
        let text = format!("{}\n{lines}", self.fingerprint()?);
        put(&self.folder.join(INVALID), text.as_bytes())
    }

    /// It differs if a core or a mutant does.
    fn fingerprint(&self) -> Result<String, String> {
        let mut hasher = DefaultHasher::new();
        for file in cores(&self.root)? {
            read(&self.root.join(place(&file)))?.hash(&mut hasher);
        }
        let switch = include_str!("switch.txt");
        (format!("{:?}", self.mutants), switch).hash(&mut hasher);
        Ok(format!("{:x}", hasher.finish()))
    }

    /// Writes the cores, and says where each mutant is.
    fn write(&self) -> Result<Vec<WrittenMutant>, String> {
        let tree = self.folder.join("tree");
        let mut places = Vec::new();
        for file in cores(&self.root)? {
            let own: Vec<(usize, &Mutant)> =
                self.mutants().filter(|(_, mutant)| mutant.file == file).collect();
            let text = read(&self.root.join(place(&file)))?;
            let (text, sites) = switchable(&text, &own);
            let root = match &*file {
                "ids/lib.rs" => "\nextern crate std;\n#[allow(missing_docs)]\npub mod mutant;\n",
                root if root.ends_with("/lib.rs") => "\nuse turnstile_ids::mutant;\n",
                _ => "",
            };
            put(&tree.join(place(&file)), (text.clone() + root).as_bytes())?;
            let breaks: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
            let line = |own: &Range<usize>| breaks.partition_point(|at| *at < own.start) + 1;
            places.extend(sites.into_iter().map(|site| {
                let lines = site.own.iter().map(line).collect();
                let Mutant { kind, edits, .. } = &self.mutants[site.number - 1];
                let start = edits.iter().map(|edit| edit.range.start).min().unwrap_or_default();
                let end = edits.iter().map(|edit| edit.range.end).max().unwrap_or_default();
                let around = start..end;
                WrittenMutant { file: file.clone(), site, lines, around: (*kind, around) }
            }));
        }
        put(&tree.join(place("ids/mutant.rs")), include_bytes!("switch.txt"))?;
        put(&tree.join(format!("{PROGRAM}/src/main.rs")), include_bytes!("program.txt"))?;
        put(&tree.join(format!("{PROGRAM}/Cargo.toml")), include_bytes!("manifest.txt"))?;
        let workspace = read(&self.root.join("Cargo.toml"))?;
        let workspace =
            workspace.replacen("members = [", "members = [\n    \"checker/mutants\",", 1);
        put(&tree.join("Cargo.toml"), workspace.as_bytes())?;
        Ok(places)
    }

    /// Builds, and returns the errors in the cores.
    fn cargo(&self) -> Result<Vec<Failure>, String> {
        let tree = self.folder.join("tree");
        let output = Command::new("cargo")
            .args(["build", "--release", "-p", "mutants", "--message-format=json"])
            // What the workspace has built of others' crates is not built again.
            .arg("--target-dir")
            .arg(self.root.join("target"))
            .current_dir(&tree)
            .output()
            .map_err(|error| format!("cargo cannot be run: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let lines = text.lines().filter_map(|line| serde_json::from_str::<CargoLine>(line).ok());
        let messages = lines.filter_map(|line| line.message).filter(|one| one.level == "error");
        let failures: Vec<Failure> = messages.filter(|one| !one.spans.is_empty()).collect();
        if failures.is_empty() && !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        Ok(failures)
    }
}

/// Where a mutant is in a written file.
struct WrittenMutant {
    file: String,
    site: Site,
    /// The lines of its own texts.
    lines: Vec<usize>,
    /// What it is around in the file as it was.
    around: (Kind, Range<usize>),
}

/// The mutants that an error is of: those in whose own text it is, or a note of it, or the smallest
/// around its place, or all that it overlaps.
fn blamed(failure: &Failure, places: &[WrittenMutant]) -> Vec<usize> {
    let own = |is_primary: bool| -> Vec<usize> {
        let spans = failure.spans.iter().filter(|span| span.is_primary == is_primary);
        let of = spans.flat_map(|span| {
            let here = places.iter().filter(|place| is_in(span, place));
            here.filter(|place| place.site.own.iter().any(|own| own.contains(&span.byte_start)))
        });
        of.map(|place| place.site.number).collect()
    };
    let (primary, noted) = (own(true), own(false));
    if !primary.is_empty() {
        return primary;
    }
    if !noted.is_empty() {
        return noted;
    }
    let mut blamed = Vec::new();
    for span in failure.spans.iter().filter(|span| span.is_primary) {
        let here = places.iter().filter(|place| is_in(span, place));
        let holds = |place: &&WrittenMutant| {
            let whole = &place.site.whole;
            whole.start <= span.byte_start && span.byte_end <= whole.end
        };
        let inner = here.clone().filter(holds).min_by_key(|place| place.site.whole.len());
        match inner {
            // Those of one kind around one expression are alike.
            Some(inner) => {
                let alike = here.filter(|place| place.around == inner.around);
                blamed.extend(alike.map(|place| place.site.number));
            }
            None => {
                let meets = |place: &&WrittenMutant| {
                    let whole = &place.site.whole;
                    whole.start < span.byte_end && span.byte_start < whole.end
                };
                blamed.extend(here.filter(meets).map(|place| place.site.number));
            }
        }
    }
    blamed
}

/// The mutants on the lines of an error and of its notes.
fn beside(failure: &Failure, places: &[WrittenMutant]) -> Vec<usize> {
    let notes = failure.children.iter().flat_map(|note| &note.spans);
    let all = failure.spans.iter().chain(notes);
    let on_line = |span: &FailureSpan| -> Vec<usize> {
        let here = places.iter().filter(|place| is_in(span, place));
        let here = here.filter(|place| place.lines.contains(&span.line_start));
        here.map(|place| place.site.number).collect()
    };
    all.flat_map(on_line).collect()
}

fn is_in(span: &FailureSpan, place: &WrittenMutant) -> bool {
    span.file_name.ends_with(&self::place(&place.file))
}

#[derive(Deserialize)]
struct CargoLine {
    message: Option<Failure>,
}

#[derive(Deserialize)]
struct Failure {
    level: String,
    rendered: String,
    spans: Vec<FailureSpan>,
    children: Vec<FailureNote>,
}

#[derive(Deserialize)]
struct FailureNote {
    spans: Vec<FailureSpan>,
}

#[derive(Deserialize)]
struct FailureSpan {
    file_name: String,
    byte_start: usize,
    byte_end: usize,
    line_start: usize,
    is_primary: bool,
}
