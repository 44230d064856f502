//! Add on the CPU: adds what is positive and subtracts what is negative. Both saturate in one instruction, and one of them changes nothing.

use crate::cpu::pointwise::Pointwise;

/// The arithmetic.
pub struct Added {
    plus: u8,
    minus: u8,
}

impl Added {
    /// With an amount of −255 to 255.
    pub fn new(amount: i32) -> Self {
        Self { plus: amount.clamp(0, 255) as u8, minus: (-amount).clamp(0, 255) as u8 }
    }
}

impl Pointwise<1> for Added {
    #[inline(always)]
    fn byte(&self, [byte]: [u8; 1]) -> u8 {
        byte.saturating_add(self.plus).saturating_sub(self.minus)
    }
}
