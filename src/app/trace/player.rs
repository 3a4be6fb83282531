//! Plays a trace on the terminal, in place, under the control of keys.

use crate::app::failure::Failure;
use crate::app::output::file;
use crate::app::output::words::{grouped, plural, wrapped};
use crate::app::trace::picture::{BAD, FAINT, GOOD, PLAIN, TextLine, TextPicture};
use crate::app::trace::screen::Screen;
use console::Key;
use nqueens::classic::{Position, Step};
use nqueens::{Board, Cancel};
use std::io;
use std::time::{Duration, Instant};

/// The speeds, in steps a second.
const SPEEDS: [u32; 8] = [1, 2, 5, 10, 20, 50, 200, 1000];
/// The index of the speed at the start, which is slow enough to follow.
const FIRST_SPEED: usize = 1;
/// The longest time between two looks for a signal.
const BEAT: Duration = Duration::from_millis(50);
/// The shortest time between two pictures.
const FRAME: Duration = Duration::from_millis(16);

/// Plays the steps until a key ends it, and leaves the last picture on the screen. `is_complete` is false if the search
/// goes on after them.
pub(super) fn play(board: Board, steps: &[Step], is_complete: bool, cancel: &Cancel) -> Result<(), Failure> {
    let position = Position::new(board);
    let mut player =
        Player { steps, is_complete, position, done: 0, is_playing: true, typed: String::new(), speed: FIRST_SPEED };
    let mut screen = Screen::open().map_err(|error| Failure::writing(&error))?;
    let ended = player.run(&mut screen, cancel);
    drop(screen);
    // A terminal that hangs up sends a signal and cannot be written to. The signal is the cause.
    if cancel.is_cancelled() {
        return Err(Failure::Cancelled(format!("stopped at step {} of {}", player.done, steps.len())));
    }
    ended.map_err(|error| Failure::writing(&error))?;
    let mut last = player.picture(Screen::width());
    // The keys are of no use any more.
    last.pop();
    let last: Vec<String> = last.iter().map(TextLine::text).collect();
    file::print((last.join("\n").trim_end().to_owned() + "\n").as_bytes())
}

const KEYS: &str = "q quit  space play  \u{2192} \u{2190} step  s solution  b backtrack  12g step 12  + - speed";

/// The most digits of the number of a step that is typed.
const MOST_DIGITS: usize = 9;

/// A trace that is played.
struct Player<'a> {
    steps: &'a [Step],
    is_complete: bool,
    position: Position,
    /// The number of steps made.
    done: usize,
    is_playing: bool,
    /// The digits typed so far of the number of a step.
    typed: String,
    /// An index into [`SPEEDS`].
    speed: usize,
}

impl Player<'_> {
    fn run(&mut self, screen: &mut Screen, cancel: &Cancel) -> io::Result<()> {
        let mut due = Instant::now() + self.interval();
        while !cancel.is_cancelled() {
            let picture = self.picture(Screen::width());
            let too_low = TextLine::plain(format!("(too low for all {} lines)   {KEYS}", picture.len()));
            Screen::draw(&picture, &too_low)?;
            let wait = if self.is_playing { due.saturating_duration_since(Instant::now()) } else { BEAT };
            match screen.key(wait.clamp(FRAME, BEAT)) {
                Ok(None) => {}
                Ok(Some(Key::Escape | Key::Char('q' | 'Q'))) => return Ok(()),
                Ok(Some(key)) => {
                    self.press(&key);
                    due = Instant::now() + self.interval();
                }
                // Ctrl-C, which sends the signal on Unix.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                    if cfg!(not(unix)) {
                        cancel.cancel();
                    }
                }
                Err(error) => return Err(error),
            }
            while self.is_playing && due <= Instant::now() {
                self.go_to(self.done + 1);
                self.is_playing = self.done < self.steps.len();
                due += self.interval();
            }
        }
        Ok(())
    }

    fn interval(&self) -> Duration {
        Duration::from_secs(1) / SPEEDS[self.speed]
    }

    /// Does what a key asks for.
    fn press(&mut self, key: &Key) {
        let typed = std::mem::take(&mut self.typed);
        let stop_at = match *key {
            Key::Char(digit) if digit.is_ascii_digit() => {
                self.is_playing = false;
                self.typed = typed;
                if self.typed.len() < MOST_DIGITS {
                    self.typed.push(digit);
                }
                return;
            }
            Key::Enter | Key::Char('g') if !typed.is_empty() => typed.parse().unwrap_or(usize::MAX),
            Key::Char('s') => self.next(|step| matches!(step, Step::Solution { .. })),
            Key::Char('b') => self.next(|step| matches!(step, Step::Backtrack { .. })),
            Key::ArrowRight | Key::Enter | Key::Char('n' | 'l') => self.done + 1,
            Key::ArrowLeft | Key::Backspace | Key::Char('h') => self.done.saturating_sub(1),
            Key::Home | Key::Char('g') => 0,
            Key::End | Key::Char('G') => self.steps.len(),
            Key::ArrowUp | Key::Char('+' | '=') => {
                self.speed = (self.speed + 1).min(SPEEDS.len() - 1);
                return;
            }
            Key::ArrowDown | Key::Char('-' | '_') => {
                self.speed = self.speed.saturating_sub(1);
                return;
            }
            Key::Char(' ' | 'p' | 'k') => {
                if self.done == self.steps.len() {
                    self.go_to(0);
                }
                self.is_playing = !self.is_playing;
                return;
            }
            _ => return,
        };
        self.is_playing = false;
        self.go_to(stop_at);
    }

    /// Makes or takes back steps until this many are made, or all.
    fn go_to(&mut self, done: usize) {
        let done = done.min(self.steps.len());
        self.steps.iter().take(done).skip(self.done).for_each(|step| self.position.apply(step));
        self.steps[done..self.done.max(done)].iter().rev().for_each(|step| self.position.undo(step));
        self.done = done;
    }

    /// Returns the number of steps made after the next step of a kind, or that of all if there is none.
    fn next(&self, is_wanted: impl Fn(&Step) -> bool) -> usize {
        let next = self.steps[self.done..].iter().position(is_wanted);
        next.map_or(self.steps.len(), |next| self.done + next + 1)
    }

    /// Returns the last step made.
    fn step(&self) -> Option<&Step> {
        self.done.checked_sub(1).map(|last| &self.steps[last])
    }

    /// Returns the picture for a screen of this width.
    fn picture(&self, width: usize) -> Vec<TextLine> {
        let board = self.position.board();
        let state = match (self.is_playing, self.done == self.steps.len(), self.is_complete) {
            _ if !self.typed.is_empty() => format!("press g to go to step {}", self.typed),
            (true, ..) => format!("playing, {} a second", plural(SPEEDS[self.speed], "step")),
            (false, false, _) => format!("paused, {} a second when played", plural(SPEEDS[self.speed], "step")),
            (false, true, true) => "the end".to_owned(),
            (false, true, false) => "cut here, the search goes on (see --limit)".to_owned(),
        };
        let (done, all) = (grouped(self.done as u64), grouped(self.steps.len() as u64));
        let [first, second] = self.sentence(width);
        let heading = TextLine::plain(format!("N = {board}   step {done} of {all}   {state}"));
        // The words come before the board, so that a screen that is too low for it shows them.
        let mut lines = vec![heading, first, second];
        let picture = TextPicture { position: &self.position, step: self.step() };
        lines.extend(picture.board());
        lines.push(TextLine::default());
        lines.extend(picture.arrays(width));
        lines.extend([TextLine::default(), TextLine(vec![(KEYS.to_owned(), FAINT)])]);
        lines
    }

    /// Returns a sentence for the last step, on one line or two.
    fn sentence(&self, width: usize) -> [TextLine; 2] {
        let Some(step) = self.step() else {
            return [TextLine::plain("The board is empty, and nothing is marked."), TextLine::default()];
        };
        let kind = step.kind();
        let look = if let Step::Conflict { .. } = step { BAD } else { GOOD };
        let sentence = format!("{kind}: {}", step.describe(self.position.board()));
        let lines = wrapped(&sentence, width.max(kind.len() + 1));
        let (first, second) = (lines[0][kind.len()..].to_owned(), lines[1..].join(" "));
        [TextLine(vec![(kind.to_owned(), look), (first, PLAIN)]), TextLine::plain(second)]
    }
}
