//! What of a session goes to a teacher.

use super::lessons_panel::{Given, Progress};
use super::state::State;
use base::error::Result;
use base::texts::language;
use engine::now;
use report::class::{Kept, LessonDone, Sent, TaskDone, TaskKind, TaskState};
use study::PredictionRecord;
use study::bundle::{Aliases, Bundle, Session};
use study::lessons::{Item, Lesson, Screen};

/// What a file for the teacher is made of, but for what takes time: that is for the file thread.
#[derive(Clone, Debug)]
pub struct ForTeacher {
    session: Session,
    alias: String,
    predictions: Vec<PredictionRecord>,
    lessons: Vec<LessonDone>,
}

impl ForTeacher {
    /// The file's content. Reads pictures and the machine's label: not for the window's thread.
    ///
    /// # Errors
    /// Never for plain data.
    pub fn sent(&self) -> Result<Sent> {
        let aliases = Aliases::opaque();
        let mut bundle = Bundle::default();
        self.session.runs().into_iter().for_each(|run| bundle.add(run, &aliases));
        Ok(Sent {
            written: now(),
            machine: aliases.of(None),
            alias: Sent::alias_of(&self.alias),
            bundle,
            devices: self.session.devices.clone(),
            predictions: self.predictions.iter().cloned().map(Kept::of).collect::<Result<_>>()?,
            lessons: self.lessons.iter().cloned().map(Kept::of).collect::<Result<_>>()?,
            ..Sent::default()
        })
    }
}

impl State {
    /// What of this session and of what earlier ones left goes to a teacher.
    pub(super) fn for_teacher(&self) -> ForTeacher {
        ForTeacher {
            session: self.session(),
            alias: self.settings.teacher_alias.clone(),
            predictions: self.lesson.memory.records().to_vec(),
            lessons: self.lessons_done(),
        }
    }

    /// Whether there is nothing to send.
    pub(super) fn has_nothing_to_send(&self) -> bool {
        self.history.rows().is_empty() && self.lesson.memory.records().is_empty() && self.lessons_done().is_empty()
    }

    /// The tasks of the lessons that were opened; a lesson that is gone has none.
    fn lessons_done(&self) -> Vec<LessonDone> {
        let progress = self.settings.course.progress.iter();
        let done = progress.filter_map(|(name, progress)| {
            let lesson = self.course.shelf.find(name, language())?;
            Some(LessonDone { lesson: name.clone(), tasks: tasks(lesson, progress) })
        });
        done.filter(|done| !done.tasks.is_empty()).collect()
    }
}

fn tasks(lesson: &Lesson, progress: &Progress) -> Vec<TaskDone> {
    let screens = lesson.screens.iter().enumerate();
    screens.filter_map(|(index, screen)| task(index, screen, progress.given.get(&index).copied())).collect()
}

/// What became of a screen's task; `None` where it has none.
fn task(screen: usize, of: &Screen, given: Option<Given>) -> Option<TaskDone> {
    let item = of.item.as_ref()?;
    let (state, answer) = match given {
        Some(Given::Choice(index)) => (TaskState::Done, Some(index as f64)),
        Some(Given::Number(number)) => (TaskState::Done, Some(number)),
        Some(Given::Done) => (TaskState::Done, None),
        Some(Given::Skipped) => (TaskState::Skipped, None),
        Some(Given::Begun) | None => (TaskState::Open, None),
    };
    let is_right = match (item, given) {
        (Item::Choose(choose), Some(Given::Choice(index))) => choose.answers.get(index).map(|(_, refuted)| refuted.is_none()),
        _ => None,
    };
    Some(TaskDone { screen, kind: TaskKind::of(item)?, state, answer, is_right })
}

#[cfg(test)]
mod tests {
    use super::{Given, TaskState, tasks};
    use crate::app::lessons_panel::Progress;
    use report::class::TaskKind;
    use study::lessons::read;

    #[test]
    fn tasks_are_done_skipped_or_open_and_answers_right_or_wrong() {
        let text = include_str!("../../assets/lessons/example.toml");
        let lesson = read(text).unwrap_or_else(|faults| panic!("{faults:?}"));
        let of = |given: &[(usize, Given)]| tasks(&lesson, &Progress { given: given.iter().copied().collect(), ..Progress::default() });
        let open = of(&[]);
        assert!(open.iter().all(|task| task.state == TaskState::Open && task.answer.is_none()) && open.len() > 2, "{open:?}");
        let screen_of = |kind| open.iter().find(|task| task.kind == kind).expect("the example has all of them").screen;
        let (choose, number, task) = (screen_of(TaskKind::Choose), screen_of(TaskKind::Number), screen_of(TaskKind::Task));
        let given = of(&[(choose, Given::Choice(0)), (number, Given::Number(3.5)), (task, Given::Skipped)]);
        let at = |screen| given.iter().find(|task| task.screen == screen).expect("a task");
        let study::lessons::Item::Choose(question) = lesson.screens[choose].item.as_ref().expect("asked") else { panic!("a choice") };
        assert_eq!(at(choose).is_right, Some(question.answers[0].1.is_none()));
        assert_eq!((at(number).state, at(number).answer, at(number).is_right), (TaskState::Done, Some(3.5), None));
        assert_eq!(at(task).state, TaskState::Skipped);
        let (done, begun) = (of(&[(task, Given::Done)]), of(&[(task, Given::Begun)]));
        let state = |tasks: &[report::class::TaskDone]| tasks.iter().find(|done| done.screen == task).map(|done| done.state);
        assert_eq!((state(&done), state(&begun)), (Some(TaskState::Done), Some(TaskState::Open)));
    }
}
