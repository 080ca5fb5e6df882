//! `turnstile explore NAME`: a world of a system, or a table, in stateright's Explorer.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;

use turnstile_harness::options::{Options, Refusal};
use turnstile_harness::results::status::Status;
use turnstile_harness::{SourceFile, Systems, table};
use turnstile_search::bounds::NoProgress;
use turnstile_world::World;

use crate::library::{self, Library, NamedFile};
use crate::output::{unreadable, usage_error, write_stdout};
use crate::replacement;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A system (its first world), one world, a table, or a file
    #[arg(value_name = "NAME|NAME/WORLD|FILE")]
    name: String,
    /// Address of the web server
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:3000")]
    listen: SocketAddr,
    /// Run the tables as their documents have them, without the amendments
    #[arg(long)]
    as_written: bool,
}

/// Serves until the process ends.
pub(crate) fn run(arguments: &Arguments, systems: &Systems) -> Status {
    let library = match Library::load(systems, Arc::default()) {
        Ok(library) => library,
        Err(error) => return usage_error(&error),
    };
    let (name, world) = match arguments.name.split_once('/') {
        Some((name, world)) => (name, Some(world)),
        None => (arguments.name.as_str(), None),
    };
    let named = |one: &&NamedFile| one.file.name == name;
    if let Some(one) = library.systems.iter().find(named) {
        return explore_system(&one.file, world, &library, arguments);
    }
    if let Some(one) = library.tables.iter().find(|one| named(one) && world.is_none()) {
        return explore_table(&one.file, arguments);
    }
    let path = Path::new(&arguments.name);
    if !path.exists() && path.extension().is_none() && arguments.name != "-" {
        let all = [&library.tables[..], &library.systems];
        return usage_error(&library::unknown("table, system or file", &arguments.name, &all));
    }
    match library.files.read(path) {
        Ok(file) if file.is_system() => explore_system(&file, None, &library, arguments),
        Ok(file) => explore_table(&file, arguments),
        Err(error) => usage_error(&error),
    }
}

fn explore_system(
    file: &Arc<SourceFile>,
    world: Option<&str>,
    library: &Library,
    arguments: &Arguments,
) -> Status {
    let system = match file.system() {
        Ok(system) => system,
        Err(faults) => return unreadable(faults),
    };
    let entry = match library.entry(file) {
        Ok(Some(entry)) => entry,
        Ok(None) => return usage_error(&library::no_cores(system)),
        Err(faults) => return fail(&Refusal::Faults(faults).to_string()),
    };
    let world = match world {
        Some(name) => system.world(name),
        None => system.worlds.iter().find(|world| world.default),
    };
    let Some(world) = world else {
        let known: Vec<&str> = system.worlds.iter().map(|world| world.name.as_str()).collect();
        return usage_error(&format!(
            "no such world of `{}`; worlds: {}",
            system.name,
            known.join(", ")
        ));
    };
    let tables = match replacement::tables(&entry, None, library, arguments.as_written) {
        Ok(tables) => tables,
        Err(faults) => return fail(&Refusal::Faults(faults).to_string()),
    };
    let as_written = arguments.as_written;
    let options = Options { as_written, tables, ..Options::new(&NoProgress) };
    let title = format!("{}/{}", system.name, world.name);
    match entry.world(system, world, &options) {
        Ok(world) => serve(world, &title, arguments.listen),
        Err(Refusal::Usage(what)) => usage_error(&what),
        Err(refusal @ Refusal::Faults(_)) => fail(&refusal.to_string()),
    }
}

fn explore_table(file: &SourceFile, arguments: &Arguments) -> Status {
    let literal = match file.written() {
        Ok(literal) => literal,
        Err(faults) => return unreadable(faults),
    };
    let table = match (arguments.as_written, file.amended()) {
        (true, _) => &literal.table,
        (false, Ok(sound)) => &sound.table,
        (false, Err(faults)) => return unreadable(faults),
    };
    match table::world(&literal.vocabulary, table) {
        Ok(world) => serve(world, &literal.vocabulary.machine, arguments.listen),
        Err(reason) => fail(&reason),
    }
}

/// Shows a world until the process ends. Port 0 is any free one.
fn serve(world: World, title: &str, listen: SocketAddr) -> Status {
    let listen = match TcpListener::bind(listen).and_then(|free| free.local_addr()) {
        Ok(listen) => listen,
        Err(error) => return usage_error(&format!("cannot listen on {listen}: {error}")),
    };
    let mut status = Status::Holds;
    let ready = || {
        status = write_stdout(&format!("{title}: open http://{listen} in a browser\n"));
        status == Status::Holds
    };
    match turnstile_reference::explore(world, listen, ready) {
        Ok(()) => status,
        Err(error) => usage_error(&error.to_string()),
    }
}

fn fail(what: &str) -> Status {
    usage_error(what);
    Status::Fails
}
