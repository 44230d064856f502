//! Words that may follow what is being typed in the editor: OpenCL C's own, and those that stand in the kernel already.

use super::words::known_words;
use base::texts::text as words;
use egui::text::{CCursor, CCursorRange};
use egui::{Area, Context, Frame, Id, Key, Modifiers, Order, Pos2, RichText, TextEdit, Ui};
use std::collections::BTreeSet;
use std::ops::Range;

/// Words are offered from so many letters on: before that there are too many.
const LEAST_LETTERS: usize = 2;

/// So many are offered at most.
const MOST: usize = 8;

/// What is offered, if anything.
#[derive(Default)]
pub struct Completion {
    offer: Option<Offer>,
}

/// Words for the one that is being typed.
#[derive(Debug, PartialEq, Eq)]
struct Offer {
    /// The typed letters, in bytes of the text.
    typed: Range<usize>,
    /// Behind them, in letters of the text.
    cursor: usize,
    words: Vec<String>,
    chosen: usize,
    is_taken: bool,
}

fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

impl Offer {
    /// For the word that ends at the cursor, unless another one goes on there.
    fn at(text: &str, cursor: usize) -> Option<Self> {
        let end = text.char_indices().nth(cursor).map_or(text.len(), |(at, _)| at);
        let (before, behind) = text.split_at_checked(end)?;
        let start = before.rfind(|letter| !is_of_word(letter)).map_or(0, |at| at + 1);
        let typed = before.get(start..)?;
        let is_word = typed.len() >= LEAST_LETTERS && !typed.starts_with(|letter: char| letter.is_ascii_digit());
        if !is_word || behind.starts_with(is_of_word) {
            return None;
        }
        let own = text.split(|letter| !is_of_word(letter)).filter(|word| word.len() > LEAST_LETTERS);
        let all: BTreeSet<&str> = known_words().iter().map(String::as_str).chain(own).collect();
        let words: Vec<String> =
            all.into_iter().filter(|word| word.starts_with(typed) && *word != typed).take(MOST).map(str::to_owned).collect();
        (!words.is_empty()).then_some(Self { typed: start..end, cursor, words, chosen: 0, is_taken: false })
    }
}

impl Completion {
    /// Whether words are offered.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.offer.is_some()
    }

    /// Before the text field is drawn: takes the keys that are the list's while it is open, and puts in what they take. True where the text was changed.
    pub fn take_keys(&mut self, ui: &Ui, field: Id, text: &mut String) -> bool {
        let Some(offer) = &mut self.offer else { return false };
        let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        let count = offer.words.len();
        if pressed(Key::ArrowDown) {
            offer.chosen = (offer.chosen + 1) % count;
        }
        if pressed(Key::ArrowUp) {
            offer.chosen = (offer.chosen + count - 1) % count;
        }
        let is_closed = pressed(Key::Escape);
        if !(pressed(Key::Tab) || offer.is_taken) {
            self.offer.take_if(|_| is_closed);
            return false;
        }
        let Some(Offer { typed, words, chosen, .. }) = self.offer.take() else { return false };
        let (Some(word), Some(before)) = (words.get(chosen), text.get(..typed.start)) else { return false };
        let cursor = before.chars().count() + word.chars().count();
        if text.get(typed.clone()).is_none() {
            return false;
        }
        text.replace_range(typed, word);
        set_cursor(ui.ctx(), field, cursor);
        true
    }

    /// After the text field is drawn: what is offered for it, and the list of that.
    pub fn show(&mut self, ui: &Ui, field: Id, text: &str, is_changed: bool, cursor: Option<(usize, Pos2)>) {
        if is_changed {
            self.offer = cursor.and_then(|(cursor, _)| Offer::at(text, cursor));
        }
        let Some((cursor, below)) = cursor else { return };
        // Whoever goes elsewhere in the text wants no word here.
        let Some(offer) = self.offer.take_if(|offer| offer.cursor != cursor).map_or(self.offer.as_mut(), |_| None) else { return };
        let area = Area::new(field.with("completion")).order(Order::Foreground).fixed_pos(below);
        area.show(ui.ctx(), |ui| {
            Frame::popup(ui.style()).show(ui, |ui| {
                for (index, word) in offer.words.iter().enumerate() {
                    let row = ui.selectable_label(index == offer.chosen, RichText::new(word).monospace());
                    // At once: with the click's end the text has lost the keyboard.
                    if row.is_pointer_button_down_on() {
                        (offer.chosen, offer.is_taken) = (index, true);
                    }
                }
                ui.label(RichText::new(words("window.editor.take-word")).small().weak());
            });
        });
    }
}

fn set_cursor(ctx: &Context, field: Id, cursor: usize) {
    let mut state = TextEdit::load_state(ctx, field).unwrap_or_default();
    state.cursor.set_char_range(Some(CCursorRange::one(CCursor::new(cursor))));
    state.store(ctx, field);
    ctx.memory_mut(|memory| memory.request_focus(field));
}

#[cfg(test)]
mod tests {
    use super::Offer;

    fn offered(text: &str) -> Vec<String> {
        let cursor = text.chars().position(|letter| letter == '|').expect("a cursor");
        Offer::at(&text.replace('|', ""), cursor).map_or_else(Vec::new, |offer| offer.words)
    }

    #[test]
    fn words_of_the_language_and_of_the_kernel_are_offered() {
        assert_eq!(offered("int x = get_glo|;"), ["get_global_id", "get_global_offset", "get_global_size"]);
        assert_eq!(offered("char é; int my_pitch = my_offset + my_|"), ["my_offset", "my_pitch"]);
        assert_eq!(offered("uchar1|"), ["uchar16"]);
        assert_eq!(offered("vload1|"), ["vload16"]);
        assert!(offered("conv|").iter().all(|word| word.starts_with("convert_")));
        // Too little, a number, the middle of a word, and what is whole already.
        for text in ["g|", "12|", "get_gl|obal_id", "get_global_id|", "|"] {
            assert_eq!(offered(text), [""; 0], "{text}");
        }
    }
}
