//! The panels as tiles that a person drags, resizes and stacks. The arrangement itself is data of the state's; the tree here is drawn from it, and
//! what a person does to the tree becomes an action.

use super::action::{Action, Command};
use super::labels;
use super::panes::{Pane, Panels};
use super::state::State;
use super::theme::{accent, enlarge, space};
use super::widgets::{command_button, menu};
use super::workspace::{Arrangement, Part, Workspace};
use base::texts::text;
use egui::{Color32, Response, Stroke, StrokeKind, Style, TextStyle, Ui, UiBuilder, Visuals, WidgetText, vec2};
use egui_tiles::{
    Behavior, Container, EditAction, Linear, LinearDir, SimplificationOptions, TabState, Tabs, Tile, TileId, Tiles as TileMap, Tree,
    UiResponse,
};

/// What is drawn between frames: the tree, and what it was made from.
pub struct Tiles {
    shown: Option<(Workspace, Arrangement)>,
    /// The number of the panel that was brought in front last.
    fronted: Option<u64>,
    tree: Tree<Pane>,
}

impl Default for Tiles {
    fn default() -> Self {
        Self { shown: None, fronted: None, tree: Tree::empty(egui::Id::unique("tiles")) }
    }
}

/// A tile smaller than this, in points, is not drawn.
const LEAST_POINTS: f32 = 48.0;

/// Height of the bar of tabs, and of a control in it, in points.
const TAB_BAR_POINTS: f32 = 30.0;
const BAR_CONTROL_POINTS: f32 = 24.0;

/// Points from a tile's edge to its panel.
const MARGIN: egui::Vec2 = vec2(10.0, 6.0);

/// Draws the tiles into all of `ui`.
pub fn tiles_ui(ui: &mut Ui, tiles: &mut Tiles, panels: &mut Panels, state: &State, actions: &mut Vec<Action>) {
    let workspaces = &state.settings.workspaces;
    let mut wanted = (workspaces.now, workspaces.arrangement(ui.ctx().content_rect().width()));
    if let Some((number, pane)) = state.front.filter(|(number, _)| tiles.fronted != Some(*number)) {
        tiles.fronted = Some(number);
        wanted.1.show(pane, true);
        actions.push(Action::Arrange(wanted.0, wanted.1.clone()));
    }
    if tiles.shown.as_ref() != Some(&wanted) {
        tiles.tree = tree_of(&wanted.1);
        tiles.shown = Some(wanted.clone());
    }
    let (workspace, mut arrangement) = wanted;
    if Pane::all().iter().all(|pane| arrangement.hidden.contains(pane)) {
        ui.centered_and_justified(|ui| ui.weak(text("window.tiles.all-hidden")));
        return;
    }
    let mut drawing = Drawing { panels, state, actions, type_scale: workspace.type_scale(), is_edited: false, hide: None };
    tiles.tree.ui(&mut drawing, ui);
    let (is_edited, hide) = (drawing.is_edited, drawing.hide);
    if let Some(root) = tiles.tree.root().filter(|_| is_edited).and_then(|root| part_of(&tiles.tree.tiles, root)) {
        arrangement.root = root;
    }
    if is_edited {
        // The tree shows this already.
        tiles.shown = Some((workspace, arrangement.clone()));
    }
    if let Some(pane) = hide {
        arrangement.show(pane, false);
    }
    if is_edited || hide.is_some() {
        actions.push(Action::Arrange(workspace, arrangement));
    }
}

fn tree_of(arrangement: &Arrangement) -> Tree<Pane> {
    let mut tiles = TileMap::default();
    // Panes first and in order: each has the same id in every arrangement, and with it its scroll position and focus.
    let ids: Vec<_> = Pane::all().iter().map(|&pane| (pane, tiles.insert_pane(pane))).collect();
    for (pane, id) in &ids {
        tiles.set_visible(*id, !arrangement.hidden.contains(pane));
    }
    let root = insert(&mut tiles, &ids, &arrangement.root);
    let id = egui::Id::unique("tiles");
    root.map_or_else(|| Tree::empty(id), |root| Tree::new(id, root, tiles))
}

fn insert(tiles: &mut TileMap<Pane>, ids: &[(Pane, TileId)], part: &Part) -> Option<TileId> {
    match part {
        Part::Pane(pane) => ids.iter().find(|(known, _)| known == pane).map(|(_, id)| *id),
        Part::Tabs { tabs, front } => {
            let children: Vec<_> = tabs.iter().filter_map(|part| insert(tiles, ids, part)).collect();
            let active = children.get(*front).copied();
            Some(tiles.insert_container(Tabs { children, active }))
        }
        Part::Row(parts) => Some(insert_linear(tiles, ids, LinearDir::Horizontal, parts)),
        Part::Column(parts) => Some(insert_linear(tiles, ids, LinearDir::Vertical, parts)),
    }
}

fn insert_linear(tiles: &mut TileMap<Pane>, ids: &[(Pane, TileId)], dir: LinearDir, parts: &[(f32, Part)]) -> TileId {
    let children: Vec<_> = parts.iter().filter_map(|(share, part)| Some((*share, insert(tiles, ids, part)?))).collect();
    let mut linear = Linear::new(dir, children.iter().map(|(_, id)| *id).collect());
    for (share, id) in children {
        linear.shares.set_share(id, share);
    }
    tiles.insert_container(linear)
}

/// What the tree has become, as data.
fn part_of(tiles: &TileMap<Pane>, id: TileId) -> Option<Part> {
    Some(match tiles.get(id)? {
        Tile::Pane(pane) => Part::Pane(*pane),
        Tile::Container(Container::Tabs(container)) => Part::Tabs {
            tabs: container.children.iter().filter_map(|child| part_of(tiles, *child)).collect(),
            front: container.children.iter().position(|child| Some(*child) == container.active).unwrap_or(0),
        },
        Tile::Container(Container::Linear(linear)) => {
            let parts = linear.children.iter().filter_map(|child| Some((linear.shares[*child], part_of(tiles, *child)?))).collect();
            if linear.dir == LinearDir::Horizontal { Part::Row(parts) } else { Part::Column(parts) }
        }
        // No arrangement has a grid, and dropping tiles makes none.
        Tile::Container(grid) => Part::Row(grid.children().filter_map(|child| Some((1.0, part_of(tiles, *child)?))).collect()),
    })
}

/// All panels in a tile, in order.
fn panes_in(tiles: &TileMap<Pane>, id: TileId) -> Vec<Pane> {
    match tiles.get(id) {
        Some(Tile::Pane(pane)) => vec![*pane],
        Some(Tile::Container(container)) => container.children().flat_map(|child| panes_in(tiles, *child)).collect(),
        None => Vec::new(),
    }
}

/// What one frame draws with, and what came of it.
struct Drawing<'a> {
    panels: &'a mut Panels,
    state: &'a State,
    actions: &'a mut Vec<Action>,
    type_scale: f32,
    is_edited: bool,
    hide: Option<Pane>,
}

impl Behavior<Pane> for Drawing<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, pane: &mut Pane) -> UiResponse {
        let rect = ui.max_rect();
        if rect.width() >= LEAST_POINTS && rect.height() >= LEAST_POINTS {
            let rect = rect.shrink2(MARGIN);
            // A panel that wants more than its tile is cut at the tile's edge.
            let mut inner = ui.new_child(UiBuilder::new().max_rect(rect));
            inner.shrink_clip_rect(rect.expand(4.0));
            enlarge(inner.style_mut(), self.type_scale);
            pane.draw(&mut inner, self.panels, self.state, self.actions);
        }
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> WidgetText {
        pane.title().into()
    }

    fn tab_title_for_tile(&mut self, tiles: &TileMap<Pane>, id: TileId) -> WidgetText {
        panes_in(tiles, id).into_iter().map(Pane::title).collect::<Vec<_>>().join(" + ").into()
    }

    fn on_tab_button(&mut self, tiles: &mut TileMap<Pane>, id: TileId, response: Response) -> Response {
        if response.has_focus() {
            let stroke = Stroke::new(2.0, accent(response.ctx.theme() == egui::Theme::Dark));
            response.ctx.layer_painter(response.layer_id).rect_stroke(response.rect.shrink(1.0), 4.0, stroke, StrokeKind::Inside);
        }
        if let Some(&pane) = tiles.get_pane(&id) {
            response.context_menu(|ui| {
                if ui.button(format!("{} {}", labels::hide(), pane.title())).clicked() {
                    self.hide = Some(pane);
                    ui.close();
                }
            });
        }
        response.on_hover_text(text("window.tiles.drag"))
    }

    fn top_bar_right_ui(&mut self, tiles: &TileMap<Pane>, ui: &mut Ui, _: TileId, tabs: &Tabs, _: &mut f32) {
        let panes: Vec<Pane> =
            tabs.children.iter().filter(|child| tiles.is_visible(**child)).flat_map(|child| panes_in(tiles, *child)).collect();
        let commands: Vec<Command> = panes.iter().flat_map(|pane| pane.commands().iter().copied()).collect();
        if commands.is_empty() {
            return;
        }
        ui.spacing_mut().interact_size.y = BAR_CONTROL_POINTS;
        ui.spacing_mut().button_padding.y = 1.0;
        let width = |ui: &Ui, texts: &mut dyn Iterator<Item = &'static str>| -> f32 {
            let font = TextStyle::Button.resolve(ui.style());
            let text = |text: &str| ui.painter().layout_no_wrap(text.to_owned(), font.clone(), Color32::PLACEHOLDER).size().x;
            texts.map(|name| text(name) + 2.0 * ui.spacing().button_padding.x + ui.spacing().item_spacing.x).sum()
        };
        let buttons = width(ui, &mut commands.iter().map(|command| command.text().label));
        let titles = width(ui, &mut panes.iter().map(|pane| pane.title()));
        ui.add_space(space::SMALL);
        if buttons + titles <= ui.available_width() {
            // From right to left.
            for command in commands.into_iter().rev() {
                command_button(ui, self.state, command, false, self.actions);
            }
        } else {
            menu(ui, labels::measure_menu(), labels::measure_menu(), 92.0, |ui| {
                for command in commands {
                    command_button(ui, self.state, command, true, self.actions);
                }
            });
        }
    }

    fn tab_bar_height(&self, _: &Style) -> f32 {
        TAB_BAR_POINTS
    }

    fn gap_width(&self, _: &Style) -> f32 {
        3.0
    }

    fn min_size(&self) -> f32 {
        120.0
    }

    fn tab_bar_color(&self, visuals: &Visuals) -> Color32 {
        visuals.widgets.noninteractive.bg_stroke.color.gamma_multiply(0.6)
    }

    fn simplification_options(&self) -> SimplificationOptions {
        // Each panel keeps its tab: that says its name, and is what it is dragged by.
        SimplificationOptions { all_panes_must_have_tabs: true, flatten_tabs_in_tabs: true, ..SimplificationOptions::default() }
    }

    fn is_tile_draggable(&self, tiles: &TileMap<Pane>, id: TileId) -> bool {
        tiles.get_pane(&id).is_some()
    }

    fn tab_text_color(&self, visuals: &Visuals, _: &TileMap<Pane>, _: TileId, tab: &TabState) -> Color32 {
        if tab.active { visuals.widgets.active.text_color() } else { visuals.weak_text_color() }
    }

    fn on_edit(&mut self, edit: EditAction) {
        self.is_edited |= edit != EditAction::TileDragged;
    }
}
