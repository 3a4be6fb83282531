//! For people who learn and teach: the textbook methods, a search step by step, and the shape of the backtracking tree.
//!
//! | to | use |
//! |---|---|
//! | write down a solution of a huge board, and check it | [`construct`], [`is_solution`] |
//! | run a textbook method and see what it costs | [`Method`], [`Effort`] |
//! | follow a search step by step | [`Trace`], [`Step`], [`Position`], [`Line`] |
//! | count the nodes of the backtracking tree | [`nodes_per_row()`] |
//!
//! Nothing here is fast. For a fast count, use [`Job`](crate::Job).

mod construction;
mod cost;
mod heat_map;
mod nodes_per_row;
mod picture;
mod player;
mod position;
mod textbook;
mod trace;

pub use crate::board::Line;
#[doc(hidden)]
pub use construction::constructed;
pub use construction::{construct, is_solution};
#[doc(hidden)]
pub use cost::{Contestant, Measurement, Outcome};
#[doc(hidden)]
pub use heat_map::heat_map;
pub use nodes_per_row::nodes_per_row;
#[doc(hidden)]
pub use picture::Picture;
#[doc(hidden)]
pub use player::player_page;
pub use position::Position;
pub use textbook::Listener;
pub use textbook::{Effort, Method, MethodError};
pub use trace::{Step, Trace};
