//! What timed runs are held to: the reference that the output was verified with.

use super::Task;
use super::derived::compare_rows;
use base::error::{Error, Result};
use base::texts::failed;
use model::Verification;
use pictures::Picture;
use std::sync::Arc;

/// The right output of a task. Figures are kept only where what the timed runs left, and one more lap over all that they ran over, came to this.
#[derive(Clone)]
pub struct Expected {
    reference: Arc<Picture>,
    tolerance: u8,
}

impl Expected {
    /// That of `task`.
    pub fn of(task: &Task, reference: Arc<Picture>) -> Self {
        Self { reference, tolerance: task.tolerance() }
    }

    /// Compares a whole output with what it should be.
    ///
    /// # Errors
    /// It is wrong, or not the whole.
    pub fn check_all(&self, output: &[u8]) -> Result<()> {
        if output.len() == self.reference.bytes().len() { self.check(output, 0) } else { Err(super::not_prepared()) }
    }

    /// Compares rows of an output, from `first_row` on, with what they should be.
    ///
    /// # Errors
    /// They are wrong.
    pub fn check(&self, rows: &[u8], first_row: usize) -> Result<()> {
        let reference = &self.reference;
        let first_byte = first_row * reference.row_bytes();
        let own = reference.bytes().get(first_byte..first_byte + rows.len()).unwrap_or_default();
        let found = compare_rows(rows, own, (reference.width_px(), reference.channels()), self.tolerance);
        if found.is_right() { Ok(()) } else { Err(wrong_when_timed(&found, first_row)) }
    }
}

fn wrong_when_timed(found: &Verification, first_row: usize) -> Error {
    let (x, y) = found.first_differing.unwrap_or_default();
    let y = first_row + y;
    failed("errors.engine.wrong-when-timed", &[("how", &found.label()), ("most", &found.max_difference), ("x", &x), ("y", &y)])
}

#[cfg(test)]
mod tests {
    use super::Expected;
    use crate::{PictureRef, Target, Task};
    use model::{Channels, CpuEngine};
    use pictures::Picture;
    use std::sync::Arc;

    #[test]
    fn rows_are_held_to_their_place() {
        let picture = Picture::from_fn(5, 4, Channels::Rgb, |x, y, channel| (x * 7 + y * 13 + channel * 50) as u8);
        let task = Task::new(PictureRef::new(Arc::new(picture.clone())), Target::Cpu(CpuEngine::Scalar));
        let expected = Expected::of(&task, Arc::new(picture.clone()));
        expected.check_all(picture.bytes()).expect("all of it");
        assert!(expected.check_all(&picture.bytes()[..45]).is_err(), "three rows of four");
        let mut rows = picture.bytes()[2 * 15..].to_vec();
        expected.check(&rows, 2).expect("the lower half");
        assert!(expected.check(&rows, 1).is_err() && expected.check(&rows, 3).is_err(), "rows of another place");
        rows[15 + 3 * 3 + 1] ^= 1;
        let error = expected.check(&rows, 2).expect_err("one byte");
        assert!(error.why.contains("(3, 3)"), "{error}");
    }
}
