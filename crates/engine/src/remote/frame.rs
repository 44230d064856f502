//! Messages on a pipe: the length in four bytes, little-endian, then CBOR.

use base::files::incomplete;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{Error, ErrorKind, Read, Result, Write};

/// No message is longer: the largest on one machine has the code of a few kernels, a few megabytes of it, and those to another machine carry a picture. A length
/// beyond is not ours.
pub const LONGEST_BYTES: u32 = 1 << 30;

/// Writes a message, whole.
///
/// # Errors
/// The pipe's, or the message is too long.
pub fn write(message: &impl Serialize, mut to: impl Write) -> Result<()> {
    to.write_all(&bytes(message)?)?;
    to.flush()
}

/// A message as it is written.
///
/// # Errors
/// It is too long.
pub fn bytes(message: &impl Serialize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; 4];
    ciborium::into_writer(message, &mut bytes).map_err(Error::other)?;
    let length = u32::try_from(bytes.len() - 4).ok().filter(|length| *length <= LONGEST_BYTES);
    let length = length.ok_or(ErrorKind::FileTooLarge)?;
    if let Some(head) = bytes.first_chunk_mut() {
        *head = length.to_le_bytes();
    }
    Ok(bytes)
}

/// The next message; `None` where the pipe ended before it.
///
/// # Errors
/// The pipe's, it ended within a message, or what came is no such message.
pub fn read<M: DeserializeOwned>(from: impl Read) -> Result<Option<M>> {
    read_within(from, || LONGEST_BYTES)
}

/// The same, where no message may be longer than is said once it begins.
///
/// # Errors
/// As [`read`].
pub fn read_within<M: DeserializeOwned>(mut from: impl Read, longest_bytes: impl FnOnce() -> u32) -> Result<Option<M>> {
    let mut head = [0; 4];
    let mut filled = 0;
    while let Some(rest) = head.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match from.read(rest) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(incomplete()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let length = u32::from_le_bytes(head);
    if length > longest_bytes() {
        return Err(ErrorKind::InvalidData.into());
    }
    // As much as comes is made room for, not as much as was said.
    let mut bytes = Vec::new();
    if from.take(u64::from(length)).read_to_end(&mut bytes)? < length as usize {
        return Err(incomplete());
    }
    ciborium::from_reader(bytes.as_slice()).map(Some).map_err(|error| Error::new(ErrorKind::InvalidData, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::{read, write};

    #[test]
    fn what_was_written_is_read_and_the_end_is_no_message() {
        let mut pipe = Vec::new();
        write(&("one".to_owned(), f64::INFINITY), &mut pipe).expect("into memory");
        write(&("two".to_owned(), 2.5), &mut pipe).expect("into memory");
        let mut from = pipe.as_slice();
        let mut next = || read::<(String, f64)>(&mut from).expect("whole");
        assert_eq!(next(), Some(("one".to_owned(), f64::INFINITY)));
        assert_eq!(next(), Some(("two".to_owned(), 2.5)));
        assert_eq!(next(), None);
    }

    #[test]
    fn what_is_cut_short_or_foreign_is_an_error_and_no_room_is_made_for_it() {
        let mut pipe = Vec::new();
        write(&"a message".to_owned(), &mut pipe).expect("into memory");
        for end in 1..pipe.len() {
            let error = read::<String>(&pipe[..end]).expect_err("cut short");
            assert_eq!(error.to_string(), "it is truncated: its end is missing");
        }
        // "GET " as a length is 500 MB.
        read::<String>(b"GET / HTTP/1.1".as_slice()).expect_err("foreign");
        read::<u32>(pipe.as_slice()).expect_err("another message");
        let mut garbled = pipe.clone();
        for place in 4..pipe.len() {
            for byte in 0..=255 {
                garbled[place] = byte;
                // It is read as something or refused; it does not end the program.
                let _ = read::<String>(garbled.as_slice());
            }
            garbled[place] = pipe[place];
        }
    }
}
