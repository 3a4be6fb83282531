//! The terminal on which a trace is played: its screen and its keys.

use crate::app::trace::picture::TextLine;
use console::{Key, Term};
#[cfg(unix)]
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use std::io::{self, Write, stdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// The alternate screen of the terminal, with keys that are not echoed. The terminal goes back to its own screen when
/// this is dropped.
pub(super) struct Screen {
    /// The settings of the terminal before. A thread that waits for a key has others.
    #[cfg(unix)]
    settings: Termios,
    /// Asks a thread to wait for a key. It waits for no other: it changes the settings of the terminal meanwhile, and
    /// nobody could change them back.
    asking: Sender<()>,
    keys: Receiver<io::Result<Key>>,
    is_asked: bool,
}

impl Screen {
    pub(super) fn open() -> io::Result<Self> {
        let ((asking, asked), (answering, keys)) = (channel(), channel());
        let read = move || while asked.recv().is_ok() && answering.send(Term::stdout().read_key()).is_ok() {};
        thread::Builder::new().name("keys".to_owned()).spawn(read)?;
        let screen = Self {
            #[cfg(unix)]
            settings: tcgetattr(io::stdin())?,
            asking,
            keys,
            is_asked: false,
        };
        #[cfg(unix)]
        {
            let mut settings = screen.settings.clone();
            // Ctrl-C waits to be read, too, like any key that is pressed while none is waited for.
            settings.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
            tcsetattr(io::stdin(), OptionalActions::Drain, &settings)?;
        }
        // Asked this, a console of Windows begins to heed escape sequences.
        let _ = Term::stdout().features().colors_supported();
        write("\x1b[?1049h\x1b[?25l")?;
        Ok(screen)
    }

    /// Returns the number of characters in a line.
    pub(super) fn width() -> usize {
        Term::stdout().size().1.into()
    }

    /// Draws a picture. Its last line stays where the screen is too low for all; then it is `instead`.
    pub(super) fn draw(picture: &[TextLine], instead: &TextLine) -> io::Result<()> {
        let (height, width) = Term::stdout().size();
        let room = usize::from(height).saturating_sub(1);
        let (last, rest) = picture.split_last().expect("a picture has lines");
        let last = if rest.len() <= room { last } else { instead };
        let lines: Vec<String> = rest
            .iter()
            .take(room)
            .chain([last])
            .map(|line| "\x1b[2K".to_owned() + &line.styled(width.into()))
            .collect();
        write(&format!("\x1b[H{}\x1b[J", lines.join("\r\n")))
    }

    /// Waits for a key, at most this long.
    pub(super) fn key(&mut self, most: Duration) -> io::Result<Option<Key>> {
        if !self.is_asked {
            self.is_asked = self.asking.send(()).is_ok();
        }
        match self.keys.recv_timeout(most) {
            Ok(key) => {
                self.is_asked = false;
                key.map(Some)
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A terminal that is gone needs no restoring.
        let _ = write("\x1b[?25h\x1b[?1049l");
        #[cfg(unix)]
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.settings);
    }
}

fn write(text: &str) -> io::Result<()> {
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    out.flush()
}
