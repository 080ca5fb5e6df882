//! Byte-range locks of a cache manager: the locks of a file, and the one server lock behind them.
//!
//! A [`manager::CacheManager`] grants locks of byte ranges to the clients of one host. It asserts
//! them with a file server that knows locks of whole files only, and that lets go of one which is
//! not extended: [`server::FileServer`] is such a server, as a model or for a test. Both are cores
//! ([`turnstile_step::Core`]): one input in, effects out, nothing else happens.
//!
//! What an embedder brings:
//!
//! - names for files ([`message::FileId`]) and for clients ([`locks::Key`], of one file each), and
//!   ranges in bytes ([`ByteRange::new`], which refuses a length of zero and a last byte beyond
//!   2^64 - 1);
//! - three timers ([`manager::Timer`]): the check, by the document once a minute; the lease, which
//!   the document's file server keeps for five minutes, counted from the *send* of the call whose
//!   answer arms it, less a margin for clocks that run apart; and how long a client waits;
//! - calls to the file server: each is answered once, if need be by
//!   [`message::Message::unanswered`], and [`message::Lease::Lapsed`] says that the answer came
//!   after the lease that it grants;
//! - every attempt to read or write ([`manager::Wish`]), since locks bind whoever asks and nobody
//!   else.
//!
//! What may be wrong with an input harms nobody, and no input panics. An answer to a call that is
//! not out and a timer of a lock or file that is gone are ignored, and so is the wish to release a
//! lock that is not there, or to abandon one: there is nothing left to do. The wish to give up what
//! is another's is refused. What a table has no row for is in [`turnstile_step::Out::rows`], as
//! [`turnstile_step::RowOutcome::Unexpected`], and changes nothing.
//!
//! ```
//! use turnstile_core::number::{DataVersion, LockId};
//! use turnstile_core::ranges::locks::{Key, LockType};
//! use turnstile_core::ranges::manager::{CacheManager, Command, News, Timer, Wish};
//! use turnstile_core::ranges::message::{Answer, FileId, Lease, Message, Server, Whole};
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
//! // Client 1 wants bytes 0 to 99 of file 7 for itself.
//! let (file, key) = (FileId(7), Key(1));
//! let range = ByteRange::new(0, 100)?;
//! let wish = Wish::Lock(LockType::Exclusive, range);
//! let effects = step(Input::Command(Command { file, key, wish }));
//!
//! // It waits until the file server has granted the lock of the whole file.
//! let id = LockId::new(1);
//! let news = |what| Effect::Notify(turnstile_core::ranges::manager::Notice { file, key, what });
//! assert!(effects.contains(&news(News::Waits(id))));
//! assert!(effects.contains(&Effect::Arm(Timer::Wait(file, id))));
//! let call = effects.iter().find_map(|effect| match effect {
//!     Effect::Send { to: Server, message: Message::Call { call, .. } } => Some(*call),
//!     _ => None,
//! });
//! let call = call.expect("the file server is called");
//!
//! let answer = Answer::Set(Whole::LockWrite, DataVersion::new(0));
//! let message = Message::Answer { call, answer, lease: Lease::Live };
//! let effects = step(Input::Message { from: Server, message });
//! assert!(effects.contains(&Effect::Arm(Timer::Lease(file))));
//! assert!(effects.contains(&news(News::Granted(id))));
//!
//! // Nobody else may read there now.
//! let asks = Command { file, key: Key(2), wish: Wish::Read(ByteRange::byte(99)) };
//! let effects = step(Input::Command(asks));
//! assert!(matches!(&effects[..], [Effect::Notify(told)] if told.what == News::Refused));
//! # Ok::<(), RangeError>(())
//! ```

pub mod locks;
pub mod manager;
pub mod message;
mod overlaps;
mod range;
pub mod server;
mod sweep;
mod words;

pub use overlaps::{Over, Overlaps};
pub use range::{ByteRange, RangeError};
