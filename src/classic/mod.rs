//! For people who learn and teach: the textbook methods, and a search step by step.
//!
//! | to | use |
//! |---|---|
//! | write down a solution of a huge board, and check it | [`construct`], [`is_solution`] |
//! | run a textbook method and see what it costs | [`Method`], [`Effort`] |
//! | follow a search step by step | [`Trace`], [`Step`], [`Position`], [`Line`] |
//!
//! Nothing here is fast. For a fast count, use [`Job`](crate::Job).

mod construction;
mod cost;
mod heat_map;
mod picture;
mod player;
mod position;
mod step;
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
#[doc(hidden)]
pub use picture::Picture;
#[doc(hidden)]
pub use player::player_page;
pub use position::Position;
pub use step::Step;
pub use textbook::{Effort, Listener, Method, MethodError};
pub use trace::Trace;
