//! The text of the inputs and effects of claims, in scenarios and counterexamples.

use core::fmt::{Display, Formatter, Result};

use super::record::{self, Saved, SavedClaim};
use super::{client, message};
use crate::number::ClaimId;
use turnstile_ids::number::Token;

fn write_token(f: &mut Formatter<'_>, token: Option<Token>) -> Result {
    token.map_or(Ok(()), |token| write!(f, " token {token}"))
}

impl Display for client::Command {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Claim { key } => write!(f, "to claim with key {key}"),
            Self::Release => f.write_str("to release"),
            Self::Signal => f.write_str("to end"),
            Self::Act => f.write_str("to act"),
        }
    }
}

impl Display for client::Notice {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Acquired { token } => {
                f.write_str("acquired")?;
                write_token(f, *token)
            }
            Self::KeyNeeded => f.write_str("needs a fresh key"),
            Self::TimedOut => f.write_str("timed out"),
            Self::TooSlow => f.write_str("too slow"),
            Self::Released => f.write_str("released"),
            Self::Failed { status: Some(status) } => write!(f, "failed with {status}"),
            Self::Failed { status: None } => f.write_str("failed"),
            Self::Lost => f.write_str("lost"),
        }
    }
}

impl Display for record::Timer {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Ttl(claim) => write!(f, "ttl of claim {claim}"),
            Self::Wait(claim) => write!(f, "wait of claim {claim}"),
            Self::Idle(claim) => write!(f, "idle of claim {claim}"),
            Self::Lapse(claim) => write!(f, "lapse of claim {claim}"),
        }
    }
}

impl Display for record::Command {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::HungUp { claim, from, call } => {
                write!(f, "that client {} hung up call {call} on claim {claim}", from.0)
            }
        }
    }
}

impl Display for record::Status {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.pad(self.name())
    }
}

impl Display for record::Notice {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Became { claim, status, token } => {
                write!(f, "claim {claim} became {status}")?;
                write_token(f, *token)
            }
            Self::Over { claim } => write!(f, "claim {claim} is over"),
        }
    }
}

impl Display for Saved {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for (id, kept) in &self.claims {
            write_kept(f, *id, kept.as_ref())?;
            f.write_str(", ")?;
        }
        write!(f, "last claim {}, last token {}", self.last_claim, self.last_token)
    }
}

fn write_kept(f: &mut Formatter<'_>, id: ClaimId, kept: Option<&SavedClaim>) -> Result {
    let Some(SavedClaim { resource, at, token, key }) = kept else {
        return write!(f, "no claim {id}");
    };
    write!(f, "claim {id} of resource {} {at}", resource.0)?;
    write_token(f, *token)?;
    key.map_or(Ok(()), |key| write!(f, " key {key}"))
}

impl Display for message::Server {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            Self::Claims => "server",
            Self::Store => "store",
        })
    }
}
