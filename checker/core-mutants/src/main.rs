#![doc = include_str!("../README.md")]

mod find;
mod judge;
mod site;
mod survivors;
mod tree;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

use judge::{Fate, judge};
use site::Mutant;
use survivors::Reason;
use tree::Tree;

/// Mutate the Rust of the cores, and judge each mutant by the checker's properties
#[derive(Debug, Parser)]
struct Arguments {
    /// Judge N mutants, drawn with `--seed`
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
    let mut tree = Tree::new(root, &folder)?;
    if arguments.list {
        tree.mutants()
            .for_each(|(_, mutant)| println!("{}:{} {}", mutant.file, mutant.line, mutant.id()));
        return Ok(true);
    }
    let program = tree.build()?;
    let mutants: BTreeMap<usize, &Mutant> = tree.mutants().collect();
    let chosen = chosen(&mutants, arguments);
    eprintln!(
        "{} mutants, {} more do not compile; {} are judged",
        mutants.len(),
        tree.invalid(),
        chosen.len()
    );
    let mut nth = 0;
    let fates = judge(&program, &chosen, |number, fate| {
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
    Ok(report(&mutants, &fates, &explained, arguments))
}

/// The mutants to judge.
fn chosen(mutants: &BTreeMap<usize, &Mutant>, arguments: &Arguments) -> Vec<usize> {
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
        chosen.truncate(most);
    }
    chosen
}

/// Prints what survived; whether each of it is explained, and nothing else is.
fn report(
    mutants: &BTreeMap<usize, &Mutant>,
    fates: &BTreeMap<usize, Fate>,
    explained: &BTreeMap<String, Reason>,
    arguments: &Arguments,
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
    let is_whole = arguments.sample.is_none() && arguments.only.is_empty();
    if is_whole {
        let ids: Vec<String> = mutants.values().map(|mutant| mutant.id()).collect();
        stale.extend(explained.keys().filter(|id| !ids.contains(id)).cloned());
    }
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
