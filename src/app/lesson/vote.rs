//! The vote of a class on a step: each alone, then the talk in pairs, then once more, then the result.

use std::time::Instant;
use study::predict::Change;
use study::predict::votes::{Hands, Votes, total};

/// A vote that is going on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vote {
    /// Hands so far.
    pub votes: Votes,
    /// How far it is.
    pub round: Round,
    /// The answer whose hands were counted last: all others hide their number until the result is there.
    pub last: Option<Change>,
    /// When the talk began.
    pub talk_begun: Option<Instant>,
}

/// How far a vote is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Round {
    /// Each alone.
    #[default]
    First,
    /// The talk in pairs.
    Talk,
    /// After the talk.
    Second,
}

/// What the teacher does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Counts a hand.
    Add(Change),
    /// Takes a hand back.
    Remove(Change),
    /// On to the next round; after the second one the result is shown.
    Next,
    /// Shows the result at once.
    Reveal,
}

impl Vote {
    /// The hands of this round; `None` while pairs talk.
    #[must_use]
    pub fn hands(&self) -> Option<&Hands> {
        match self.round {
            Round::First => Some(&self.votes.first),
            Round::Talk => None,
            Round::Second => Some(&self.votes.second),
        }
    }

    /// Acts on what the teacher does; true where the result is to be shown.
    pub fn count(&mut self, count: Count) -> bool {
        match count {
            Count::Add(change) => self.change_hands(change, |hands| hands.saturating_add(1)),
            Count::Remove(change) => self.change_hands(change, |hands| hands.saturating_sub(1)),
            Count::Reveal => return self.has_voted(),
            Count::Next => {
                self.last = None;
                match self.round {
                    Round::First if self.has_voted() => (self.round, self.talk_begun) = (Round::Talk, Some(Instant::now())),
                    Round::First => {}
                    Round::Talk => self.round = Round::Second,
                    Round::Second => return total(&self.votes.second) > 0,
                }
            }
        }
        false
    }

    /// Whether there was a first vote.
    #[must_use]
    pub fn has_voted(&self) -> bool {
        total(&self.votes.first) > 0
    }

    fn change_hands(&mut self, change: Change, of: impl FnOnce(u32) -> u32) {
        let hands = match self.round {
            Round::First => &mut self.votes.first,
            Round::Talk => return,
            Round::Second => &mut self.votes.second,
        };
        if let Some(hands) = hands.get_mut(change.index()) {
            *hands = of(*hands);
            self.last = Some(change);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Count, Round, Vote};
    use study::predict::Change;

    #[test]
    fn two_votes_with_a_talk_between_them() {
        let mut vote = Vote::default();
        assert!(!vote.count(Count::Next) && vote.round == Round::First, "nobody has voted");
        assert!(!vote.count(Count::Reveal));
        for count in [Count::Add(Change::Same), Count::Add(Change::Faster), Count::Add(Change::Faster), Count::Remove(Change::Faster)] {
            assert!(!vote.count(count));
        }
        let _ = vote.count(Count::Remove(Change::Slower));
        assert_eq!(vote.votes.first, [0, 0, 1, 1, 0], "there are no fewer than none");
        assert!(vote.talk_begun.is_none() && !vote.count(Count::Next) && vote.round == Round::Talk && vote.talk_begun.is_some());
        let _ = vote.count(Count::Add(Change::Same));
        assert!(vote.hands().is_none() && vote.votes.second == [0; 5], "nobody votes while pairs talk");
        assert!(!vote.count(Count::Next) && vote.round == Round::Second);
        assert!(!vote.count(Count::Next), "nobody has voted again");
        let _ = vote.count(Count::Add(Change::Same));
        assert!(vote.count(Count::Next), "now the result");
        assert_eq!(vote.votes.first, [0, 0, 1, 1, 0]);
    }
}
