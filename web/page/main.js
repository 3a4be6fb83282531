// Which screen is shown.

import { boardShown, enterBoard } from './board.js';
import { enterCount } from './count.js';
import { find, set, setText } from './dom.js';
import { compiled, Instance } from './library.js';
import { pool } from './pool.js';
import { languageShown, setLanguage, text, translated } from './texts.js';
import { enterWatch } from './watch.js';
import { enterWhy } from './why.js';

const screens = { board: enterBoard, watch: enterWatch, count: enterCount, why: enterWhy };

function show() {
  const [, name, written] = /^#(\w+)(?:=(.*))?$/.exec(location.hash) ?? [];
  if (name === 'main') return; // the link that skips the head
  const chosen = Object.hasOwn(screens, name) ? name : 'board';
  for (const each of Object.keys(screens)) {
    find(`#screen-${each}`).hidden = each !== chosen;
    set(find(`nav [href="#${each}"]`), { 'aria-current': each === chosen ? 'page' : null });
  }
  screens[chosen](written);
}

addEventListener('hashchange', show);
show();
compiled().catch(({ message }) => {
  const broken = find('#broken');
  broken.hidden = false;
  translated(() => setText(broken, text('broken', { message })));
});
// For tests.
window.page = { boardShown, Instance, languageShown, pool, setLanguage };
