//! A change of the members as a program asks for it: again, while its outcome is unknown.

use std::fmt::Display;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::MemberChange;

/// A change whose outcome is unknown is asked for again for so long.
const REPEATED_MAX: Duration = Duration::from_secs(60);
/// The pause before that.
const PAUSE: Duration = Duration::from_secs(1);

/// Why an attempt to change the members has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptError<E> {
    /// There is no leader, or the outcome is unknown.
    Unknown(E),
    /// There is no such member.
    NoMember(E),
    /// Another attempt would fail, too.
    Refused(E),
}

/// A change of the members that a program asks for.
#[derive(Debug)]
pub struct ChangeRequest<'a> {
    /// The change.
    pub change: &'a MemberChange,
    /// Whether the member that is to be removed was one. One that was, and is none after an attempt
    /// whose outcome is unknown, is removed.
    pub was_member: bool,
    /// The command that lists the members.
    pub list: &'a str,
}

impl ChangeRequest<'_> {
    /// Makes attempts until the outcome is known, for a minute. Returns what has changed, in words;
    /// what is to be said before that is handed to `say`.
    ///
    /// # Errors
    /// That of the last attempt.
    pub async fn make<E: Display>(
        &self,
        mut attempt: impl AsyncFnMut(&MemberChange) -> Result<(), AttemptError<E>>,
        say: impl Fn(&str),
    ) -> Result<String, E> {
        let Self { change, was_member, list } = *self;
        let until = Instant::now() + REPEATED_MAX;
        let mut is_repeated = false;
        loop {
            let error = match (attempt(change).await, change) {
                (Ok(()), MemberChange::Add { id, address }) => {
                    return Ok(format!("member {id} at {address} is a member"));
                }
                (Ok(()), MemberChange::Remove { id }) => {
                    return Ok(format!("member {id} is removed"));
                }
                (Err(AttemptError::NoMember(_)), MemberChange::Remove { id })
                    if is_repeated && was_member =>
                {
                    return Ok(format!("there is no member {id} any more"));
                }
                (Err(AttemptError::Unknown(error)), _) if Instant::now() < until => error,
                (
                    Err(
                        AttemptError::Unknown(error)
                        | AttemptError::NoMember(error)
                        | AttemptError::Refused(error),
                    ),
                    _,
                ) => {
                    if is_repeated {
                        say(&format!(
                            "the outcome is unknown: an earlier attempt may have made the change, \
                             or may still make it (see `{list}`); the last attempt:"
                        ));
                    }
                    return Err(error);
                }
            };
            if !is_repeated {
                say(&format!("{error}; trying again"));
            }
            is_repeated = true;
            sleep(PAUSE).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// Removes a member by attempts with these outcomes, the last one again and again.
    async fn removed(
        was_member: bool,
        outcomes: &[Result<(), AttemptError<&str>>],
    ) -> (Result<String, String>, Vec<String>) {
        let change = MemberChange::Remove { id: 3 };
        let request = ChangeRequest { change: &change, was_member, list: "list" };
        let said = RefCell::new(Vec::new());
        let mut left = outcomes.iter();
        let attempt =
            async |_: &MemberChange| *left.next().unwrap_or(&outcomes[outcomes.len() - 1]);
        let made = request.make(attempt, |text| said.borrow_mut().push(text.to_owned())).await;
        (made.map_err(str::to_owned), said.into_inner())
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_is_asked_for_again_until_its_outcome_is_known() {
        let unknown = Err(AttemptError::Unknown("no leader"));
        let none = Err(AttemptError::NoMember("none"));
        let (made, said) = removed(true, &[unknown, unknown, Ok(())]).await;
        assert_eq!((made, said.len()), (Ok("member 3 is removed".to_owned()), 1), "{said:?}");
        let (made, _) = removed(true, &[unknown, none]).await;
        assert_eq!(made, Ok("there is no member 3 any more".to_owned()));
        let (made, said) = removed(false, &[unknown, none]).await;
        assert_eq!((made, said.len()), (Err("none".to_owned()), 2), "it was none before: {said:?}");
        let (made, said) = removed(true, &[none]).await;
        assert_eq!((made, said.len()), (Err("none".to_owned()), 0), "{said:?}");
        let begun = Instant::now();
        let (made, said) = removed(true, &[unknown]).await;
        assert_eq!(made, Err("no leader".to_owned()));
        assert!(begun.elapsed() >= REPEATED_MAX && said[1].contains("see `list`"), "{said:?}");
    }
}
