//! A running actor: a node of the plain core, the task that gives it events, and the task that
//! performs its actions.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use turnstile_host::store::Store;
use turnstile_host::transport::{Transport, Unsent, UnsentReason};
use turnstile_host::{Event, Inbox, Node, Notices, Options};
use turnstile_machine::{Machine, Name, PlainMachine};
use turnstile_plain::{Compiled, Message, Peer, Plain, PlainRules, SavedParts, State};

use crate::core::{ActorCore, ActorNotice, Answer, Given};
use crate::handle::{Asked, Counters, Handle};
use crate::snapshot::{Migration, Snapshot};
use crate::system::Member;

/// The machines that an actor runs: all that `machine!` makes.
pub trait ActorMachine:
    PlainMachine<Handler: Send, Durations: Send + Sync + 'static>
    + Machine<
        State: Send + Sync,
        Event: Send + Sync,
        EventKind: Send + Sync,
        Action: Send + Sync,
        Resource: Send + Sync,
        Guard: Send + Sync,
    > + Send
    + Sync
{
}

impl<M> ActorMachine for M where
    M: PlainMachine<Handler: Send, Durations: Send + Sync + 'static>
        + Machine<
            State: Send + Sync,
            Event: Send + Sync,
            EventKind: Send + Sync,
            Action: Send + Sync,
            Resource: Send + Sync,
            Guard: Send + Sync,
        > + Send
        + Sync
{
}

/// The inbox for the messages to an actor, which a transport delivers to.
pub type ActorInbox<M> = Inbox<ActorCore<M>>;

/// The configuration of an actor.
pub struct ActorOptions<M: PlainMachine> {
    /// The duration of each timer.
    pub durations: M::Durations,
    /// The most events that wait to be given to the actor, 1 or more; default 1024.
    pub inbox: usize,
    /// The initial state in which it begins, of a table that has several; default: the first.
    pub begin: Option<M::State>,
    /// The state in which it begins, if the store has none.
    pub resume: Option<Snapshot>,
    /// How snapshots of earlier tables become states of this one.
    pub migrations: Vec<Migration>,
    /// The store of its state, which is saved before a step's messages and actions. After a restart
    /// its timers begin anew.
    pub store: Option<Box<dyn Store>>,
    /// The owner of the store: a store of another name is refused.
    pub name: String,
    /// Its place in a system.
    pub member: Option<Member<M>>,
}

impl<M: PlainMachine> fmt::Debug for ActorOptions<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActorOptions").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<M: PlainMachine> ActorOptions<M> {
    /// An actor of its own: it begins in the first initial state and saves nothing.
    pub const fn new(durations: M::Durations) -> Self {
        Self {
            durations,
            inbox: 1024,
            begin: None,
            resume: None,
            migrations: Vec::new(),
            store: None,
            name: String::new(),
            member: None,
        }
    }
}

/// A running machine. Dropping it is like a crash; [`Actor::stop`] ends it in order.
pub struct Actor<M: PlainMachine> {
    handle: Handle<M>,
    stop: oneshot::Sender<Duration>,
    driving: JoinHandle<Option<Ended>>,
}

/// How an actor has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its last state.
    pub snapshot: Snapshot,
    /// Whether the state is saved, and the messages that depend on it were passed on.
    pub is_durable: bool,
    /// Whether all actions were performed.
    pub is_performed: bool,
}

impl<M: PlainMachine> fmt::Debug for Actor<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Actor").field("handle", &self.handle).finish_non_exhaustive()
    }
}

impl<M: PlainMachine> Deref for Actor<M> {
    type Target = Handle<M>;

    fn deref(&self) -> &Handle<M> {
        &self.handle
    }
}

impl<M: ActorMachine> Actor<M> {
    /// Starts a machine of its own, on tokio.
    ///
    /// # Errors
    ///
    /// When its table sends messages: such a machine needs a system, see [`Actor::start`].
    pub async fn spawn(handler: Box<M::Handler>, durations: M::Durations) -> io::Result<Self> {
        Self::alone(handler, ActorOptions::new(durations)).await
    }

    /// As [`Actor::spawn`], with options: a store, a snapshot to resume.
    ///
    /// # Errors
    ///
    /// As [`Actor::start`].
    pub async fn alone(handler: Box<M::Handler>, options: ActorOptions<M>) -> io::Result<Self> {
        Self::start(handler, options, async |_| Ok(Alone)).await
    }

    /// Starts a machine. The function creates the transport of its messages, given the inbox for
    /// those that arrive.
    ///
    /// # Errors
    ///
    /// When the table sends messages and the actor is no member of a system; when a snapshot is of
    /// another table and there is no migration; the errors of the store and of the function.
    pub async fn start<T, F>(
        handler: Box<M::Handler>,
        options: ActorOptions<M>,
        transport: impl FnOnce(ActorInbox<M>) -> F,
    ) -> io::Result<Self>
    where
        T: Transport<Peer, Message>,
        F: Future<Output = io::Result<T>>,
    {
        let handler = Arc::new(Mutex::new(handler));
        let (core, options) = prepare(options, &handler)?;
        let (options, inbox, counters) = options;
        let (node, notices) = Node::start(core, options, transport).await?;
        let (state, states) = watch::channel(node.state());
        let answers = Answers::default();
        let perform = Performing {
            handler,
            answers: answers.clone(),
            state,
            counters: Arc::clone(&counters),
        };
        let performing = tokio::spawn(perform.run(notices));
        let (sender, receiver) = mpsc::channel(inbox.max(1));
        let (stop, stopped) = oneshot::channel();
        let driving = Driving { node, performing, answers, inbox: receiver };
        let driving = tokio::spawn(driving.run(stopped));
        tracing::info!(machine = M::TABLE.machine, "the actor has started");
        Ok(Self { handle: Handle { inbox: sender, states, counters }, stop, driving })
    }

    /// A handle for other tasks.
    #[must_use]
    pub fn handle(&self) -> Handle<M> {
        self.handle.clone()
    }

    /// Stops the actor in whatever state it is: takes no more events, fires no timer, saves the
    /// state, sends what is queued, and performs the actions of the steps taken. Each of these
    /// takes at most `timeout`.
    ///
    /// # Errors
    ///
    /// When the actor has failed: a method of the handler has panicked.
    pub async fn stop(self, timeout: Duration) -> io::Result<Ended> {
        // It may have failed already.
        let _sent = self.stop.send(timeout);
        let ended = self.driving.await.ok().flatten();
        ended.ok_or_else(|| io::Error::other("the actor has failed: a method has panicked"))
    }
}

type Shared<H> = Arc<Mutex<Box<H>>>;
type NodeOptions<M> = (Options<ActorCore<M>>, usize, Arc<Counters>);

/// The core and the options of its node.
fn prepare<M: ActorMachine>(
    options: ActorOptions<M>,
    handler: &Shared<M::Handler>,
) -> io::Result<(ActorCore<M>, NodeOptions<M>)> {
    let ActorOptions { durations, inbox, begin, resume, migrations, store, name, member } = options;
    let guards = Arc::clone(handler);
    let rules = Compiled::<M>::new(move |guard, event| M::answer(&mut lock(&guards), guard, event));
    runs(&rules, member.is_some())?;
    let variables = vec![true; M::PLAIN.variables.len()].into();
    let saved = store.is_some().then_some(SavedParts { state: true, variables });
    let sends = member.map_or_else(|| vec![None; M::Action::ALL.len()].into(), |it| it.sends);
    let plain = Plain { rules, sends, saved, machine: PhantomData };
    let first = match resume {
        Some(snapshot) => snapshot.restore(&migrations).map_err(invalid)?,
        None => plain.start_in(beginning(begin, &plain.rules)?),
    };
    let counters = Arc::new(Counters::default());
    let counting = Arc::clone(&counters);
    let timers =
        move |_: &State<M>, timer: turnstile_plain::Timer<M>| M::duration(&durations, timer.0);
    let mut options = Options::<ActorCore<M>>::new(timers);
    options.store = store;
    options.name = name;
    options.observer = Some(Box::new(move |_, out| counting.note(&out.rows)));
    options.accept = Some(Box::new(move |saved: Snapshot| {
        let state: State<M> = saved.restore(&migrations).map_err(invalid)?;
        Ok(Snapshot::of(&state))
    }));
    Ok((ActorCore { plain, first }, (options, inbox, counters)))
}

/// The state in which an actor begins.
fn beginning<M: PlainMachine>(
    begin: Option<M::State>,
    rules: &Compiled<M>,
) -> io::Result<M::State> {
    let Some(state) = begin else { return Ok(rules.rows().initial()) };
    if rules.rows().initial_states().contains(&state) {
        return Ok(state);
    }
    let machine = M::TABLE.machine;
    let initial: Vec<&str> =
        rules.rows().initial_states().iter().map(|state| state.name()).collect();
    let what = format!("`{state}` is no initial state of `{machine}`: {}", initial.join(", "));
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

fn invalid(error: crate::SnapshotError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// Refuses a table that an actor cannot run.
fn runs<M: PlainMachine>(rules: &Compiled<M>, is_member: bool) -> io::Result<()> {
    let machine = M::TABLE.machine;
    let refused = |what: String| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    if let (false, Some((action, event))) = (is_member, M::PLAIN.sends.first()) {
        return refused(format!(
            "`{machine}` sends messages (`{action}` sends `{event}`): start it as a member of a \
             system"
        ));
    }
    let mut timers = M::Resource::ALL.iter();
    if let Some(timer) = timers.find(|timer| rules.wiring().fired(**timer).len() > 1) {
        return refused(format!(
            "the timer `{timer}` of `{machine}` may fire as several events or payloads: nothing \
             says as which"
        ));
    }
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A method that panics ends the actor.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The callers that wait for an answer, by the numbers of their events.
#[derive(Clone, Default)]
struct Answers(Arc<Mutex<HashMap<u64, oneshot::Sender<Answer>>>>);

/// The task that performs actions.
struct Performing<M: PlainMachine> {
    handler: Shared<M::Handler>,
    answers: Answers,
    state: watch::Sender<State<M>>,
    counters: Arc<Counters>,
}

impl<M: ActorMachine> Performing<M> {
    /// Performs until the node has ended. Returns whether it has ended in order.
    async fn run(self, mut notices: Notices<ActorCore<M>>) -> bool {
        while let Some(event) = notices.next().await {
            match event {
                Event::Notice(ActorNotice::Perform(action, event)) => {
                    M::perform(&mut lock(&self.handler), action, event);
                }
                Event::Notice(ActorNotice::At(at, held, variables)) => {
                    self.state.send_replace(State { at, held, variables });
                }
                Event::Notice(ActorNotice::Answer(number, answer)) => {
                    if let Some(caller) = lock(&self.answers.0).remove(&number) {
                        // A caller that does not wait needs no answer.
                        let _gone = caller.send(answer);
                    }
                }
                Event::Unsent(unsent) => {
                    self.counters.note_unsent();
                    tracing::warn!(message = %unsent.message, "{unsent}");
                }
                Event::Broken => return false,
            }
        }
        true
    }
}

/// The task that gives the node its events.
struct Driving<M: ActorMachine, T> {
    node: Node<ActorCore<M>, T>,
    performing: JoinHandle<bool>,
    answers: Answers,
    inbox: mpsc::Receiver<Asked<M>>,
}

impl<M: ActorMachine, T: Transport<Peer, Message>> Driving<M, T> {
    /// Runs until the actor is stopped, dropped, or fails; `None` unless it was stopped.
    async fn run(mut self, mut stopped: oneshot::Receiver<Duration>) -> Option<Ended> {
        let mut number = 0;
        let timeout = loop {
            let given = async {
                let Some((event, answer)) = self.inbox.recv().await else {
                    return std::future::pending().await;
                };
                number += 1;
                lock(&self.answers.0).insert(number, answer);
                self.node.command(Given { event, number }).await
            };
            tokio::select! {
                biased;
                timeout = &mut stopped => break timeout.ok()?,
                _ended = &mut self.performing => {
                    tracing::error!(machine = M::TABLE.machine, "the actor has failed");
                    lock(&self.answers.0).clear();
                    return None;
                }
                given = given => given.ok()?,
            }
        };
        self.inbox.close();
        while self.inbox.try_recv().is_ok() {}
        let stop = self.node.stop(timeout).await;
        let is_performed = tokio::time::timeout(timeout, &mut self.performing).await;
        self.performing.abort();
        lock(&self.answers.0).clear();
        tracing::info!(machine = M::TABLE.machine, "the actor has stopped");
        let is_performed = matches!(is_performed, Ok(Ok(true)));
        let snapshot = Snapshot::of(&stop.state);
        Some(Ended { snapshot, is_durable: stop.is_durable, is_performed })
    }
}

/// The transport of an actor that neither sends nor receives messages.
struct Alone;

impl Transport<Peer, Message> for Alone {
    fn send(&self, to: Peer, message: Message) -> Result<(), Unsent<Peer, Message>> {
        Err(Unsent { to, message, why: UnsentReason::UnknownPeer })
    }

    async fn close(&self, _timeout: Duration) {}
}
