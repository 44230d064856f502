//! The picture and what the filter makes of it: only where the program can make it again, as a bundle has no pixels.

use super::subject::Subject;
use base::error::Result;
use base::texts::{filled, text};
use engine::PictureRef;
use kernels::filters::FilterIdExt;
use kernels::filters::Reference;
use pictures::Picture;
use std::fmt::Display;
use std::sync::Arc;
use study::bundle::PictureOrigin;
use view::story::html::{Page, base64, escaped};

/// A piece from the middle, at its own scale, is enough to see what a filter does.
const PIECE_PX: (usize, usize) = (400, 240);

/// Larger pictures are not made again for a piece of them.
const MOST_PIXELS: usize = 7680 * 4320;

/// Adds both pictures, or says why there are none.
///
/// # Errors
/// Where they cannot be encoded.
pub fn add(subject: &Subject<'_>, page: &mut Page) -> Result<()> {
    let size = subject.picture.size();
    if *subject.origin == PictureOrigin::Own {
        page.paragraph(text("report.pictures.private"));
        return Ok(());
    }
    if size.0 * size.1 > MOST_PIXELS {
        page.paragraph(text("report.pictures.large"));
        return Ok(());
    }
    let Some(picture) = again(subject) else {
        page.paragraph(text("report.pictures.other"));
        return Ok(());
    };
    let source = picture.to_channels(subject.spec.channels);
    let left = size.0.saturating_sub(PIECE_PX.0) / 2;
    let top = size.1.saturating_sub(PIECE_PX.1) / 2;
    let rows = top..(top + PIECE_PX.1).min(size.1);
    let filter = subject.spec.filter.filter();
    let Reference::Rows(reference) = filter.reference else {
        page.paragraph(text("report.pictures.no-reference"));
        return Ok(());
    };
    let bytes = reference(&source, subject.spec.border, &subject.spec.parameters, rows.clone());
    let filtered = Picture::new(size.0, rows.len(), filter.output_channels(source.channels()), bytes)?;
    let columns = left..(left + PIECE_PX.0).min(size.0);
    let values: [(&str, &dyn Display); 2] = [("width", &columns.len()), ("height", &rows.len())];
    let pieces =
        [(source.rows(rows), filled("report.pictures.original", &values)), (filtered, filled("report.pictures.filtered", &values))];
    page.add("<div class=\"pictures\">\n");
    for (rows, caption) in pieces {
        let piece = rows.columns(columns.clone());
        let (data, caption) = (base64(&pictures::png(&piece)?), escaped(&caption));
        let (width, height) = (piece.width_px(), piece.height_px());
        page.add(&format!(
            "<figure><img src=\"data:image/png;base64,{data}\" width=\"{width}\" height=\"{height}\" alt=\"{caption}\"><figcaption>{caption}</figcaption></figure>\n"
        ));
    }
    page.add("</div>\n");
    Ok(())
}

/// The picture made again; `None` where it has another hash, as another version of the program made another one.
fn again(subject: &Subject<'_>) -> Option<Picture> {
    let picture = PictureRef::new(Arc::new(subject.origin.picture(subject.picture.size(), subject.spec.channels)?));
    (picture.facts() == *subject.picture).then(|| picture.picture.as_ref().clone())
}
