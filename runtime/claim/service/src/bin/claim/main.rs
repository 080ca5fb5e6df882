//! `claim`: runs commands under locks, lists claims, and serves other programs as a keychain.
//!
//! It parses options and prints errors. The client library makes and holds the claims.

mod args;
mod failure;
mod query;
mod run;

use std::io;
use std::process::ExitCode;

use clap::Parser as _;
use clap::error::{ContextKind, ContextValue, ErrorKind as UsageError};
use turnstile_claim::client::{Error, ErrorKind, LockClientBuilder};
use turnstile_claim::usage::without_secrets;
use turnstile_claim::{keychain, log_filter};
use turnstile_host::Trace;
use turnstile_supervisor::{Signals, end_by, reap};

use self::args::{Cli, CliCommand};
use self::failure::{USAGE, exit_status, system_error};

/// What is logged unless the environment says otherwise.
const LOG_FILTER: &str = "warn,claim=info,turnstile_claim::client=info";

/// Adds a hint to the error of a `run` without `--`.
fn with_hint(mut error: clap::Error) -> clap::Error {
    let argument = error.get(ContextKind::InvalidArg);
    let is_word = matches!(argument, Some(ContextValue::String(word)) if !word.starts_with('-'));
    let is_run = std::env::args_os().any(|word| word == "run");
    if error.kind() == UsageError::UnknownArgument && is_word && is_run {
        let hint = ContextValue::StyledStrs(vec!["put -- before the command".into()]);
        error.insert(ContextKind::Suggested, hint);
    }
    error
}

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| with_hint(without_secrets(error)).exit());
    if matches!(cli.command, CliCommand::Reap) {
        reap();
        return ExitCode::SUCCESS;
    }
    let filter = match log_filter::from_environment(LOG_FILTER, str::to_owned) {
        Ok(filter) => filter,
        Err(error) => {
            eprintln!("claim: {error}");
            return ExitCode::from(USAGE);
        }
    };
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    log.without_time().with_target(false).init();
    // A single thread, the main one: PR_SET_PDEATHSIG ties a child to the thread that started it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ended = match runtime {
        Ok(runtime) => {
            let ended = runtime.block_on(run_command(cli));
            // A blocking read of standard input may still run: do not wait for it.
            runtime.shutdown_background();
            ended
        }
        Err(error) => Err(ErrorKind::System(error.to_string()).into()),
    };
    match ended {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("claim: {error}");
            ExitCode::from(exit_status(&error))
        }
    }
}

async fn run_command(cli: Cli) -> Result<u8, Error> {
    let mut builder = if cli.urls.is_empty() {
        LockClientBuilder::from_environment()?
    } else {
        LockClientBuilder::in_environment(cli.urls)
    };
    if let Some(path) = cli.trace {
        let trace = Trace::append("claim", &path)
            .map_err(|error| ErrorKind::Setting(format!("--trace {error}")))?;
        builder.trace = Some(trace);
    }
    match cli.command {
        CliCommand::Reap => Ok(0),
        CliCommand::Run(args) => run::run(builder, args).await,
        CliCommand::Ls { resource, status, limit, json } => {
            query::list(builder, resource, status, limit, json).await
        }
        CliCommand::Show { claim } => query::show(builder, &claim).await,
        CliCommand::Revoke { claim } => query::revoke(builder, &claim).await,
        CliCommand::Wait(claim_args) => {
            let mut signals = Signals::listen().map_err(system_error)?;
            let client = builder.build()?;
            match run::acquire(&client, claim_args.request(&client), &mut signals).await? {
                Ok(claim) => match claim.release_within(run::CLOSE_MAX).await {
                    Ok(()) => Ok(0),
                    Err(error) => {
                        run::print_unreleased(&error, claim_args.ttl);
                        Ok(exit_status(&error))
                    }
                },
                Err(signal) => Ok(end_by(signal)),
            }
        }
        CliCommand::Keychain => {
            let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
            let mut signals = Signals::listen().map_err(system_error)?;
            let mut status = 0;
            let stop = async { status = 128 + signals.end().await.as_raw() as u8 };
            let served = keychain::serve(builder, input, output, stop).await;
            served.map_err(|error| ErrorKind::Keychain(error.to_string()))?;
            Ok(status)
        }
    }
}
