//! What the page has, and that nothing of a bundle is taken for markup.

use super::{html, html_without};
use model::Outcome;
use study::bundle::{Bundle, PictureOrigin};
use study::testing::bundles::{bundle, compared, run, run_with_experiments};

fn page(bundles: impl IntoIterator<Item = Bundle>) -> String {
    html(&Bundle::merged(bundles).0).expect("a page")
}

/// Between the tags that `from` begins with and the next `to`.
fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    let start = page.find(from).unwrap_or_else(|| panic!("{from} is not in {page}"));
    page[start..].split(to).next().expect("something")
}

#[test]
fn devices_and_claims_make_a_matrix_with_verdict_and_why() {
    // Twice as fast, and half as fast.
    let page = page([bundle("Fast GPU", [20, 10]), bundle("Slow GPU", [20, 40])]);
    let table = between(&page, "<caption>Mali-T600 Laplace: claims by device", "</table>");
    assert!(table.contains("<th scope=\"col\">2 Vectorize<br>Guide, “Optimisation 1 Results”; “Summary”: faster than step 1 (Original) at 768 × 432, 2560 × 1600, 2048 × 2048, 5760 × 3240, 7680 × 4320</th>"), "{table}");
    assert!(table.contains("<td class=\"confirmed\">✓ confirmed<br>2.00×, from one run of the program</td>"), "{table}");
    assert!(table.contains("<td class=\"reversed\">✗ reversed<br>0.500×, from one run of the program</td>"), "{table}");
    assert!(table.contains("not tested") && table.contains("1 of 2"), "{table}");
    let why = between(&page, "Why on Example platform on Fast GPU", "</details>");
    assert!(why.contains("<dt>2 Vectorize · 96 × 96, Guide, “Optimisation 1 Results”; “Summary”: faster than step 1 (Original) at 768 × 432, 2560 × 1600, 2048 × 2048, 5760 × 3240, 7680 × 4320, ✓ confirmed</dt>"), "{why}");
    assert!(why.matches("<dd>").count() == 1, "{why}");
}

#[test]
fn thirty_devices_are_in_one_chart_each_with_what_it_is_sorted_and_filtered_by() {
    let page = page((0..30).map(|index| bundle(&format!("GPU {index}"), [20, 10 + index])));
    assert_eq!(page.matches("<h2 id=\"readings-").count(), 1);
    // And the processor.
    assert_eq!(page.matches("<section class=\"device\"").count(), 31);
    assert_eq!(page.matches("data-processor>").count(), 1);
    assert!(
        page.contains("data-name=\"Example platform on GPU 3\" data-fastest=\"13000000\" data-claims=\"vectorize:confirmed\""),
        "{page}"
    );
    // One axis: the grid begins at the same place everywhere.
    let chart = between(&page, "<div class=\"chart\">", "<div class=\"legend\">");
    let paths: Vec<&str> = chart.split("\" stroke=\"var(--grid)\"").collect();
    let first = |path: &str| path.rsplit("<path d=\"").next().and_then(|lines| lines.split(' ').next()).map(str::to_owned);
    let left: std::collections::BTreeSet<_> = paths.iter().rev().skip(1).map(|path| first(path)).collect();
    assert_eq!((paths.len(), left.len()), (32, 1), "{left:?}");
    assert!(chart.contains("<option value=\"vectorize\">2 Vectorize: Guide, “Optimisation 1 Results”; “Summary”: faster than step 1 (Original) at 768 × 432, 2560 × 1600, 2048 × 2048, 5760 × 3240, 7680 × 4320</option>"), "{chart}");
}

#[test]
fn times_have_quartiles_and_what_was_not_measured_its_reason() {
    let mut own = run("GPU", [20, 10]);
    own.devices[0].readings[1].record.outcome = Outcome::Unsupported("the tile is too large".into());
    own.devices[0].readings[0].above = Some(compared(30, 10));
    let mut bundle = Bundle::default();
    bundle.add(own, &study::bundle::Aliases::default());
    let page = page([bundle]);
    let table = between(&page, "<caption>Measurements: ", "</table>");
    let row = "<th scope=\"row\">1 Original: naive</th><td class=\"number\">20 ms</td><td class=\"number\">19.4 ms to 21 ms</td><td class=\"number\">5</td>";
    assert!(table.contains(row), "{table}");
    assert!(table.contains("FASTER") && table.contains("bit-exact"), "{table}");
    assert!(table.contains("unsupported: the tile is too large"), "{table}");
    assert!(table.contains("Test processor, without OpenCL"), "{table}");
}

#[test]
fn sources_pictures_method_and_commands_are_there() {
    let text = page([bundle("GPU", [20, 10])]);
    let sources = between(&text, "<h2 id=\"sources\">", "<h2 id=\"method\">");
    assert!(sources.contains("<summary>naive: the whole kernel</summary>"), "{sources}");
    assert!(sources.contains("<span class=\"added\">+") && sources.contains("<span class=\"removed\">-"), "{sources}");
    assert_eq!(text.matches("<img src=\"data:image/png;base64,iVBORw0KGgo").count(), 2);
    assert!(text.contains("kernel-ladder bench --filter laplace --channels rgb --border copy --ladder mali-t600 --size 96x96"), "{text}");
    assert!(text.contains("Hodges–Lehmann"));
    // Of a person's own picture there is none, nor of one that is made otherwise now.
    let mut own = run("GPU", [20, 10]);
    own.recipe.picture = PictureOrigin::Own;
    let mut other = run("GPU", [20, 10]);
    other.recipe.picture = PictureOrigin::Sample("camera.png".to_owned());
    for (run, words) in [(own, "the picture is personal"), (other, "generates a different picture than the one measured")] {
        let mut bundle = Bundle::default();
        bundle.add(run, &study::bundle::Aliases::default());
        let page = page([bundle]);
        assert!(!page.contains("<img") && page.contains(words), "{words}");
    }
}

#[test]
fn nothing_is_loaded_from_elsewhere_and_nothing_of_a_bundle_is_markup() {
    let evil = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&";
    let mut own = run(evil, [20, 10]);
    own.devices[0].readings[1].record.outcome = Outcome::Failed(evil.into());
    own.cpu[0].machine.device = evil.to_owned();
    own.cpu[0].date = evil.to_owned();
    let mut bundle = Bundle::default();
    bundle.add(own, &study::bundle::Aliases::default());
    let page = page([bundle]);
    assert_eq!(page.matches("<script").count(), 1, "our own");
    // A long name may be wrapped in a chart: its parts are words, too.
    assert!(page.contains("onerror=") && !page.contains("<img src=x") && !page.contains("alert(2)>") && !page.contains("\"'"), "{page}");
    for attribute in ["src=\"", "href=\""] {
        for value in page.split(attribute).skip(1) {
            assert!(value.starts_with('#') || value.starts_with("data:"), "{attribute}{}", &value[..40]);
        }
    }
    assert!(!page.contains("@import") && !page.contains("url("), "{page}");
    assert!(page.contains("default-src 'none'; img-src data:;"));
}

#[test]
fn headings_follow_each_other_and_every_picture_has_words() {
    let page = page([bundle("GPU", [20, 10]), bundle("Another GPU", [20, 40])]);
    let mut last = 1;
    for level in page.split("<h").skip(1).filter_map(|part| part.chars().next()?.to_digit(10)) {
        assert!(level <= last + 1, "h{level} after h{last}");
        last = level;
    }
    assert_eq!(page.matches("<svg ").count(), page.matches("role=\"img\" aria-label=\"").count());
    assert_eq!(page.matches("<img ").count(), page.matches(" alt=\"").count());
    assert_eq!(page.matches("<table>").count(), page.matches("<caption>").count());
}

#[test]
fn an_empty_bundle_is_a_page_too() {
    let page = page([]);
    assert!(page.contains("No measurements"), "{page}");
}

#[test]
fn a_machine_that_was_expected_and_is_not_there_is_named_first() {
    let mut own = Bundle::default();
    own.add(run("GPU", [20, 10]), &study::bundle::Aliases::given("node1"));
    let expected = ["node1", "node<2>"].map(str::to_owned);
    let missing = own.without(&expected);
    assert_eq!(missing, ["node<2>"]);
    let text = html_without(&own, &missing).expect("a page");
    let head = between(&text, "<main>", "<h2");
    assert!(head.contains("<p class=\"banner\">node&lt;2&gt;: no bundle."), "{head}");
    assert!(!page([own]).contains("class=\"banner\""));
}

#[test]
fn experiments_stand_beside_their_steps() {
    let mut own = Bundle::default();
    own.add(run_with_experiments("GPU", [20, 10]), &study::bundle::Aliases::default());
    let text = page([own.clone()]);
    let counts = between(&text, "<caption>Steps by how far they are explained</caption>", "</table>");
    // One step, explained, by an experiment, with a refuted reason.
    let cells: Vec<&str> = counts.split("<td class=\"number\">").skip(1).filter_map(|cell| cell.split('<').next()).collect();
    assert_eq!(cells, ["1", "1", "0", "1", "0", "0", "0", "1", "0"], "{counts}");
    let steps = between(&text, "<caption>Steps with their experiments</caption>", "</table>");
    for part in [
        "Mali-T600 Laplace: 1 Original → 2 Vectorize<br>96 × 96",
        "<td>experiment</td>",
        "Refuted here: There are fewer loads: 27 → 1.8 per pixel<br>Experiment: The saved loads done again, from the same places: refuted<br>",
        "If the explanation is true, ",
        "With the saved loads done again: 0.900× (0.875–0.925); 25 % of the difference (13 to 38)<br>",
        "Confirmed here by an experiment: There is less arithmetic: 40 → 20 operations per pixel<br>",
    ] {
        assert!(steps.contains(part), "{part} is not in {steps}");
    }
    // Beside the claim stands the reason with what the experiment makes of it.
    let why = between(&text, "Why on Example platform on GPU", "</details>");
    assert!(why.contains("<dd>Refuted here: There are fewer loads") && why.contains("<dd>Confirmed here by an experiment: "), "{why}");
    // In Chinese it is the same page with other words, and without experiments there is no such section.
    let chinese = base::texts::in_language(base::texts::Language::Chinese, || page([own]));
    assert!(chinese.contains("id=\"experiments\"") && !chinese.contains("Refuted here"), "{chinese}");
    assert!(!page([bundle("GPU", [20, 10])]).contains("id=\"experiments\""));
}
