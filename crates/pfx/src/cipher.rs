//! The block ciphers, all of them in CBC mode with the padding of PKCS #7.

use aws_lc_rs::cipher::{AES_128, AES_192, AES_256, DecryptionContext, PaddedBlockDecryptingKey, UnboundCipherKey};
use aws_lc_rs::iv::FixedLength;
use des::TdesEde3;
use des::cipher::consts::U8;
use des::cipher::{BlockCipherDecrypt, KeyInit};
use rc2::Rc2;
use zeroize::Zeroizing;

/// A cipher and the length of its key.
#[derive(Clone, Copy)]
pub(crate) enum Cipher {
    Aes128,
    Aes192,
    Aes256,
    TripleDes,
    Rc2With128Bits,
    Rc2With40Bits,
}

/// The length of a block of the old ciphers, in bytes.
const SHORT_BLOCK_LENGTH: usize = 8;

impl Cipher {
    pub(crate) const fn key_length(self) -> usize {
        match self {
            Self::Aes128 | Self::Rc2With128Bits => 16,
            Self::Aes192 | Self::TripleDes => 24,
            Self::Aes256 => 32,
            Self::Rc2With40Bits => 5,
        }
    }

    pub(crate) const fn block_length(self) -> usize {
        match self {
            Self::Aes128 | Self::Aes192 | Self::Aes256 => 16,
            Self::TripleDes | Self::Rc2With128Bits | Self::Rc2With40Bits => SHORT_BLOCK_LENGTH,
        }
    }

    /// Decrypts bytes. None if their padding shows that they were encrypted with another key.
    pub(crate) fn decrypt(self, key: &[u8], initial_vector: &[u8], bytes: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let mut bytes = Zeroizing::new(bytes.to_vec());
        let length = match self {
            Self::Aes128 | Self::Aes192 | Self::Aes256 => self.decrypt_aes(key, initial_vector, &mut bytes)?,
            Self::TripleDes => decrypt_short(&TdesEde3::new_from_slice(key).ok()?, initial_vector, &mut bytes)?,
            Self::Rc2With128Bits | Self::Rc2With40Bits => {
                decrypt_short(&Rc2::new_with_eff_key_len(key, 8 * self.key_length()), initial_vector, &mut bytes)?
            }
        };
        bytes.truncate(length);
        Some(bytes)
    }

    /// Decrypts in place, and gives the length without the padding.
    fn decrypt_aes(self, key: &[u8], initial_vector: &[u8], bytes: &mut [u8]) -> Option<usize> {
        let algorithm = match self {
            Self::Aes128 => &AES_128,
            Self::Aes192 => &AES_192,
            _ => &AES_256,
        };
        let key = PaddedBlockDecryptingKey::cbc_pkcs7(UnboundCipherKey::new(algorithm, key).ok()?).ok()?;
        let context = DecryptionContext::Iv128(FixedLength::try_from(initial_vector).ok()?);
        Some(key.decrypt(bytes, context).ok()?.len())
    }
}

/// Decrypts in place with a cipher that the cryptographic library of the project lacks, and gives the length without the
/// padding.
fn decrypt_short<C: BlockCipherDecrypt<BlockSize = U8>>(
    cipher: &C,
    initial_vector: &[u8],
    bytes: &mut [u8],
) -> Option<usize> {
    let mut previous: [u8; SHORT_BLOCK_LENGTH] = initial_vector.try_into().ok()?;
    let (blocks, rest) = bytes.as_chunks_mut::<SHORT_BLOCK_LENGTH>();
    if !rest.is_empty() {
        return None;
    }
    for block in blocks.iter_mut() {
        let encrypted = *block;
        cipher.decrypt_block(block.into());
        for (byte, mask) in block.iter_mut().zip(previous) {
            *byte ^= mask;
        }
        previous = encrypted;
    }
    let padding = blocks.last()?;
    let count = usize::from(padding[SHORT_BLOCK_LENGTH - 1]);
    let is_padding = (1..=SHORT_BLOCK_LENGTH).contains(&count)
        && padding.iter().rev().take(count).all(|byte| usize::from(*byte) == count);
    is_padding.then(|| bytes.len() - count)
}
