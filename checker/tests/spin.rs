//! The liveness search beside Spin: a client asks until it is answered, over a lossy, duplicating
//! network, in three variants, and one waits until its time is out, which may begin anew; each also
//! written in Promela.
//!
//! Spin's own fairness is that of processes, so what is fair here stands in the formula: the timer
//! weakly, each of the two messages strongly. A message is treated fairly if it is delivered again
//! and again, or if from some time on it cannot be; each way is a formula of its own, since Spin's
//! time to translate one grows exponentially. Without Spin or a C compiler the test says so.

use std::fs;
use std::path::Path;
use std::process::Command;

use turnstile_search::bounds::{Limits, Reductions, Silent, Until};
use turnstile_search::engine::{Question, run};
use turnstile_search::judged::Verdict;
use turnstile_search::parts::{Claim, Done, Fairness, Offer, Parts, Place, Predicate, Property};

/// A client asks, a server answers.
#[derive(Clone, Copy, Debug)]
struct Ask {
    /// The client asks again while it has no answer.
    does_retry: bool,
    /// The server answers a question that comes again.
    does_answer_again: bool,
}

/// Where things are: the client, the server, the question and the answer in flight.
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

fn done(part: Part, then: &[(usize, Op)]) -> Vec<Done<Part, Op, ()>> {
    let place = |&(place, op): &(usize, Op)| (Place(u16::try_from(place).expect("four")), op);
    vec![Done { then: then.iter().map(place).collect(), ..Done::plain(part) }]
}

impl Parts for Ask {
    type Part = Part;
    type Op = Op;
    type Mark = ();

    fn initial(&self) -> Vec<Vec<Part>> {
        vec![vec![
            Part::Client { is_armed: true, is_answered: false },
            Part::Server { has_answered: false },
            Part::Flight(false),
            Part::Flight(false),
        ]]
    }

    fn offers(&self, at: Place, part: &Part) -> Vec<Offer<Op>> {
        let offer = |op, fairness, is_loss| Offer { op, fairness, is_loss };
        match part {
            Part::Client { is_armed: true, .. } => {
                vec![offer(Op::Fire, Fairness::Weak("timer".to_owned()), false)]
            }
            Part::Flight(true) => {
                let name = if at.index() == QUESTION { "question" } else { "answer" };
                let deliver = offer(Op::Deliver, Fairness::Strong(name.to_owned()), false);
                vec![deliver, offer(Op::Lose, Fairness::Never, true)]
            }
            Part::Client { .. } | Part::Server { .. } | Part::Flight(false) => Vec::new(),
        }
    }

    fn apply(&self, at: Place, part: &Part, op: &Op) -> Vec<Done<Part, Op, ()>> {
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

    fn test(&self, predicates: &[usize], state: &[&Part], answer: &mut dyn FnMut(usize, bool)) {
        let is_so = matches!(state[CLIENT], Part::Client { is_answered: true, .. });
        predicates.iter().for_each(|&predicate| answer(predicate, is_so));
    }

    fn properties(&self) -> Vec<Property> {
        let name = "is answered".to_owned();
        vec![Property { name, claim: Claim::Eventually(0), premise: None }]
    }
}

/// The same in Promela. `last` is the action of the last step; what is enabled is what would
/// change something, as here.
fn promela(ask: Ask) -> String {
    let formulas = written(&formulas());
    let again = if ask.does_retry { "1" } else { "0" };
    let serves = if ask.does_answer_again { "(!answer || !served)" } else { "!served" };
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

/// One formula for each way to be fair to the messages, and one for runs that need not be fair.
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

/// Whether Spin finds a run that breaks a formula. `None`: it cannot run here.
fn is_broken(place: &Path, formula: &str) -> Option<bool> {
    let run = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).current_dir(place).output().ok()
    };
    let translated = run("spin", &["-a", "model.pml"])?;
    assert!(translated.status.success(), "{}", String::from_utf8_lossy(&translated.stdout));
    let compiled = run("gcc", &["-O1", "-DNOREDUCE", "-o", "pan", "pan.c"])?;
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = run("./pan", &["-a", "-N", formula, "-m100000"])?;
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("State-vector"), "Spin ran to its end: {said}");
    Some(!said.contains("errors: 0"))
}

/// What Spin says of a model, in our words; the last formula is that of runs that need not be fair.
fn spin(name: &str, model: &str, formulas: &[(String, String)]) -> Option<Verdict> {
    let place = std::env::temp_dir().join(format!("turnstile-{name}-{}", std::process::id()));
    fs::create_dir_all(&place).expect("the place for temporary files can be written");
    fs::write(place.join("model.pml"), model).expect("it can be written");
    let broken: Option<Vec<bool>> =
        formulas.iter().map(|(formula, _)| is_broken(&place, formula)).collect();
    let verdict = broken.map(|broken| match broken.split_last() {
        Some((_, fair)) if fair.contains(&true) => Verdict::Fails,
        Some((true, _)) => Verdict::FailsOnlyUnfairly,
        _ => Verdict::Holds,
    });
    fs::remove_dir_all(&place).expect("it was made above");
    verdict
}

#[track_caller]
fn check(name: &str, ask: Ask, expected: Verdict) {
    compare(name, &ask, (&promela(ask), &formulas()), expected);
}

#[track_caller]
fn compare(
    name: &str,
    system: &impl Parts,
    (model, formulas): (&str, &[(String, String)]),
    expected: Verdict,
) {
    let question = Question {
        threads: 1,
        limits: Limits::default(),
        reduce: Reductions::NONE,
        until: &Until::End,
        progress: &Silent,
    };
    let judged = run(system, question).judged.remove(0);
    assert_eq!(judged.verdict, expected);
    match spin(name, model, formulas) {
        Some(verdict) => assert_eq!(verdict, expected, "Spin says otherwise"),
        None => println!("Spin or a C compiler is not here: {name} was not cross-checked"),
    }
}

#[test]
fn who_asks_again_is_answered_on_every_fair_run() {
    let ask = Ask { does_retry: true, does_answer_again: true };
    check("retry", ask, Verdict::FailsOnlyUnfairly);
}

#[test]
fn an_answer_that_is_given_once_can_be_lost() {
    let ask = Ask { does_retry: true, does_answer_again: false };
    check("once", ask, Verdict::Fails);
}

#[test]
fn a_question_that_is_asked_once_can_be_lost() {
    let ask = Ask { does_retry: false, does_answer_again: true };
    check("mute", ask, Verdict::Fails);
}

/// A client that is told to wait, asks again, is told to wait; and a time-out.
#[derive(Clone, Copy, Debug)]
struct Waits {
    /// Whether it goes into another state to ask; otherwise it is told again and again.
    does_ask: bool,
    /// Whether its time-out begins anew whenever it is told to wait.
    does_restart: bool,
}

/// What the client does: in order, the values of `last` from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Happens {
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

impl Waits {
    fn after(self, client: Client, happens: Happens) -> Option<Client> {
        match (client, happens) {
            (Client::Waiting, Happens::Asks) if self.does_ask => Some(Client::Asking),
            (Client::Asking, Happens::IsTold) => Some(Client::Waiting),
            (Client::Waiting, Happens::IsTold) if !self.does_ask => Some(Client::Waiting),
            (Client::Waiting | Client::Asking, Happens::TimesOut) => Some(Client::Ended),
            (Client::Waiting, Happens::Asks | Happens::IsTold)
            | (Client::Asking, Happens::Asks)
            | (Client::Ended, _) => None,
        }
    }
}

fn fairness(happens: Happens) -> Fairness {
    Fairness::Strong(format!("{happens:?}"))
}

impl Parts for Waits {
    type Part = Client;
    type Op = Happens;
    type Mark = ();

    fn initial(&self) -> Vec<Vec<Client>> {
        vec![vec![Client::Waiting]]
    }

    fn offers(&self, _: Place, part: &Client) -> Vec<Offer<Happens>> {
        let all = [Happens::Asks, Happens::IsTold, Happens::TimesOut];
        let enabled = all.into_iter().filter(|op| self.after(*part, *op).is_some());
        enabled.map(|op| Offer { op, fairness: fairness(op), is_loss: false }).collect()
    }

    fn apply(&self, _: Place, part: &Client, op: &Happens) -> Vec<Done<Client, Happens, ()>> {
        let does_restart = self.does_restart && *op == Happens::IsTold;
        let relieves = does_restart.then(|| fairness(Happens::TimesOut)).into_iter().collect();
        let next = self.after(*part, *op).into_iter();
        next.map(|next| Done { relieves: Vec::clone(&relieves), ..Done::plain(next) }).collect()
    }

    fn predicates(&self) -> Vec<Predicate> {
        vec![Predicate { name: "ended".to_owned(), reads: None, reads_messages: false }]
    }

    fn test(&self, predicates: &[usize], state: &[&Client], answer: &mut dyn FnMut(usize, bool)) {
        predicates.iter().for_each(|&predicate| answer(predicate, *state[0] == Client::Ended));
    }

    fn properties(&self) -> Vec<Property> {
        let name = "ends".to_owned();
        vec![Property { name, claim: Claim::Eventually(0), premise: None }]
    }
}

/// The same for Spin: what changes nothing and starts no clock anew is no step.
#[track_caller]
fn check_waits(name: &str, waits: Waits, expected: Verdict) {
    let told = match waits {
        Waits { does_ask: true, .. } => "asking && !ended -> asking = 0",
        Waits { does_restart: true, .. } => "!ended -> skip",
        Waits { .. } => "false -> skip",
    };
    let asks = if waits.does_ask { "!asking && !ended" } else { "false" };
    let relieved = if waits.does_restart { "(last == 2 || last == 3)" } else { "(last == 3)" };
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
    compare(name, &waits, (&model, &formulas), expected);
}

#[test]
fn who_is_told_to_wait_times_out_on_every_fair_run() {
    let waits = Waits { does_ask: true, does_restart: false };
    check_waits("waits", waits, Verdict::FailsOnlyUnfairly);
}

#[test]
fn a_time_out_that_begins_anew_never_ends() {
    let waits = Waits { does_ask: true, does_restart: true };
    check_waits("anew", waits, Verdict::Fails);
}

#[test]
fn a_time_out_that_begins_anew_where_nothing_changes_never_ends() {
    let waits = Waits { does_ask: false, does_restart: true };
    check_waits("anew-there", waits, Verdict::Fails);
    check_waits("still", Waits { does_restart: false, ..waits }, Verdict::Holds);
}
