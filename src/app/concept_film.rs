//! The figure of an idea, which a lesson names and which plays in the place of a panel.

use super::film::{Allowed, Films, Played};
use super::scene_ui::measure_in;
use egui::{Context, Ui};
use view::plot::Concept;

/// What the figure keeps between frames.
pub type ConceptFilm = Played<Concept>;

/// Draws it playing into all of `ui`.
pub fn concept_film_ui(ui: &mut Ui, film: &mut ConceptFilm, concept: Concept, allowed: Allowed) {
    let make = |concept: &Concept, [width, height]: [usize; 2], ctx: &Context| -> Films {
        vec![Ok(concept.film([width as f64, height as f64], &measure_in(ctx)))]
    };
    film.ui(ui, concept, &[""], make, allowed);
}
