#![doc = include_str!("../README.md")]

mod cores;
mod find;
mod judge;
mod site;
mod survivors;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, ValueEnum};

use judge::{Fate, judge};
use site::{Kind, Mutant};
use survivors::Reason;
use tree::Tree;

/// Mutate the Rust of the cores, and judge each mutant by the checker's properties
#[derive(Debug, Parser)]
struct Arguments {
    /// What the mutants change
    #[arg(long, value_enum, value_delimiter = ',', default_value = "changes")]
    kinds: Vec<Kinds>,
    /// Judge N mutants, drawn with `--seed`, of each kind as many
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// The seed of the sample [default: drawn, and printed]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Judge only mutants whose id contains this text, or one of these
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// List the mutants and end
    #[arg(long)]
    list: bool,
    /// Where the mutated copy and what is built from it are kept [default: target/core-mutants]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// What mutants change: one kind, or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kinds {
    /// A comparison, an operand, a statement, a whole body
    Changes,
    /// All of those below
    Faults,
    /// A name or a field is another one of the same type
    Names,
    /// Two statements that follow each other are swapped
    Swaps,
    /// Of several items only the first one is meant, or the first one is not
    Firsts,
    /// A branch, an arm or an early end is forgotten
    Paths,
    /// A value was read before what changes it
    Stale,
}

impl Kinds {
    const fn all(self) -> &'static [Kind] {
        match self {
            Self::Changes => &[Kind::Change],
            Self::Faults => &[Kind::Name, Kind::Swap, Kind::First, Kind::Path, Kind::Stale],
            Self::Names => &[Kind::Name],
            Self::Swaps => &[Kind::Swap],
            Self::Firsts => &[Kind::First],
            Self::Paths => &[Kind::Path],
            Self::Stale => &[Kind::Stale],
        }
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(what) => {
            eprintln!("core-mutants: {what}");
            ExitCode::from(2)
        }
    }
}

/// Whether each survivor is explained.
fn run(arguments: &Arguments) -> Result<bool, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.parent().and_then(Path::parent).ok_or("no workspace is above this crate")?;
    let explained = std::fs::read_to_string(here.join("survivors.txt"))
        .map_err(|error| format!("survivors.txt: {error}"))?;
    let explained = survivors::read(&explained).map_err(|what| format!("survivors.txt: {what}"))?;
    let folder = arguments.folder.clone().unwrap_or_else(|| root.join("target/core-mutants"));
    let kinds: Vec<Kind> = arguments.kinds.iter().flat_map(|one| one.all()).copied().collect();
    let mut tree = Tree::new(root, &folder, &kinds)?;
    if arguments.list {
        tree.mutants()
            .for_each(|(_, mutant)| println!("{}:{} {}", mutant.file, mutant.line, mutant.id()));
        return Ok(true);
    }
    let all = tree.mutants().count();
    let chosen = chosen(&tree.mutants().collect(), arguments);
    tree.keep(&chosen);
    let program = tree.build()?;
    let mutants: BTreeMap<usize, &Mutant> = tree.mutants().collect();
    let chosen: Vec<usize> = mutants.keys().copied().collect();
    let (judged, invalid) = (chosen.len(), tree.invalid());
    eprintln!("of {all} mutants {judged} are judged; {invalid} more do not compile");
    let mut nth = 0;
    let pinned = judge::pinned(&root.join("checker/tests/counts"))?;
    let fates = judge(&program, &chosen, &pinned, |number, fate| {
        nth += 1;
        let word = match fate {
            Fate::Killed(world) => format!("killed in {world}"),
            Fate::Survived(Some(world)) => format!("SURVIVED, differs in {world}"),
            Fate::Survived(None) => "SURVIVED, no outcome differs".to_owned(),
            Fate::Undecided(world) => format!("UNDECIDED in {world}"),
            Fate::Unreached => "reached by no world".to_owned(),
        };
        eprintln!("{nth}/{} {}: {word}", chosen.len(), mutants[&number].id());
    })?;
    Ok(report((&tree, &mutants), &fates, &explained))
}

/// The mutants to judge, if they compile.
fn chosen(mutants: &BTreeMap<usize, &Mutant>, arguments: &Arguments) -> BTreeSet<usize> {
    let is_meant = |mutant: &Mutant| {
        let id = mutant.id();
        arguments.only.is_empty() || arguments.only.iter().any(|text| id.contains(text))
    };
    let meant = mutants.iter().filter(|(_, mutant)| is_meant(mutant));
    let mut chosen: Vec<usize> = meant.map(|(number, _)| *number).collect();
    if let Some(most) = arguments.sample {
        let seed = arguments.seed.unwrap_or_else(|| fastrand::u64(..1 << 32));
        eprintln!("seed {seed}");
        fastrand::Rng::with_seed(seed).shuffle(&mut chosen);
        // The kinds take turns: a kind with many mutants does not crowd out the others.
        let mut turns: BTreeMap<Kind, usize> = BTreeMap::new();
        let mut turn = |number: &usize| {
            let kind = mutants[number].kind;
            let turn = turns.entry(kind).or_default();
            *turn += 1;
            (*turn, kind)
        };
        let mut placed: Vec<_> = chosen.iter().map(|number| (turn(number), *number)).collect();
        placed.sort_unstable();
        chosen = placed.into_iter().map(|(_, number)| number).take(most).collect();
    }
    chosen.into_iter().collect()
}

/// Prints what survived; whether each of it is explained, and nothing else is.
fn report(
    (tree, mutants): (&Tree, &BTreeMap<usize, &Mutant>),
    fates: &BTreeMap<usize, Fate>,
    explained: &BTreeMap<String, Reason>,
) -> bool {
    let (mut killed, mut equivalent, mut open) = (0, 0, 0);
    let (mut unexplained, mut stale) = (Vec::new(), Vec::new());
    for (number, fate) in fates {
        let id = mutants[number].id();
        match (fate, explained.get(&id)) {
            (Fate::Killed(_), reason) => {
                killed += 1;
                stale.extend(reason.map(|_| id));
            }
            (_, Some(Reason::Equivalent)) => equivalent += 1,
            (_, Some(Reason::Open)) => open += 1,
            (Fate::Survived(_), None) => unexplained.push(format!("survived: {id}")),
            (Fate::Undecided(world), None) => {
                unexplained.push(format!("undecided in {world}: {id}"));
            }
            (Fate::Unreached, None) => unexplained.push(format!("reached by no world: {id}")),
        }
    }
    stale.extend(explained.keys().filter(|id| !tree.knows(id)).cloned());
    unexplained.iter().for_each(|line| println!("{line}"));
    stale.iter().for_each(|id| println!("explained in survivors.txt, and no survivor: {id}"));
    let rest = fates.len() - equivalent;
    println!(
        "{killed} of {rest} killed by properties, {:.1} %, without {equivalent} equivalent ones; \
         {open} open with a reason, {} without one",
        100.0 * killed as f64 / rest.max(1) as f64,
        unexplained.len()
    );
    unexplained.is_empty() && stale.is_empty()
}
