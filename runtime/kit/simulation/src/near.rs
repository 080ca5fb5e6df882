//! The numbers in a debug text that a visit has not replaced.

/// The types whose debug text shows a number that is visited.
const TYPES: [&str; 7] =
    ["Token(", "ClaimId(", "IdempotencyKey(", "ViewId(", "LockId(", "DataVersion(", "number: "];

/// Those below a number that only replaced ones reach.
pub fn near(text: &str, far: u64) -> Vec<&str> {
    let of = |name: &'static str| {
        text.match_indices(name).filter_map(move |(at, _)| {
            let number = &text[at + name.len()..];
            let end = number.find(|sign: char| !sign.is_ascii_digit())?;
            let is_near = number[..end].parse::<u64>().is_ok_and(|number| number < far);
            is_near.then(|| &text[at..at + name.len() + end])
        })
    };
    TYPES.into_iter().flat_map(of).collect()
}
