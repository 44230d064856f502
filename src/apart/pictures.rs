//! Pictures on their way from one process to the other: through a file of each direction that lies in shared memory and is used again and again, so that its
//! pages are made once.

use super::message::SentPicture;
use crate::image::Picture;
use crate::model::Channels;
#[cfg(unix)]
use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
#[cfg(unix)]
use rayon::slice::{ParallelSlice as _, ParallelSliceMut as _};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Result};
#[cfg(not(unix))]
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
#[cfg(unix)]
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::sync::Arc;

/// What is known of a picture before its bytes are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    width_px: usize,
    height_px: usize,
    channels: Channels,
    has_alpha: bool,
    /// In which of the files, and where there.
    place: usize,
    offset: u64,
}

/// Where files may lie, the best first: in memory that processes share, and where temporary files do. A container's shared memory may be small.
pub fn folders() -> Vec<PathBuf> {
    let shared = PathBuf::from("/dev/shm");
    let shared = if shared.is_dir() { vec![shared] } else { Vec::new() };
    shared.into_iter().chain(std::iter::once(std::env::temp_dir())).collect()
}

/// So many bytes are kept in a file; what is larger gives its memory back once it was read.
const KEPT_BYTES: u64 = 160 << 20;

/// So many sources the worker keeps: that of what is shown, and that of a study.
pub const SOURCES: usize = 2;

/// So many references the other side keeps.
pub const REFERENCES: usize = 1;

/// One direction's files, open on both sides. A message has all of its pictures in them, and no message begins before the one before it was read.
#[derive(Debug)]
pub struct Slot {
    files: Vec<File>,
    /// Where the next picture of this message begins.
    end: u64,
}

impl Slot {
    /// Makes files of that name in these folders, which are there.
    ///
    /// # Errors
    /// The system's.
    pub fn create(folders: &[PathBuf], name: &str) -> Result<Self> {
        Self::opened(folders, name, File::options().read(true).write(true).create_new(true))
    }

    /// Opens what the other side made.
    ///
    /// # Errors
    /// The system's.
    pub fn open(folders: &[PathBuf], name: &str) -> Result<Self> {
        Self::opened(folders, name, File::options().read(true).write(true))
    }

    fn opened(folders: &[PathBuf], name: &str, how: &OpenOptions) -> Result<Self> {
        let files = folders.iter().map(|folder| how.open(folder.join(name))).collect::<Result<_>>()?;
        Ok(Self { files, end: 0 })
    }

    /// The next message begins.
    pub fn begin(&mut self) {
        self.end = 0;
    }

    /// Lays down a picture for the other side.
    ///
    /// # Errors
    /// None of the files has room for it.
    pub fn write(&mut self, picture: &Picture) -> Result<Shape> {
        let (offset, mut full) = (self.end, Error::from(ErrorKind::StorageFull));
        for (place, file) in self.files.iter().enumerate() {
            let behind = offset + picture.bytes().len() as u64;
            let written = write_at(file, picture.bytes(), offset);
            match written.and_then(|()| picture.alpha().map_or(Ok(()), |alpha| write_at(file, alpha, behind))) {
                Ok(()) => {
                    self.end += (picture.bytes().len() + picture.alpha().map_or(0, <[u8]>::len)) as u64;
                    let (width_px, height_px) = (picture.width_px(), picture.height_px());
                    let has_alpha = picture.alpha().is_some();
                    return Ok(Shape { width_px, height_px, channels: picture.channels(), has_alpha, place, offset });
                }
                Err(error) => {
                    // What was begun must not fill what others need.
                    let _ = file.set_len(offset);
                    full = error;
                }
            }
        }
        Err(full)
    }

    /// Takes up a picture that the other side laid down.
    ///
    /// # Errors
    /// There are fewer bytes than the shape says.
    pub fn read(&mut self, shape: &Shape) -> Result<Picture> {
        let foreign = || Error::from(ErrorKind::InvalidData);
        let file = self.files.get(shape.place).ok_or_else(foreign)?;
        let pixels = shape.width_px.checked_mul(shape.height_px).ok_or_else(foreign)?;
        let length = pixels.checked_mul(shape.channels.count()).ok_or_else(foreign)?;
        let planes = [length, if shape.has_alpha { pixels } else { 0 }];
        // No room is made for what is not there.
        let end = planes.iter().try_fold(shape.offset, |end, plane| end.checked_add(*plane as u64)).ok_or_else(foreign)?;
        if file.metadata()?.len() < end {
            return Err(foreign());
        }
        let (mut bytes, mut alpha) = (vec![0; length], vec![0; planes[1]]);
        read_at(file, &mut bytes, shape.offset)?;
        read_at(file, &mut alpha, shape.offset + length as u64)?;
        let alpha = shape.has_alpha.then_some(alpha);
        let picture = Picture::new(shape.width_px, shape.height_px, shape.channels, bytes).map_err(|_| foreign())?;
        Ok(picture.with_alpha(alpha))
    }

    /// All pictures of a message were read: large ones give their memory back.
    ///
    /// # Errors
    /// The system's.
    pub fn clear(&mut self) -> Result<()> {
        for file in &self.files {
            if file.metadata()?.len() > KEPT_BYTES {
                file.set_len(0)?;
            }
        }
        Ok(())
    }
}

/// Large enough to be worth a core's while, and small enough for all of them to have some.
const PART_BYTES: usize = 4 << 20;

/// Copies with all cores: most of the time goes into making pages.
#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> Result<()> {
    let part = |(index, part): (usize, &[u8])| file.write_all_at(part, offset + (index * PART_BYTES) as u64);
    bytes.par_chunks(PART_BYTES).enumerate().try_for_each(part)
}

/// As [`write_at`].
#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> Result<()> {
    let part = |(index, part): (usize, &mut [u8])| file.read_exact_at(part, offset + (index * PART_BYTES) as u64);
    bytes.par_chunks_mut(PART_BYTES).enumerate().try_for_each(part)
}

#[cfg(not(unix))]
fn write_at(mut file: &File, bytes: &[u8], offset: u64) -> Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

#[cfg(not(unix))]
fn read_at(mut file: &File, bytes: &mut [u8], offset: u64) -> Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}

/// The pictures that went one way, as both sides remember them: the last few that were named, the newest last. Both do the same with each that is named, so that
/// the sender knows what the other side still has.
#[derive(Debug)]
pub struct Sent<P> {
    most: usize,
    pictures: Vec<(u64, P)>,
}

impl<P: Clone> Sent<P> {
    /// None yet; so many at most.
    pub fn new(most: usize) -> Self {
        Self { most, pictures: Vec::new() }
    }

    /// The picture of that number, which is the newest now; made where it is not among those.
    fn named(&mut self, number: u64, make: impl FnOnce() -> Result<P>) -> Result<P> {
        let picture = match self.pictures.iter().position(|(known, _)| *known == number) {
            Some(place) => self.pictures.remove(place).1,
            None => make()?,
        };
        if self.pictures.len() >= self.most {
            self.pictures.remove(0);
        }
        self.pictures.push((number, picture.clone()));
        Ok(picture)
    }
}

/// How a picture of that number is named to the other side: with its shape where that does not have it.
///
/// # Errors
/// There is no room for it.
pub fn send(sent: &mut Sent<()>, slot: &mut Slot, number: u64, picture: &Picture) -> Result<SentPicture> {
    let mut shape = None;
    sent.named(number, || {
        shape = Some(slot.write(picture)?);
        Ok(())
    })?;
    Ok(SentPicture { number, shape })
}

/// The picture that the other side names.
///
/// # Errors
/// It was never sent, or its bytes are missing.
pub fn receive<P: Clone>(got: &mut Sent<P>, slot: &mut Slot, named: &SentPicture, make: impl FnOnce(Arc<Picture>) -> P) -> Result<P> {
    got.named(named.number, || {
        let shape = named.shape.as_ref().ok_or_else(|| Error::from(ErrorKind::NotFound))?;
        Ok(make(Arc::new(slot.read(shape)?)))
    })
}

#[cfg(test)]
mod tests {
    use super::{SOURCES, Sent, Slot, receive, send};
    use crate::image::{Picture, generate};
    use crate::model::Channels;
    use std::sync::Arc;

    fn slots() -> (tempfile::TempDir, Slot, Slot) {
        let folder = tempfile::tempdir().expect("a folder");
        let folders = [folder.path().to_owned()];
        let mine = Slot::create(&folders, "one").expect("a file");
        let theirs = Slot::open(&folders, "one").expect("the same file");
        (folder, mine, theirs)
    }

    #[test]
    fn pictures_of_one_message_arrive_with_their_alpha_and_those_that_are_there_are_only_named() {
        let (_folder, mut mine, mut theirs) = slots();
        let (mut sent, mut got) = (Sent::new(SOURCES), Sent::new(SOURCES));
        let pictures: Vec<Picture> =
            (1..5).map(|side| generate(side * 3, side, Channels::Rgb, 1).with_alpha((side == 2).then(|| vec![7; 12]))).collect();
        // Two to a message, so that the second of four messages has one that is known and one that is not.
        let mut bytes_sent = 0;
        for pair in [[0, 1], [1, 2], [2, 1], [3, 0]] {
            mine.begin();
            let named = pair.map(|index| send(&mut sent, &mut mine, index as u64, &pictures[index]).expect("there is room"));
            bytes_sent += named.iter().filter(|picture| picture.shape.is_some()).count();
            for (index, picture) in pair.into_iter().zip(&named) {
                let arrived: Arc<Picture> = receive(&mut got, &mut theirs, picture, |picture| picture).expect("it was sent");
                assert_eq!(*arrived, pictures[index]);
            }
            theirs.clear().expect("a file");
        }
        assert_eq!(bytes_sent, 5);
    }

    #[test]
    fn a_picture_that_is_not_there_is_an_error() {
        let (_folder, mut mine, mut theirs) = slots();
        let shape = mine.write(&generate(8, 8, Channels::Gray, 1)).expect("there is room");
        let mut got: Sent<Arc<Picture>> = Sent::new(1);
        let named = |shape| super::SentPicture { number: 1, shape };
        receive(&mut got, &mut theirs, &named(None), |picture| picture).expect_err("never sent");
        for false_shape in [
            super::Shape { offset: 1, ..shape },
            super::Shape { place: 1, ..shape },
            super::Shape { has_alpha: true, ..shape },
            super::Shape { width_px: usize::MAX, ..shape },
            super::Shape { width_px: 1 << 40, ..shape },
            super::Shape { width_px: 0, ..shape },
        ] {
            let arrived = receive(&mut got, &mut theirs, &named(Some(false_shape)), |picture| picture);
            assert!(arrived.is_err(), "{false_shape:?}");
        }
    }

    #[test]
    fn what_has_no_room_in_the_first_folder_goes_to_the_second() {
        let folder = tempfile::tempdir().expect("a folder");
        let folders = [std::path::PathBuf::from("/dev"), folder.path().to_owned()];
        std::fs::write(folder.path().join("full"), []).expect("a file");
        // A device that is always full stands for a container's small shared memory.
        let mut slot = Slot::open(&folders, "full").expect("two files");
        let picture = generate(8, 8, Channels::Gray, 1);
        let shape = slot.write(&picture).expect("the second has room");
        assert_eq!((shape.place, slot.read(&shape).expect("it is there") == picture), (1, true));
    }
}
