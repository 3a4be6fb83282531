// Which screen is shown.

import { boardShown, enterBoard, instances } from './board.js';
import { enterCount } from './count.js';
import { find, set, setText } from './dom.js';
import { compiled, Instance } from './library.js';
import { patience, pool } from './pool.js';
import { languageShown, setLanguage, text, translated } from './texts.js';
import { enterWatch } from './watch.js';
import { enterWhy } from './why.js';

const screens = { board: enterBoard, watch: enterWatch, count: enterCount, why: enterWhy };

function show() {
  const [, name, written] = /^#(\w+)(?:=(.*))?$/.exec(location.hash) ?? [];
  const chosen = Object.hasOwn(screens, name) ? name : 'board';
  for (const each of Object.keys(screens)) {
    find(`#screen-${each}`).hidden = each !== chosen;
    set(find(`nav [href="#${each}"]`), { 'aria-current': each === chosen ? 'page' : null });
  }
  screens[chosen](written);
}

addEventListener('hashchange', show);
find('.skip').addEventListener('click', (event) => {
  event.preventDefault(); // the address is that of a screen
  find('#main').focus();
});
setText(find('#licenses'), JSON.parse(find('#license-texts').textContent));
show();
compiled().catch(({ message }) => {
  const broken = find('#broken');
  broken.hidden = false;
  translated(() => setText(broken, text('broken', { message })));
});
// For tests.
window.page = { boardShown, Instance, instances, languageShown, patience, pool, setLanguage };
