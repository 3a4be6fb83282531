// The address has the screen, what it shows and the language, so that a link and a reload show the same.

let known; // the part of the address after # that was read or written last

/** The parts of the address: `#watch=6&step=57&lang=ja` has { screen: 'watch', watch: '6', step: '57', lang: 'ja' }. */
export function parts() {
  known = location.hash;
  let written = known.slice(1);
  try {
    written = decodeURIComponent(written);
  } catch { /* a % without what belongs to it: it stays, and no board has one */ }
  const pairs = written.split('&').map((pair) => /^(\w+)(?:=(.*))?$/.exec(pair) ?? []).map(([, name, value]) => [name, value]);
  return { ...Object.fromEntries(pairs), screen: pairs[0][0] };
}

let shown = { part: () => '' }; // by a screen: `part` returns what the address has of it, `kept` is what it has now
let language = () => '';
let resting = null; // until the page rests, since browsers limit how often an address may change

export const link = () => `${location.href.split('#')[0]}#${shown.part()}&lang=${language()}`;

/** Keeps what is shown in the address, when it rests. */
export function keep() {
  clearTimeout(resting);
  resting = setTimeout(() => {
    if (location.hash !== known) return; // another address was chosen, which is shown in a moment
    shown.kept = shown.part();
    try {
      history.replaceState(null, '', link());
      known = location.hash;
    } catch { /* a frame whose address may not change */ }
  }, 150);
}

/** The screen whose part the address has from now on. */
export function keepOf(screen, languageShown) {
  [shown, language] = [screen, languageShown];
  keep();
}
