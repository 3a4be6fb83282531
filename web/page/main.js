// The choice of the screen.

import { keepOf, parts } from './address.js';
import { boardPart, boardShown, enterBoard, instances } from './board.js';
import { countPart, countTitle, enterCount, whenTitled } from './count.js';
import { find, set, setText } from './dom.js';
import { Instance, whenTroubled } from './library.js';
import { patience, pool } from './pool.js';
import { languageShown, setLanguage, text, texts, translated } from './texts.js';
import { enterWatch, watchPart } from './watch.js';
import { enterWhy, storyShown, whyPart } from './why.js';

const screens = {
  board: [enterBoard, boardPart], watch: [enterWatch, watchPart], count: [enterCount, countPart], why: [enterWhy, whyPart],
};
let chosen = 'board';

function show() {
  const address = parts();
  chosen = Object.hasOwn(screens, address.screen) ? address.screen : 'board';
  setLanguage(address.lang);
  for (const each of Object.keys(screens)) {
    find(`#screen-${each}`).hidden = each !== chosen;
    set(find(`nav [href="#${each}"]`), { 'aria-current': each === chosen ? 'page' : null });
  }
  const [enter, part] = screens[chosen];
  enter(address[chosen], address);
  keepOf(part, languageShown);
  entitle();
}

function entitle() {
  document.title = [countTitle(), text(chosen), text('title')].filter(Boolean).join(' – ');
}

let trouble = null;
function renderTrouble() {
  find('#broken').hidden = !trouble;
  setText(find('#broken'), trouble ? text(...trouble) : '');
}

/** Shows a trouble on every screen; null clears it. */
function say(wrong) {
  trouble = wrong;
  renderTrouble();
}

for (const name of ['error', 'unhandledrejection']) {
  addEventListener(name, ({ message, reason }) => say(['wrong', { message: reason?.message ?? message }]));
}
addEventListener('hashchange', show);
find('.skip').addEventListener('click', (event) => {
  event.preventDefault(); // the address names a screen, not an element
  find('#main').focus();
});
setText(find('#licenses'), JSON.parse(find('#license-texts').textContent));
whenTroubled(say);
show();
whenTitled(entitle);
translated(() => {
  renderTrouble();
  keepOf(screens[chosen][1], languageShown);
  entitle();
});
// From here on the page speaks for itself.
find('#blocked')?.remove(); // a copy that the browser saved has it no longer
for (const part of document.querySelectorAll('header, main, footer')) part.hidden = false;
// The tests use these.
window.page = { boardShown, storyShown, Instance, instances, languageShown, patience, pool, setLanguage, texts };
