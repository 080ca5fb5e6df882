//! The cores run any table of their machine's names: the one baked in and the same one as plain
//! data are one and the same to them, and a table that lacks a row changes nothing but that.

use turnstile_claim_core::client::{self, Client};
use turnstile_claim_core::message::{
    Caller, Message, Request, RequestKind, ResourceName, Response, Server, TargetStatus,
};
use turnstile_claim_core::number::{ClaimId, IdempotencyKey};
use turnstile_claim_core::record::{Limits, Records};
use turnstile_claim_machines::{claim, claim_record};
use turnstile_ids::number::{CallId, Token};
use turnstile_machine::{Interpreted, Machine, TableData};
use turnstile_spec::{Source, WrittenTable};
use turnstile_step::{Core, Input, InputOf, OutOf, RowOutcome};

const RESOURCE: ResourceName = ResourceName(1);

/// The amended table of a machine, as its file has it.
fn data<M: Machine>() -> TableData<M> {
    let file = turnstile_bundled::table(M::TABLE.machine).expect("it is bundled");
    let literal = WrittenTable::read(Source::new(file.file, file.text)).expect("it can be read");
    let sound = literal.amended().expect("it is sound");
    turnstile_machine::read(&sound.vocabulary, &sound.table).expect("its names are compiled in")
}

fn client_inputs() -> Vec<InputOf<Client>> {
    let commands = [
        client::Command::Claim { key: IdempotencyKey::new(1) },
        client::Command::Release,
        client::Command::Signal,
        client::Command::Act,
    ];
    let timers = claim::Resource::ALL.iter().filter(|resource| resource.is_timer());
    let answers = [200, 201, 202, 204, 400, 404, 409, 429, 503, 599].map(|status| Response {
        claim: Some(ClaimId::new(3)),
        token: Some(Token::new(4)),
        ..Response::bare(CallId::new(0), status)
    });
    let late = answers.map(Response::lapsed).into_iter().chain(answers.map(Response::brief));
    let heard = answers.into_iter().chain(late).map(|response| Input::Message {
        from: Server::Claims,
        message: Message::Response(response),
    });
    let commands = commands.into_iter().map(Input::Command);
    commands.chain(timers.map(|timer| Input::Fired(client::Timer(*timer)))).chain(heard).collect()
}

fn server_inputs() -> Vec<InputOf<Records>> {
    let claim = ClaimId::new(1);
    let statuses = [
        TargetStatus::Active { wait: false },
        TargetStatus::Active { wait: true },
        TargetStatus::Released,
        TargetStatus::Aborted,
        TargetStatus::Withdrawn,
        TargetStatus::Revoked,
    ];
    let posts = [false, true].map(|wait| RequestKind::Post { resource: RESOURCE, key: None, wait });
    let asks = statuses.map(|to| RequestKind::Status { claim, to });
    let asks = asks.into_iter().chain(posts).chain([RequestKind::Ttl { claim }]);
    asks.map(|kind| {
        let message = Message::Request(Request { call: CallId::new(0), kind });
        Input::Message { from: Caller(1), message }
    })
    .collect()
}

/// Steps both cores through every sequence of inputs of a length; they never differ.
fn agree<A: Core, B>(a: &A, b: &B, inputs: &[InputOf<A>], length: usize)
where
    B: Core<
            State = A::State,
            Peer = A::Peer,
            Message = A::Message,
            Timer = A::Timer,
            Command = A::Command,
            Notice = A::Notice,
            Saved = A::Saved,
        >,
{
    let mut states = vec![a.start()];
    assert_eq!(states[0], b.start());
    for _ in 0..length {
        let mut next = Vec::new();
        for state in &states {
            for input in inputs {
                let (mut left, mut right) = (state.clone(), state.clone());
                let (mut by_a, mut by_b): (OutOf<A>, OutOf<B>) = Default::default();
                a.step(&mut left, input.clone(), &mut by_a);
                b.step(&mut right, input.clone(), &mut by_b);
                assert_eq!((&left, &by_a), (&right, &by_b), "{state:?} with {input:?}");
                if left != *state && !next.contains(&left) {
                    next.push(left);
                }
            }
        }
        states = next;
        assert!(!states.is_empty(), "the inputs move it");
    }
}

#[test]
fn a_client_runs_a_table_as_data_as_it_runs_the_one_baked_in() {
    let compiled = Client::new(RESOURCE);
    let rules = Interpreted::new(data::<claim::Machine>());
    let interpreted = Client { rules, resource: RESOURCE, waits: false };
    agree(&compiled, &interpreted, &client_inputs(), 6);
}

#[test]
fn a_server_runs_a_table_as_data_as_it_runs_the_one_baked_in() {
    let limits = Limits { waiters_max: 2, finished_max: 1 };
    let compiled = Records::new(limits);
    let interpreted = Records { rules: Interpreted::new(data::<claim_record::Machine>()), limits };
    agree(&compiled, &interpreted, &server_inputs(), 4);
}

#[test]
fn a_row_that_a_table_lacks_is_reported_and_nothing_moves() {
    let mut plain = data::<claim::Machine>();
    plain.rows.retain(|row| row.event != claim::EventKind::Start);
    let rules = Interpreted::new(plain);
    let core = Client { rules, resource: RESOURCE, waits: false };
    let mut state = core.start();
    let mut out = OutOf::<Client>::default();
    let command = client::Command::Claim { key: IdempotencyKey::new(1) };
    core.step(&mut state, Input::Command(command), &mut out);
    assert_eq!(state, core.start());
    assert_eq!(out.effects, []);
    let refused =
        RowOutcome::Unexpected { machine: "claim", state: "new", event: "start", number: 0 };
    assert_eq!(out.rows, [refused]);
}
