//! What is derived from a picture and worth keeping: other channels, and the plain reference.

use super::Task;
use base::error::{Error, Result};
use base::texts::{failed, text};
use kernels::filters::ReferenceRows;
use model::measure::Progress;
use model::{Channels, Spec, Verification};
use pictures::{Picture, Sharing};
use rayon::prelude::*;
use std::fmt::Display;
use std::sync::Arc;

/// How many of each are kept: enough to go back and forth between two border modes, two filters or two pictures.
const KEPT: usize = 4;

/// Most bytes of each that are kept while another one is made.
const KEPT_BYTES: usize = 256 << 20;

/// Rows per piece of the reference: cancelling waits for one piece per core at most.
const ROWS_PER_PIECE: usize = 32;

/// Least recently used entry last.
struct Recent<Key>(Vec<(Key, Arc<Picture>)>);

impl<Key: PartialEq> Recent<Key> {
    fn get(&mut self, key: &Key) -> Option<Arc<Picture>> {
        let index = self.0.iter().position(|(known, _)| known == key)?;
        let entry = self.0.remove(index);
        let value = Arc::clone(&entry.1);
        self.0.insert(0, entry);
        Some(value)
    }

    /// Keeps it before all others.
    fn put(&mut self, key: Key, value: Arc<Picture>) {
        self.0.retain(|(known, _)| *known != key);
        self.0.insert(0, (key, value));
        self.0.truncate(KEPT);
    }

    /// Forgets the oldest until the others have few enough bytes. Called before another one is made: a large one and its successor are not there at once.
    fn make_room(&mut self) {
        let mut bytes = 0;
        let most = self.0.iter().take_while(|(_, picture)| {
            bytes += picture.bytes().len();
            bytes <= KEPT_BYTES
        });
        let count = most.count();
        self.0.truncate(count);
    }
}

impl<Key> Default for Recent<Key> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// The caches.
#[derive(Default)]
pub struct Derived {
    pictures: Recent<(u64, Channels)>,
    references: Recent<(u64, Spec)>,
    /// Who may read references.
    pub sharing: Sharing,
}

impl Derived {
    /// Nothing yet; references will be for those.
    pub fn sharing(sharing: Sharing) -> Self {
        Self { sharing, ..Self::default() }
    }

    /// The task's picture in the task's channels.
    pub fn source(&mut self, task: &Task) -> Arc<Picture> {
        if task.picture.picture.channels() == task.spec.channels {
            return Arc::clone(&task.picture.picture);
        }
        let key = (task.picture.id, task.spec.channels);
        self.pictures.get(&key).unwrap_or_else(|| {
            self.pictures.make_room();
            let converted = Arc::new(task.picture.picture.to_channels(task.spec.channels));
            self.pictures.put(key, Arc::clone(&converted));
            converted
        })
    }

    /// The right output of `task`, where it is known.
    pub fn known_reference(&mut self, task: &Task) -> Option<Arc<Picture>> {
        self.references.get(&(task.picture.id, task.spec.clone()))
    }

    /// Keeps what is right for `task`.
    pub fn keep_reference(&mut self, task: &Task, output: &Arc<Picture>) {
        self.references.make_room();
        self.references.put((task.picture.id, task.spec.clone()), Arc::clone(output));
    }

    /// The output of a plain program for `task`, computed in pieces over all cores.
    ///
    /// # Errors
    /// Cancelled.
    pub fn reference(&mut self, task: &Task, reference_rows: ReferenceRows, progress: &dyn Progress) -> Result<Arc<Picture>> {
        let (filter, spec) = (task.filter(), &task.spec);
        if let Some(reference) = self.known_reference(task) {
            return Ok(reference);
        }
        self.references.make_room();
        let source = self.source(task);
        progress.report(0, 1, text("progress.reference"));
        let mut output = filter.blank(&source, &spec.parameters, self.sharing);
        let height = output.height_px();
        // Each piece of one that depends on the whole picture would compute that anew.
        let piece_rows = if filter.is_whole { height } else { ROWS_PER_PIECE };
        let piece_bytes = (piece_rows * output.row_bytes()).max(1);
        output.bytes_mut().par_chunks_mut(piece_bytes).enumerate().try_for_each(|(piece, bytes)| {
            if progress.is_cancelled() {
                return Err(Error::cancelled());
            }
            let first = piece * piece_rows;
            let rows = reference_rows(&source, spec.border, &spec.parameters, first..(first + piece_rows).min(height));
            // A reference that forgets rows is a bug of the filter's file, and must not pass for a right output.
            if rows.len() != bytes.len() {
                let values: [(&str, &dyn Display); 3] = [("filter", &filter.label()), ("found", &rows.len()), ("asked", &bytes.len())];
                return Err(failed("errors.engine.reference", &values));
            }
            bytes.copy_from_slice(&rows);
            Ok(())
        })?;
        let output = Arc::new(output);
        self.keep_reference(task, &output);
        Ok(output)
    }
}

/// Compares two pictures pixel by pixel; another size or other channels differ everywhere.
pub fn compare(output: &Picture, reference: &Picture, tolerance: u8) -> Verification {
    let total_pixels = reference.width_px() * reference.height_px();
    if (output.width_px(), output.height_px(), output.channels()) != (reference.width_px(), reference.height_px(), reference.channels()) {
        let first_differing = Some((0, 0));
        return Verification {
            differing_pixels: total_pixels,
            total_pixels,
            max_difference: u8::MAX,
            first_differing,
            tolerance,
            ..Verification::default()
        };
    }
    compare_rows(output.bytes(), reference.bytes(), (reference.width_px(), reference.channels()), tolerance)
}

/// Compares rows without gaps, pixel by pixel; where one has fewer bytes, all pixels of the longer one differ.
pub fn compare_rows(output: &[u8], reference: &[u8], (width_px, channels): (usize, Channels), tolerance: u8) -> Verification {
    /// What one core compares at a time.
    const PART_BYTES: usize = 1 << 20;
    let count = channels.count();
    let total_pixels = output.len().max(reference.len()) / count;
    let mut verification =
        Verification { differing_pixels: 0, total_pixels, max_difference: 0, first_differing: None, tolerance, ..Verification::default() };
    if output.len() != reference.len() {
        return Verification { differing_pixels: total_pixels, max_difference: u8::MAX, first_differing: Some((0, 0)), ..verification };
    }
    // Almost every comparison ends here, at the speed of memory.
    if output.par_chunks(PART_BYTES).zip(reference.par_chunks(PART_BYTES)).all(|(ours, theirs)| ours == theirs) {
        return verification;
    }
    for (index, (ours, theirs)) in output.chunks_exact(count).zip(reference.chunks_exact(count)).enumerate() {
        let difference = ours.iter().zip(theirs).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
        verification.max_difference = verification.max_difference.max(difference);
        if difference > tolerance {
            verification.differing_pixels += 1;
            verification.first_differing.get_or_insert((index % width_px, index / width_px));
        }
    }
    verification
}

#[cfg(test)]
mod tests {
    use super::{Derived, compare};
    use crate::{PictureRef, Target, Task};
    use base::error::Result;
    use kernels::filters::Reference;
    use model::measure::Progress;
    use model::{Channels, CpuEngine};
    use pictures::Picture;
    use std::sync::Arc;

    fn reference(derived: &mut Derived, task: &Task, progress: &dyn Progress) -> Result<Arc<Picture>> {
        let Reference::Rows(rows) = task.filter().reference else { panic!("a plain reference") };
        derived.reference(task, rows, progress)
    }

    fn task(width: usize, height: usize) -> Task {
        let picture = Picture::from_fn(width, height, Channels::Rgb, |x, y, channel| (x * 7 + y * 13 + channel * 50) as u8);
        Task::new(PictureRef::new(Arc::new(picture)), Target::Cpu(CpuEngine::Scalar))
    }

    #[test]
    fn one_wrong_byte_is_found_and_placed() {
        let reference = Picture::from_fn(5, 4, Channels::Rgb, |_, _, _| 9);
        let mut output = reference.clone();
        output.bytes_mut()[(2 * 5 + 3) * 3 + 1] = 12;
        let exact = compare(&output, &reference, 0);
        assert_eq!((exact.differing_pixels, exact.max_difference, exact.first_differing), (1, 3, Some((3, 2))));
        assert!(compare(&output, &reference, 3).is_right());
        assert!(!compare(&output, &reference, 2).is_right());
        assert!(compare(&reference, &reference, 0).is_right());
    }

    #[test]
    fn another_size_is_never_right() {
        let reference = Picture::from_fn(5, 4, Channels::Gray, |_, _, _| 9);
        let output = Picture::from_fn(4, 5, Channels::Gray, |_, _, _| 9);
        assert!(!compare(&output, &reference, 255).is_right());
    }

    #[test]
    fn a_reference_in_pieces_is_the_whole_reference() {
        let task = task(7, 101);
        let pieces = reference(&mut Derived::default(), &task, &()).expect("no cancel");
        let whole = task.filter().reference(&task.picture.picture, task.spec.border, &task.spec.parameters);
        assert_eq!(Some(&*pieces), whole.as_ref());
    }

    #[test]
    fn a_reference_is_kept_and_found_by_its_picture() {
        let (first, second) = (task(7, 5), task(7, 6));
        let mut derived = Derived::default();
        let kept = reference(&mut derived, &first, &()).expect("no cancel");
        assert!(Arc::ptr_eq(&kept, &reference(&mut derived, &first, &()).expect("no cancel")));
        assert!(!Arc::ptr_eq(&kept, &reference(&mut derived, &second, &()).expect("no cancel")));
    }

    #[test]
    fn what_is_kept_while_another_is_made_has_few_bytes() {
        let mut recent = super::Recent::default();
        let large = || Arc::new(Picture::from_fn(super::KEPT_BYTES / 2 / 1024, 1024, Channels::Gray, |_, _, _| 0));
        for key in 0..3 {
            recent.make_room();
            recent.put(key, large());
        }
        assert_eq!(recent.0.iter().map(|(key, _)| *key).collect::<Vec<_>>(), [2, 1, 0]);
        recent.make_room();
        assert!(recent.get(&0).is_none() && recent.get(&1).is_some() && recent.get(&2).is_some());
    }

    struct Cancelled;

    impl Progress for Cancelled {
        fn is_cancelled(&self) -> bool {
            true
        }

        fn report(&self, _done: usize, _total: usize, _text: &str) {}
    }

    #[test]
    fn a_cancelled_reference_ends_as_cancelled() {
        assert!(reference(&mut Derived::default(), &task(9, 9), &Cancelled).expect_err("cancelled").is_cancelled());
    }
}
