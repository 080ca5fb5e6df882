//! Byte-range locks of a cache manager: the locks of a file, and the one server lock behind them.
//!
//! A [`manager::CacheManager`] grants locks of byte ranges to the clients of one host. It asserts
//! them with a file server that knows locks of whole files only, each with a lease;
//! [`server::FileServer`] is a model of such a server. Both are cores ([`turnstile_step::Core`]).
//!
//! An embedder provides:
//!
//! - names for files ([`message::FileId`]) and for clients ([`locks::ClientKey`], unique in
//!   a file), and ranges in bytes ([`ByteRange::new`], which refuses a length of zero and a last
//!   byte beyond 2^64 - 1);
//! - three timers ([`manager::Timer`]): the check, in the document once a minute; the lease, in the
//!   document five minutes, counted from the *send* of the call whose reply arms it, less a margin
//!   for clock drift; and the timeout of a waiting client;
//! - calls to the file server: each gets one reply, [`message::Message::unanswered`] if none
//!   arrives; a reply that arrives after the lease that it grants has [`message::Lease::Lapsed`];
//! - every read and write, as a [`manager::Operation`]: the locks are advisory.
//!
//! No input panics. A reply to a call that is not pending, a timer of a removed lock or file, and
//! the release of a removed lock are ignored. The release of another client's lock is refused. An
//! unhandled event is in [`turnstile_step::Out::rows`], as
//! [`turnstile_step::RowOutcome::Unexpected`], and changes nothing.
//!
//! ```
//! use turnstile_core::number::{DataVersion, LockId};
//! use turnstile_core::ranges::locks::{ClientKey, LockType};
//! use turnstile_core::ranges::manager::{CacheManager, Command, Notice, Operation, Outcome, Timer};
//! use turnstile_core::ranges::message::{
//!     FileId, FileServerPeer, Lease, Message, ServerLock, ServerReply,
//! };
//! use turnstile_core::ranges::{ByteRange, RangeError};
//! use turnstile_step::{Core, Effect, Input, Out};
//!
//! let core = CacheManager::new();
//! let mut state = core.start();
//! let mut step = |input| {
//!     let mut out = Out::default();
//!     core.step(&mut state, input, &mut out);
//!     out.effects
//! };
//!
//! // Client 1 requests an exclusive lock of bytes 0 to 99 of file 7.
//! let (file, key) = (FileId(7), ClientKey(1));
//! let range = ByteRange::new(0, 100)?;
//! let operation = Operation::Lock(LockType::Exclusive, range);
//! let effects = step(Input::Command(Command { file, key, operation }));
//!
//! // It waits until the file server has granted the lock of the whole file.
//! let id = LockId::new(1);
//! let notice = |outcome| Effect::Notify(Notice { file, key, outcome });
//! assert!(effects.contains(&notice(Outcome::Waits(id))));
//! assert!(effects.contains(&Effect::Arm(Timer::Wait(file, id))));
//! let call = effects.iter().find_map(|effect| match effect {
//!     Effect::Send { to: FileServerPeer, message: Message::Call { call, .. } } => Some(*call),
//!     _ => None,
//! });
//! let call = call.expect("the file server is called");
//!
//! let reply = ServerReply::Set(ServerLock::LockWrite, DataVersion::new(0));
//! let message = Message::Reply { call, reply, lease: Lease::Live };
//! let effects = step(Input::Message { from: FileServerPeer, message });
//! assert!(effects.contains(&Effect::Arm(Timer::Lease(file))));
//! assert!(effects.contains(&notice(Outcome::Granted(id))));
//!
//! // No other client may read there now.
//! let read = Command { file, key: ClientKey(2), operation: Operation::Read(ByteRange::byte(99)) };
//! let effects = step(Input::Command(read));
//! assert!(matches!(&effects[..], [Effect::Notify(notice)] if notice.outcome == Outcome::Refused));
//! # Ok::<(), RangeError>(())
//! ```

mod consistency;
mod display;
mod interval_index;
pub mod locks;
pub mod manager;
pub mod message;
mod range;
pub mod server;
mod sweep;

pub use interval_index::{IntervalIndex, OverlapIter};
pub use range::{ByteRange, RangeError};
