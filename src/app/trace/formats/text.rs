//! A numbered line for each step.

use super::NumberedStep;
use crate::Board;
use crate::app::output::document::Format;

pub(super) struct Text(pub(super) Board);

impl Format<NumberedStep> for Text {
    fn item(&mut self, &NumberedStep { number, step }: &NumberedStep) -> String {
        format!("{number:>4}  {:<9}  {}\n", step.kind(), step.describe(self.0))
    }
}
