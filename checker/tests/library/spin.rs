//! Liveness compared with Spin: a client that retries a request over a lossy, duplicating network,
//! in three variants, and one that polls with a timeout, which may be restarted; each also in
//! Promela.
//!
//! Spin's own fairness is that of processes, so fairness is part of the formula here: weak for the
//! timer, strong for each of the two messages. A message is treated fairly if it is delivered
//! infinitely often, or disabled from some point on; each combination is a formula of its own,
//! since Spin's time to translate one grows exponentially. Without Spin or a C compiler the test
//! says so.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use turnstile_search::bounds::NoProgress;
use turnstile_search::engine::{CheckRequest, run};
use turnstile_search::judgement::Verdict;
use turnstile_search::transition_system::{
    EnabledOp, Fairness, Outcome, Place, Predicate, Property, PropertyKind, TransitionSystem,
};

/// A client sends a request, a server replies.
#[derive(Clone, Copy, Debug)]
struct RequestReply {
    /// The client retries while it has no reply.
    does_retry: bool,
    /// The server replies to duplicate requests.
    does_answer_again: bool,
}

/// The places: the client, the server, the request and the reply in flight.
const CLIENT: usize = 0;
const SERVER: usize = 1;
const QUESTION: usize = 2;
const ANSWER: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Client { is_armed: bool, is_answered: bool },
    Server { has_answered: bool },
    Flight(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Op {
    Fire,
    Put,
    Lose,
    Deliver,
    Take,
}

fn done(part: Part, triggers: &[(usize, Op)]) -> Vec<Outcome<Part, Op, ()>> {
    let place = |&(place, op): &(usize, Op)| (Place(u16::try_from(place).expect("four")), op);
    vec![Outcome { triggers: triggers.iter().map(place).collect(), ..Outcome::plain(part) }]
}

impl TransitionSystem for RequestReply {
    type Part = Part;
    type Op = Op;
    type Tag = ();

    fn initial(&self) -> Vec<Vec<Part>> {
        vec![vec![
            Part::Client { is_armed: true, is_answered: false },
            Part::Server { has_answered: false },
            Part::Flight(false),
            Part::Flight(false),
        ]]
    }

    fn enabled(&self, at: Place, part: &Part) -> Vec<EnabledOp<Op>> {
        let enabled = |op, fairness, is_loss| EnabledOp { op, fairness, is_loss };
        match part {
            Part::Client { is_armed: true, .. } => {
                vec![enabled(Op::Fire, Fairness::Weak("timer".to_owned()), false)]
            }
            Part::Flight(true) => {
                let name = if at.index() == QUESTION { "question" } else { "answer" };
                let deliver = enabled(Op::Deliver, Fairness::Strong(name.to_owned()), false);
                vec![deliver, enabled(Op::Lose, Fairness::None, true)]
            }
            Part::Client { .. } | Part::Server { .. } | Part::Flight(false) => Vec::new(),
        }
    }

    fn apply(&self, at: Place, part: &Part, op: &Op) -> Vec<Outcome<Part, Op, ()>> {
        let is_question = at.index() == QUESTION;
        match (*part, op) {
            (Part::Client { is_answered, .. }, Op::Fire) => {
                let client = Part::Client { is_armed: self.does_retry, is_answered };
                done(client, &[(QUESTION, Op::Put)])
            }
            (Part::Client { .. }, Op::Take) => {
                done(Part::Client { is_armed: false, is_answered: true }, &[])
            }
            (Part::Server { has_answered: true }, Op::Take) if !self.does_answer_again => {
                done(*part, &[])
            }
            (Part::Server { .. }, Op::Take) => {
                done(Part::Server { has_answered: true }, &[(ANSWER, Op::Put)])
            }
            (Part::Flight(_), Op::Put) => done(Part::Flight(true), &[]),
            (Part::Flight(_), Op::Lose) => done(Part::Flight(false), &[]),
            (Part::Flight(_), Op::Deliver) => {
                done(*part, &[(if is_question { SERVER } else { CLIENT }, Op::Take)])
            }
            (part, op) => unreachable!("{op:?} is not for {part:?}"),
        }
    }

    fn predicates(&self) -> Vec<Predicate> {
        vec![Predicate { name: "answered".to_owned(), reads: None, reads_messages: false }]
    }

    fn evaluate(&self, predicates: &[usize], state: &[&Part], answer: &mut dyn FnMut(usize, bool)) {
        let is_so = matches!(state[CLIENT], Part::Client { is_answered: true, .. });
        predicates.iter().for_each(|&predicate| answer(predicate, is_so));
    }

    fn properties(&self) -> Vec<Property> {
        let name = "is answered".to_owned();
        vec![Property { name, kind: PropertyKind::Eventually(0), antecedent: None }]
    }
}

/// The same in Promela. `last` is the action of the last step; an action is enabled only if it
/// changes the state, as here.
fn promela(model: RequestReply) -> String {
    let formulas = written(&formulas());
    let again = if model.does_retry { "1" } else { "0" };
    let serves = if model.does_answer_again { "(!answer || !served)" } else { "!served" };
    format!(
        "bit armed = 1; bit answered; bit served; bit question; bit answer; byte last;\n\
         #define timer_on (armed && !(question && {again}))\n\
         #define question_on (question && {serves})\n\
         #define answer_on (answer && (!answered || armed))\n\
         active proctype system() {{\n  do\n\
         \x20 :: d_step {{ timer_on -> question = 1; armed = {again}; last = 1 }}\n\
         \x20 :: d_step {{ question_on -> answer = 1; served = 1; last = 2 }}\n\
         \x20 :: d_step {{ answer_on -> answered = 1; armed = 0; last = 3 }}\n\
         \x20 :: d_step {{ question -> question = 0; last = 0 }}\n\
         \x20 :: d_step {{ answer -> answer = 0; last = 0 }}\n\
         \x20 od\n}}\n\
         {formulas}"
    )
}

fn written(formulas: &[(String, String)]) -> String {
    formulas.iter().map(|(name, formula)| format!("ltl {name} {{ {formula} }}\n")).collect()
}

/// One formula for each combination of fairness to the messages, and one without fairness.
fn formulas() -> Vec<(String, String)> {
    let question = ["([]<> (last == 2))", "(<>[] !question_on)"];
    let answer = ["([]<> (last == 3))", "(<>[] !answer_on)"];
    let ways = question.iter().flat_map(|q| answer.iter().map(move |a| (q, a)));
    let fair = ways.enumerate().map(|(way, (question, answer))| {
        let timer = "([]<> (!timer_on || last == 1))";
        let run = format!("([] !answered) && {timer} && {question} && {answer}");
        (format!("fair{way}"), format!("!({run})"))
    });
    fair.chain([("unfair".to_owned(), "<> answered".to_owned())]).collect()
}

/// Translates and compiles a model with all its formulas. `None`: Spin or a C compiler is not
/// available.
fn compile(place: &Path) -> Option<()> {
    let translated = ran(place, "spin", &["-a", "model.pml"])?;
    assert!(translated.status.success(), "{}", String::from_utf8_lossy(&translated.stdout));
    let compiled = ran(place, "gcc", &["-O1", "-DNOREDUCE", "-o", "pan", "pan.c"])?;
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    Some(())
}

fn ran(place: &Path, program: &str, arguments: &[&str]) -> Option<Output> {
    Command::new(program).args(arguments).current_dir(place).output().ok()
}

/// Whether the compiled model has a counterexample to a formula.
fn is_broken(place: &Path, formula: &str) -> bool {
    let output = ran(place, "./pan", &["-a", "-N", formula, "-m100000"]).expect("it is compiled");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("State-vector"), "Spin ran to its end: {said}");
    !said.contains("errors: 0")
}

/// Spin's verdict on a model; the last formula is the one without fairness.
fn spin(name: &str, model: &str, formulas: &[(String, String)]) -> Option<Verdict> {
    let place = std::env::temp_dir().join(format!("turnstile-{name}-{}", std::process::id()));
    fs::create_dir_all(&place).expect("the place for temporary files can be written");
    fs::write(place.join("model.pml"), model).expect("it can be written");
    let verdict = compile(&place).map(|()| {
        let broken: Vec<bool> =
            formulas.iter().map(|(formula, _)| is_broken(&place, formula)).collect();
        match broken.split_last() {
            Some((_, fair)) if fair.contains(&true) => Verdict::Fails,
            Some((true, _)) => Verdict::HoldsUnderFairness,
            _ => Verdict::Holds,
        }
    });
    fs::remove_dir_all(&place).expect("it was made above");
    verdict
}

#[track_caller]
fn check(name: &str, model: RequestReply, expected: Verdict) {
    compare(name, &model, (&promela(model), &formulas()), expected);
}

#[track_caller]
fn compare(
    name: &str,
    system: &impl TransitionSystem,
    (model, formulas): (&str, &[(String, String)]),
    expected: Verdict,
) {
    let judgement = run(system, CheckRequest::new(&NoProgress)).judgements.remove(0);
    assert_eq!(judgement.verdict, expected);
    match spin(name, model, formulas) {
        Some(verdict) => assert_eq!(verdict, expected, "Spin says otherwise"),
        None => println!("Spin or a C compiler is not here: {name} was not cross-checked"),
    }
}

#[test]
fn with_retries_every_fair_path_has_a_reply() {
    let model = RequestReply { does_retry: true, does_answer_again: true };
    check("retry", model, Verdict::HoldsUnderFairness);
}

#[test]
fn a_reply_that_is_not_repeated_can_be_lost() {
    let model = RequestReply { does_retry: true, does_answer_again: false };
    check("once", model, Verdict::Fails);
}

#[test]
fn a_request_that_is_not_retried_can_be_lost() {
    let model = RequestReply { does_retry: false, does_answer_again: true };
    check("mute", model, Verdict::Fails);
}

/// A client that is told to wait and polls again, with a timeout.
#[derive(Clone, Copy, Debug)]
struct Polling {
    /// Whether polling is a state of its own; otherwise the client is told to wait repeatedly.
    does_ask: bool,
    /// Whether the timeout is restarted whenever it is told to wait.
    does_restart: bool,
}

/// The actions of the client: in order, the values of `last` from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ClientAction {
    Asks,
    IsTold,
    TimesOut,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Client {
    Waiting,
    Asking,
    Ended,
}

impl Polling {
    fn after(self, client: Client, action: ClientAction) -> Option<Client> {
        match (client, action) {
            (Client::Waiting, ClientAction::Asks) if self.does_ask => Some(Client::Asking),
            (Client::Asking, ClientAction::IsTold) => Some(Client::Waiting),
            (Client::Waiting, ClientAction::IsTold) if !self.does_ask => Some(Client::Waiting),
            (Client::Waiting | Client::Asking, ClientAction::TimesOut) => Some(Client::Ended),
            (Client::Waiting, ClientAction::Asks | ClientAction::IsTold)
            | (Client::Asking, ClientAction::Asks)
            | (Client::Ended, _) => None,
        }
    }
}

fn fairness(action: ClientAction) -> Fairness {
    Fairness::Strong(format!("{action:?}"))
}

impl TransitionSystem for Polling {
    type Part = Client;
    type Op = ClientAction;
    type Tag = ();

    fn initial(&self) -> Vec<Vec<Client>> {
        vec![vec![Client::Waiting]]
    }

    fn enabled(&self, _: Place, part: &Client) -> Vec<EnabledOp<ClientAction>> {
        let all = [ClientAction::Asks, ClientAction::IsTold, ClientAction::TimesOut];
        let enabled = all.into_iter().filter(|op| self.after(*part, *op).is_some());
        enabled.map(|op| EnabledOp { op, fairness: fairness(op), is_loss: false }).collect()
    }

    fn apply(
        &self,
        _: Place,
        part: &Client,
        op: &ClientAction,
    ) -> Vec<Outcome<Client, ClientAction, ()>> {
        let does_restart = self.does_restart && *op == ClientAction::IsTold;
        let discharges =
            does_restart.then(|| fairness(ClientAction::TimesOut)).into_iter().collect();
        let next = self.after(*part, *op).into_iter();
        next.map(|next| Outcome { discharges: Vec::clone(&discharges), ..Outcome::plain(next) })
            .collect()
    }

    fn predicates(&self) -> Vec<Predicate> {
        vec![Predicate { name: "ended".to_owned(), reads: None, reads_messages: false }]
    }

    fn evaluate(
        &self,
        predicates: &[usize],
        state: &[&Client],
        answer: &mut dyn FnMut(usize, bool),
    ) {
        predicates.iter().for_each(|&predicate| answer(predicate, *state[0] == Client::Ended));
    }

    fn properties(&self) -> Vec<Property> {
        let name = "ends".to_owned();
        vec![Property { name, kind: PropertyKind::Eventually(0), antecedent: None }]
    }
}

/// The same for Spin. Also an action that changes nothing is a step.
#[track_caller]
fn check_polling(name: &str, polling: Polling, expected: Verdict) {
    let told = if polling.does_ask { "asking && !ended -> asking = 0" } else { "!ended -> skip" };
    let asks = if polling.does_ask { "!asking && !ended" } else { "false" };
    let relieved = if polling.does_restart { "(last == 2 || last == 3)" } else { "(last == 3)" };
    // The time-out's pair decides. With the pairs of the other two, Spin takes minutes.
    let fair = format!("!(([] !ended) && ([]<> {relieved}))");
    let formulas = [("fair".to_owned(), fair), ("unfair".to_owned(), "<> ended".to_owned())];
    let model = format!(
        "bit asking; bit ended; byte last;\n\
         active proctype system() {{\n  do\n\
         \x20 :: d_step {{ {asks} -> asking = 1; last = 1 }}\n\
         \x20 :: d_step {{ {told}; last = 2 }}\n\
         \x20 :: d_step {{ !ended -> ended = 1; last = 3 }}\n\
         \x20 od\n}}\n{}",
        written(&formulas)
    );
    compare(name, &polling, (&model, &formulas), expected);
}

#[test]
fn a_waiting_client_times_out_on_every_fair_path() {
    let polling = Polling { does_ask: true, does_restart: false };
    check_polling("polling", polling, Verdict::HoldsUnderFairness);
}

#[test]
fn a_timeout_that_is_restarted_never_fires() {
    let polling = Polling { does_ask: true, does_restart: true };
    check_polling("anew", polling, Verdict::Fails);
}

#[test]
fn a_timeout_that_is_restarted_by_a_self_loop_never_fires() {
    let polling = Polling { does_ask: false, does_restart: true };
    check_polling("anew-there", polling, Verdict::Fails);
    let still = Polling { does_restart: false, ..polling };
    check_polling("still", still, Verdict::HoldsUnderFairness);
}
