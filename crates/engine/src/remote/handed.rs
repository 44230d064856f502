//! Open files beside messages: the memory in which pictures lie, handed to a worker that may not open it by its name.
//!
//! On Linux the worker's stdin is a socket. A question names the files that come with it, in their order; they come with its first byte, and [`Receiver`] collects
//! them while it reads. Elsewhere, and where stdin is a pipe, nothing is handed over and names have to do.

#[cfg(target_os = "linux")]
pub use sockets::{Receiver, Sender, pair};

#[cfg(target_os = "linux")]
mod sockets {
    use rustix::cmsg_space;
    use rustix::io::Errno;
    use rustix::net::{
        RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
    };
    use std::collections::VecDeque;
    use std::fs::File;
    use std::io::{ErrorKind, IoSlice, IoSliceMut, Read, Result, Write};
    use std::mem::MaybeUninit;
    use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
    use std::os::unix::net::UnixStream;
    use std::process::Stdio;
    use std::sync::{Arc, Mutex, PoisonError};

    /// So many files come with a message at most: a question has a few pictures, each with its alpha.
    const MOST: usize = 32;

    /// The two ends of what is a worker's stdin: its own, and the one that is written to.
    ///
    /// # Errors
    /// The system's.
    pub fn pair() -> Result<(Stdio, Sender)> {
        let (theirs, ours) = UnixStream::pair()?;
        Ok((Stdio::from(OwnedFd::from(theirs)), Sender { socket: ours, files: Vec::new() }))
    }

    /// Writes messages, each with the files that were put here before.
    #[derive(Debug)]
    pub struct Sender {
        socket: UnixStream,
        files: Vec<File>,
    }

    impl Sender {
        /// These go with the next byte that is written.
        ///
        /// # Errors
        /// There are too many.
        pub fn hand(&mut self, files: Vec<File>) -> Result<()> {
            if files.len() > MOST {
                return Err(ErrorKind::InvalidInput.into());
            }
            self.files = files;
            Ok(())
        }
    }

    impl Write for Sender {
        fn write(&mut self, bytes: &[u8]) -> Result<usize> {
            let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MOST))];
            let mut beside = SendAncillaryBuffer::new(&mut space);
            let files: Vec<BorrowedFd<'_>> = self.files.iter().map(|file| file.as_fd()).collect();
            if !files.is_empty() && !beside.push(SendAncillaryMessage::ScmRights(&files)) {
                return Err(ErrorKind::InvalidInput.into());
            }
            let count = sendmsg(&self.socket, &[IoSlice::new(bytes)], &mut beside, SendFlags::NOSIGNAL)?;
            drop(files);
            self.files.clear();
            Ok(count)
        }

        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    /// Files that came and were not taken yet.
    pub type Arrived = Arc<Mutex<VecDeque<File>>>;

    /// Reads messages from stdin, and collects the files that come with them.
    #[derive(Debug)]
    pub struct Receiver {
        from: OwnedFd,
        is_socket: bool,
        arrived: Arrived,
    }

    impl Receiver {
        /// Of this process's stdin, and where what arrives is taken from.
        ///
        /// # Errors
        /// The system's.
        pub fn of_stdin() -> Result<(Self, Arrived)> {
            let from = std::io::stdin().as_fd().try_clone_to_owned()?;
            let arrived = Arrived::default();
            Ok((Self { from, is_socket: true, arrived: Arc::clone(&arrived) }, arrived))
        }
    }

    impl Read for Receiver {
        fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
            if self.is_socket {
                let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MOST))];
                let mut beside = RecvAncillaryBuffer::new(&mut space);
                match recvmsg(&self.from, &mut [IoSliceMut::new(bytes)], &mut beside, RecvFlags::CMSG_CLOEXEC) {
                    // Another machine's questions come through a pipe.
                    Err(Errno::NOTSOCK) => self.is_socket = false,
                    received => {
                        let received = received?;
                        let mut arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
                        for message in beside.drain() {
                            if let RecvAncillaryMessage::ScmRights(files) = message {
                                arrived.extend(files.map(File::from));
                            }
                        }
                        return Ok(received.bytes);
                    }
                }
            }
            Ok(rustix::io::read(&self.from, bytes)?)
        }
    }

    #[cfg(test)]
    mod tests {
        use super::{Receiver, Sender};
        use std::io::{Read as _, Seek as _, Write as _};
        use std::os::fd::OwnedFd;
        use std::os::unix::net::UnixStream;
        use std::sync::{Arc, Mutex};

        #[test]
        fn files_come_with_the_bytes_that_they_were_sent_with() {
            let (ours, theirs) = UnixStream::pair().expect("a pair");
            let mut sender = Sender { socket: ours, files: Vec::new() };
            let arrived = Arc::new(Mutex::default());
            let mut receiver = Receiver { from: OwnedFd::from(theirs), is_socket: true, arrived: Arc::clone(&arrived) };
            let file = |text: &str| {
                let mut file = tempfile::tempfile().expect("a file");
                file.write_all(text.as_bytes()).expect("written");
                file.rewind().expect("rewound");
                file
            };
            sender.write_all(b"none").expect("sent");
            sender.hand(vec![file("one"), file("two")]).expect("few");
            sender.write_all(b"two").expect("sent");
            sender.write_all(b"none").expect("sent");
            drop(sender);
            let mut bytes = Vec::new();
            receiver.read_to_end(&mut bytes).expect("all");
            assert_eq!(bytes, b"nonetwonone");
            let texts: Vec<String> =
                arrived.lock().expect("ours").iter_mut().map(|file| std::io::read_to_string(file).expect("a text")).collect();
            assert_eq!(texts, ["one", "two"]);
        }
    }
}
