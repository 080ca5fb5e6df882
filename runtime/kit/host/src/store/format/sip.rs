//! The store's checksum: 64 bits of SipHash-1-3 under a key of 128 bits.
//!
//! The checksum cannot be computed without the key: a client that controls the bytes of a file
//! cannot forge a frame.

use std::hash::Hasher as _;

use siphasher::sip::SipHasher13;

/// The key of a file's checksums.
pub(crate) type SipKey = [u8; 16];

/// The checksum of the numbers followed by the bytes.
pub(crate) fn sip(key: &SipKey, head: &[u64], bytes: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new_with_key(key);
    for number in head {
        hasher.write(&number.to_le_bytes());
    }
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use crate::store::format::sip::*;

    #[test]
    fn it_never_changes() {
        assert_eq!(sip(&[0; 16], &[], b""), 0xD1FB_A762_150C_532C);
        assert_eq!(sip(&[7; 16], &[1, 2], b"123456789"), 0x06DC_935D_1EC8_65FD);
    }

    #[test]
    fn numbers_count_as_their_bytes() {
        let bytes: Vec<u8> = (0..64).collect();
        let head = [0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908];
        assert_eq!(sip(&[7; 16], &head, &bytes[16..]), sip(&[7; 16], &[], &bytes));
    }
}
