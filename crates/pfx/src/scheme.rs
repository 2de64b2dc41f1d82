//! Encryption under a password: which key is derived how, and which cipher it is for.

use aws_lc_rs::pbkdf2;
use zeroize::Zeroizing;

use crate::ber::{INTEGER, Item, OBJECT_IDENTIFIER, OCTET_STRING, Reader};
use crate::budget::Budget;
use crate::cipher::Cipher;
use crate::derive::{Derivation, Purpose};
use crate::error::Error;
use crate::hash::Hash;
use crate::oid;
use crate::password::Password;

/// Decrypts bytes as their `AlgorithmIdentifier` says.
pub(crate) fn decrypt(
    algorithm: Item<'_>,
    bytes: &[u8],
    password: &Password<'_>,
    budget: &mut Budget,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut parts = algorithm.reader();
    let scheme = parts.take(OBJECT_IDENTIFIER).ok_or(Error::NotPfx)?.content;
    let parameters = parts.sequence().ok_or(Error::NotPfx)?;
    let (cipher, key, initial_vector) = match scheme {
        oid::PBES2 => pbes2(parameters, password, budget)?,
        oid::PBE_3DES => pkcs12(Cipher::TripleDes, parameters, password, budget)?,
        oid::PBE_RC2_128 => pkcs12(Cipher::Rc2With128Bits, parameters, password, budget)?,
        oid::PBE_RC2_40 => pkcs12(Cipher::Rc2With40Bits, parameters, password, budget)?,
        _ => return Err(Error::Unsupported(oid::name(scheme))),
    };
    cipher.decrypt(&key, &initial_vector, bytes).ok_or(Error::WrongPassword)
}

/// A cipher, its key and its first block.
type Keyed = (Cipher, Zeroizing<Vec<u8>>, Zeroizing<Vec<u8>>);

/// The schemes of PKCS #12 itself, which are those of Windows and of OpenSSL before version 3.
fn pkcs12(
    cipher: Cipher,
    mut parameters: Reader<'_>,
    password: &Password<'_>,
    budget: &mut Budget,
) -> Result<Keyed, Error> {
    let mut read = || Some((parameters.take(OCTET_STRING)?.content, parameters.take(INTEGER)?.number()?));
    let (salt, rounds) = read().ok_or(Error::NotPfx)?;
    let derivation = Derivation { hash: Hash::Sha1, salt, rounds };
    let key = derivation.derive(Purpose::Key, cipher.key_length(), password, budget)?;
    let initial_vector = derivation.derive(Purpose::InitialVector, cipher.block_length(), password, budget)?;
    Ok((cipher, key, initial_vector))
}

/// The scheme of PKCS #5 version 2, which names its parts one by one.
fn pbes2(parameters: Reader<'_>, password: &Password<'_>, budget: &mut Budget) -> Result<Keyed, Error> {
    let parts = Pbes2::parse(parameters).ok_or(Error::NotPfx)?;
    let unsupported = |identifier| Error::Unsupported(oid::name(identifier));
    if parts.derivation != oid::PBKDF2 {
        return Err(unsupported(parts.derivation));
    }
    let pbkdf2 = Pbkdf2::parse(parts.derivation_parameters).ok_or(Error::NotPfx)?;
    let cipher = match parts.cipher {
        oid::AES_128_CBC => Cipher::Aes128,
        oid::AES_192_CBC => Cipher::Aes192,
        oid::AES_256_CBC => Cipher::Aes256,
        oid::DES_EDE3_CBC => Cipher::TripleDes,
        other => return Err(unsupported(other)),
    };
    let hash = Hash::of_hmac(pbkdf2.hmac).ok_or_else(|| unsupported(pbkdf2.hmac))?;
    let algorithm = hash.pbkdf2().ok_or_else(|| unsupported(pbkdf2.hmac))?;
    let mut key = Zeroizing::new(vec![0; cipher.key_length()]);
    let rounds = budget.spend(pbkdf2.rounds, hash.blocks(key.len()))?;
    pbkdf2::derive(algorithm, rounds, pbkdf2.salt, password.utf8.as_bytes(), &mut key);
    let mut cipher_parameters = parts.cipher_parameters;
    let initial_vector = cipher_parameters.take(OCTET_STRING).ok_or(Error::NotPfx)?;
    Ok((cipher, key, Zeroizing::new(initial_vector.content.to_vec())))
}

struct Pbes2<'a> {
    derivation: &'a [u8],
    derivation_parameters: Reader<'a>,
    cipher: &'a [u8],
    cipher_parameters: Reader<'a>,
}

impl<'a> Pbes2<'a> {
    fn parse(mut parameters: Reader<'a>) -> Option<Self> {
        let mut derivation = parameters.sequence()?;
        let mut cipher = parameters.sequence()?;
        Some(Self {
            derivation: derivation.take(OBJECT_IDENTIFIER)?.content,
            derivation_parameters: derivation,
            cipher: cipher.take(OBJECT_IDENTIFIER)?.content,
            cipher_parameters: cipher,
        })
    }
}

struct Pbkdf2<'a> {
    salt: &'a [u8],
    rounds: u64,
    hmac: &'a [u8],
}

impl<'a> Pbkdf2<'a> {
    fn parse(mut parameters: Reader<'a>) -> Option<Self> {
        let mut parameters = parameters.sequence()?;
        let salt = parameters.take(OCTET_STRING)?.content;
        let rounds = parameters.take(INTEGER)?.number()?;
        // The length of the key, which the cipher says, too.
        parameters.take(INTEGER);
        let hmac = match parameters.sequence() {
            Some(mut algorithm) => algorithm.take(OBJECT_IDENTIFIER)?.content,
            None => oid::HMAC_SHA1,
        };
        Some(Self { salt, rounds, hmac })
    }
}
