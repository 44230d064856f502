//! Pictures on their way from one process to the other. On one machine they lie in memory that both have, and only the place is told: what was made there is not
//! copied. To another machine the messages carry them.

use super::message::SentPicture;
use crate::Task;
use model::Channels;
use pictures::{Bytes, Picture};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use std::io::{Error, ErrorKind, Result};
use std::path::PathBuf;
use std::sync::Arc;

/// What a picture is, and where its bytes are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    width_px: usize,
    height_px: usize,
    channels: Channels,
    bytes: Place,
    alpha: Option<Place>,
}

/// Where bytes are.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Place {
    /// In a file of this machine's memory.
    File(PathBuf),
    /// Here.
    Carried(ByteBuf),
}

impl std::fmt::Debug for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) => write!(formatter, "{}", path.display()),
            Self::Carried(bytes) => write!(formatter, "{} bytes", bytes.len()),
        }
    }
}

impl Place {
    /// So many bytes from there. What came from another machine names no file of this one: whoever answers there could read any.
    fn bytes(&self, len_bytes: usize, carriage: Carriage) -> Result<Bytes> {
        match (self, carriage) {
            (Self::File(path), Carriage::Shared) => Bytes::open(path, len_bytes),
            (Self::Carried(bytes), _) if bytes.len() == len_bytes => Ok(Bytes::from(bytes.to_vec())),
            _ => Err(ErrorKind::InvalidData.into()),
        }
    }
}

/// How pictures get to the other side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Carriage {
    /// In memory that both sides have: they are on one machine.
    #[default]
    Shared,
    /// Within the messages.
    Message,
}

/// So many sources the worker keeps: that of what is shown, and that of a study.
pub const SOURCES: usize = 2;

/// So many references the other side keeps.
pub const REFERENCES: usize = 1;

/// Pictures that the other side was told of, kept until it has taken them up.
#[derive(Debug, Default)]
pub struct Laid {
    pictures: Vec<Arc<Picture>>,
    /// The other side is another machine.
    is_carried: bool,
}

impl Laid {
    /// None yet.
    pub fn of(carriage: Carriage) -> Self {
        Self { pictures: Vec::new(), is_carried: carriage == Carriage::Message }
    }

    /// Lays a picture down for the other side: one that lies in shared memory stays where it is.
    ///
    /// # Errors
    /// There is no room for it.
    pub fn lay(&mut self, picture: &Arc<Picture>) -> Result<Shape> {
        let (width_px, height_px, channels) = (picture.width_px(), picture.height_px(), picture.channels());
        if self.is_carried {
            let carried = |bytes: &[u8]| Place::Carried(ByteBuf::from(bytes));
            return Ok(Shape { width_px, height_px, channels, bytes: carried(picture.bytes()), alpha: picture.alpha().map(carried) });
        }
        let shared = if picture.is_shared() { Arc::clone(picture) } else { Arc::new(picture.to_shared()?) };
        let place = |bytes: &Bytes| bytes.path().map(Place::File).ok_or_else(|| Error::from(ErrorKind::Unsupported));
        let alpha = shared.placed_alpha().map(|alpha| place(alpha)).transpose()?;
        let shape = Shape { width_px, height_px, channels, bytes: place(shared.placed())?, alpha };
        self.pictures.push(shared);
        Ok(shape)
    }

    /// The memory in which they lie, by its names in this process, opened to be read.
    ///
    /// # Errors
    /// The system's.
    #[cfg(target_os = "linux")]
    pub fn files(&self) -> Result<Vec<(PathBuf, std::fs::File)>> {
        let places =
            self.pictures.iter().flat_map(|picture| std::iter::once(picture.placed()).chain(picture.placed_alpha().map(|alpha| &**alpha)));
        places.filter_map(Bytes::path).map(|path| std::fs::File::open(&path).map(|file| (path, file))).collect()
    }

    /// The other side has taken up all of them.
    pub fn clear(&mut self) {
        self.pictures.clear();
    }
}

impl Shape {
    /// Takes up a picture that the other side laid down, as pictures get here from there.
    ///
    /// # Errors
    /// It is not there, or has more or fewer bytes than such a picture; or it lies in a file, and comes from another machine.
    pub fn picture(&self, carriage: Carriage) -> Result<Picture> {
        let foreign = || Error::from(ErrorKind::InvalidData);
        let pixels = self.width_px.checked_mul(self.height_px).ok_or_else(foreign)?;
        let length = pixels.checked_mul(self.channels.count()).ok_or_else(foreign)?;
        let bytes = self.bytes.bytes(length, carriage)?;
        let alpha = self.alpha.as_ref().map(|place| place.bytes(pixels, carriage)).transpose()?;
        let picture = Picture::new(self.width_px, self.height_px, self.channels, bytes).map_err(|_| foreign())?;
        Ok(picture.with_shared_alpha(alpha.map(Arc::new)))
    }
}

/// What a picture has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Pixels in a row.
    pub width_px: usize,
    /// Rows.
    pub height_px: usize,
    /// Of each pixel, without alpha.
    pub channels: Channels,
}

impl Form {
    /// What it is.
    pub fn of(picture: &Picture) -> Self {
        Self { width_px: picture.width_px(), height_px: picture.height_px(), channels: picture.channels() }
    }

    /// Of what a task brings.
    pub fn of_output(task: &Task) -> Self {
        let (width_px, height_px) = task.picture.size();
        let [width_px, height_px] = task.filter().output_size(&task.spec.parameters, [width_px, height_px]);
        Self { width_px, height_px, channels: task.filter().output_channels(task.spec.channels) }
    }

    /// With alpha; no picture of this form has more.
    pub fn most_bytes(self) -> usize {
        self.width_px.saturating_mul(self.height_px).saturating_mul(self.channels.count() + 1)
    }
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
pub fn send(sent: &mut Sent<()>, laid: &mut Laid, number: u64, picture: &Arc<Picture>) -> Result<SentPicture> {
    let mut named = SentPicture::Known(number);
    sent.named(number, || {
        named = SentPicture::New(number, laid.lay(picture)?);
        Ok(())
    })?;
    Ok(named)
}

/// The picture that the other side names.
///
/// # Errors
/// It was never sent, or as [`Shape::picture`].
pub fn receive<P: Clone>(got: &mut Sent<P>, named: &SentPicture, carriage: Carriage, make: impl FnOnce(Arc<Picture>) -> P) -> Result<P> {
    let taken = |shape: &Shape| Ok(make(Arc::new(shape.picture(carriage)?)));
    let missing = || Err(ErrorKind::NotFound.into());
    match named {
        SentPicture::Known(number) => got.named(*number, missing),
        SentPicture::New(number, shape) => got.named(*number, || taken(shape)),
        SentPicture::Once(shape) => taken(shape),
        SentPicture::Last => missing(),
    }
}

#[cfg(test)]
mod tests {
    use super::{ByteBuf, Carriage, Form, Laid, Place, SOURCES, Sent, SentPicture, Shape, receive, send};
    use model::Channels;
    use pictures::{Picture, generate};
    use std::path::PathBuf;
    use std::sync::Arc;

    #[test]
    fn pictures_arrive_with_their_alpha_and_those_that_are_there_are_only_named() {
        for carriage in [Carriage::Shared, Carriage::Message] {
            they_arrive_by(carriage);
        }
    }

    fn they_arrive_by(carriage: Carriage) {
        let (mut sent, mut got) = (Sent::new(SOURCES), Sent::new(SOURCES));
        let picture = |side| generate(side * 3, side, Channels::Rgb, 1).with_alpha((side == 2).then(|| vec![7; 12]));
        let pictures: Vec<Arc<Picture>> = (1..5).map(|side| Arc::new(picture(side))).collect();
        // Two to a message, so that the second of four messages has one that is known and one that is not.
        let (mut pictures_sent, mut kept) = (0, Vec::new());
        for pair in [[0, 1], [1, 2], [2, 1], [3, 0]] {
            let mut laid = Laid::of(carriage);
            let named = pair.map(|index| send(&mut sent, &mut laid, index as u64, &pictures[index]).expect("there is room"));
            pictures_sent += named.iter().filter(|picture| matches!(picture, SentPicture::New(..))).count();
            let arrived = named.each_ref().map(|picture| receive(&mut got, picture, carriage, |picture| picture).expect("it was sent"));
            // They stay although the other side lets go of them.
            laid.clear();
            for (index, arrived) in pair.into_iter().zip(&arrived) {
                assert!(*arrived == pictures[index] && arrived.alpha().is_some() == (index == 1));
            }
            kept.extend(arrived);
        }
        assert_eq!(pictures_sent, 5);
    }

    #[test]
    fn what_lies_in_shared_memory_is_not_copied() {
        let mut laid = Laid::default();
        let private = Arc::new(generate(8, 8, Channels::Gray, 1));
        let shared = Arc::new(private.to_shared().expect("there is room"));
        let path = shared.placed().path().expect("it is shared");
        assert_eq!(laid.lay(&shared).expect("there is room").bytes, Place::File(path.clone()));
        assert!(!private.is_shared() && laid.lay(&private).expect("there is room").bytes != Place::File(path));
        // What arrived may be sent on.
        let arrived = Arc::new(laid.lay(&shared).expect("there is room").picture(Carriage::Shared).expect("it is there"));
        assert!(cfg!(not(target_os = "linux")) || arrived.is_shared());
        assert!(laid.lay(&arrived).expect("there is room").picture(Carriage::Shared).expect("it is there") == *private);
    }

    #[test]
    fn a_picture_that_is_not_there_is_an_error() {
        let mut laid = Laid::default();
        // Whole pages, in which some systems count memory: one row or column more is not there.
        let shape = laid.lay(&Arc::new(generate(256, 256, Channels::Gray, 1))).expect("there is room");
        let mut got: Sent<Arc<Picture>> = Sent::new(1);
        for never_sent in [SentPicture::Known(1), SentPicture::Last] {
            receive(&mut got, &never_sent, Carriage::Shared, |picture| picture).expect_err("never sent");
        }
        let elsewhere = || Place::File(PathBuf::from("/nowhere/at/all"));
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        #[cfg(target_os = "linux")]
        crate::testing::pipe(&pipe);
        for false_shape in [
            Shape { bytes: elsewhere(), ..shape.clone() },
            Shape { bytes: Place::File(std::env::temp_dir()), ..shape.clone() },
            Shape { bytes: Place::File(pipe), ..shape.clone() },
            Shape { bytes: Place::Carried(ByteBuf::from(vec![0; 65_535])), ..shape.clone() },
            Shape { bytes: Place::Carried(ByteBuf::from(vec![0; 65_537])), ..shape.clone() },
            Shape { alpha: Some(elsewhere()), ..shape.clone() },
            Shape { width_px: 257, ..shape.clone() },
            Shape { width_px: usize::MAX, ..shape.clone() },
            Shape { width_px: 1 << 40, ..shape.clone() },
            Shape { width_px: 0, ..shape.clone() },
        ] {
            for named in [SentPicture::New(1, false_shape.clone()), SentPicture::Once(false_shape)] {
                assert!(receive(&mut got, &named, Carriage::Shared, |picture| picture).is_err(), "{named:?}");
            }
        }
        receive(&mut got, &SentPicture::New(1, shape), Carriage::Shared, |picture| picture).expect("that one is right");
    }

    #[test]
    fn another_machine_names_no_file() {
        let picture = Arc::new(generate(8, 6, Channels::Gray, 1));
        let (mut shared, mut message) = (Laid::default(), Laid::of(Carriage::Message));
        let [lain, carried] = [&mut shared, &mut message].map(|laid| laid.lay(&picture).expect("there is room"));
        // The same bytes are there to be read, and are not.
        assert!(lain.picture(Carriage::Shared).is_ok() && lain.picture(Carriage::Message).is_err());
        let alpha = Shape { alpha: Some(lain.bytes.clone()), ..carried.clone() };
        assert!(alpha.picture(Carriage::Shared).is_ok() && alpha.picture(Carriage::Message).is_err());
        assert!(carried.picture(Carriage::Message).is_ok_and(|arrived| Form::of(&arrived) == Form::of(&picture)));
    }
}
