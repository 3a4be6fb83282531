// Programs that are shown, in a language that the reader chooses.

import { find, make, set, setText } from './dom.js';
import { text, translated } from './texts.js';

const examples = JSON.parse(find('#examples').textContent);
const shown = []; // functions that show a program in the language chosen

let language = 'Python';

/** Shows a program of `examples/`, with a button for each language. */
export function showProgram(parent, name) {
  const buttons = make(parent, 'div', { class: 'tools', role: 'group' });
  const code = make(make(parent, 'pre', { tabindex: 0 }), 'code');
  const programs = examples[name];
  const each = Object.keys(programs).map((program) => {
    const button = make(buttons, 'button', { type: 'button' }, program);
    button.addEventListener('click', () => {
      language = program;
      shown.forEach((show) => show());
    });
    return button;
  });
  const show = () => {
    const chosen = Object.hasOwn(programs, language) ? language : 'Python';
    for (const button of each) set(button, { 'aria-pressed': button.textContent === chosen });
    setText(code, programs[chosen].trim());
    set(code.parentElement, { 'aria-label': text('program', { language: chosen }) });
    set(buttons, { 'aria-label': text('programLanguage') });
  };
  shown.push(show);
  translated(show);
}
