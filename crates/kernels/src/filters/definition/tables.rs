//! Tables: constant data that a definition computes.

use super::names::{INDEX, Names, Needs, Scope};
use super::read::{Reader, leaked};
use super::rows::{NumberRow, TableRow};
use crate::launch::{Shape, Table};
use base::expr::Expr;
use std::sync::Arc;

/// A table has no more values.
const MOST_VALUES: usize = 1 << 20;

/// What stands in a table.
enum Values {
    Each(Vec<Expr>),
    All { count: Expr, value: Expr },
}

impl Values {
    /// As kernels read them. OpenCL devices that this program meets have the host's byte order.
    fn bytes(&self, of: NumberRow, scope: &Scope) -> Vec<u8> {
        let values: Vec<f64> = match self {
            Self::Each(values) => values.iter().map(|value| scope.number(value)).collect(),
            Self::All { count, value } => (0..scope.whole(count).min(MOST_VALUES)).map(|index| scope.at(index, value)).collect(),
        };
        let values = values.into_iter();
        match of {
            NumberRow::Int => values.flat_map(|value| (value.round() as i32).to_ne_bytes()).collect(),
            NumberRow::Ushort => values.flat_map(|value| (value.round() as u16).to_ne_bytes()).collect(),
            NumberRow::Float => values.flat_map(|value| (value as f32).to_ne_bytes()).collect(),
        }
    }
}

impl Reader<'_> {
    pub fn table(&mut self, row: &TableRow, names: &Arc<Names>) -> Option<Table> {
        let known = names.where_known(Needs::ALL);
        let values = match (row.values.as_slice(), &row.count, &row.value) {
            ([], Some(count), Some(value)) => {
                let with_index: Vec<String> = known.iter().cloned().chain([INDEX.to_owned()]).collect();
                Values::All { count: self.number(count, &known)?, value: self.number(value, &with_index)? }
            }
            ([_, ..], None, None) => Values::Each(row.values.iter().filter_map(|value| self.number(value, &known)).collect()),
            _ => {
                let name = row.name.get_ref();
                self.told(row.name.span().start, "catalog.fault.table", &[("name", name)], "catalog.fault.write-table");
                return None;
            }
        };
        let (of, names) = (row.of, Arc::clone(names));
        let bytes = move |shape: &Shape| values.bytes(of, &Scope::of_shape(&names, shape));
        Some(Table { name: leaked(row.name.get_ref()), of: Box::leak(Box::new(bytes)) })
    }
}
