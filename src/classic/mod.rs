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
pub use construction::{construct, is_solution};
pub use position::Position;
pub use step::Step;
pub use textbook::{Effort, Method};
pub use trace::Trace;

// The program and Python draw and compare what is shown here.
#[doc(hidden)]
pub use self::{
    cost::{Contestant, Measurement, Outcome},
    heat_map::heat_map,
    picture::Picture,
    player::player_page,
};
