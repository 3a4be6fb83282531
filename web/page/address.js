// The address holds the screen, its state and the language, so that a link or a reload shows the same.

let known; // the part of the address after #, as last read or written

/** The parts of the address: `#watch=6&step=57&lang=ja` gives { screen: 'watch', watch: '6', step: '57', lang: 'ja' }. */
export function parts() {
  known = location.hash;
  let written = known.slice(1);
  try {
    written = decodeURIComponent(written);
  } catch { /* a % without what belongs to it: it stays, and no board has one */ }
  const pairs = written.split('&').map((pair) => /^(\w+)(?:=(.*))?$/.exec(pair) ?? []).map(([, name, value]) => [name, value]);
  return { ...Object.fromEntries(pairs), screen: pairs[0][0] };
}

let shown = { part: () => '' }; // of a screen: `part` returns its part of the address, `kept` is the part kept last
let language = () => '';
let resting = null; // a timer until the page rests: browsers limit how often an address may change

export const link = () => `${location.href.split('#')[0]}#${shown.part()}&lang=${language()}`;

/** Writes the state shown into the address, once the page rests. */
export function keep() {
  clearTimeout(resting);
  resting = setTimeout(() => {
    if (location.hash !== known) return; // another address was chosen, and will be shown in a moment
    shown.kept = shown.part();
    try {
      history.replaceState(null, '', link());
      known = location.hash;
    } catch { /* a frame whose address may not change */ }
  }, 150);
}

/** Chooses the screen whose part the address has from now on. */
export function keepOf(screen, languageShown) {
  [shown, language] = [screen, languageShown];
  keep();
}
