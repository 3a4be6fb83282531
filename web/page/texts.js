// The texts of the page in its languages, and the language that is shown.

import { parts } from './address.js';
import { find, set, setText } from './dom.js';

const TEXTS = {
  en: {
    title: 'N queens', skip: 'To the content', screens: 'Screens', other: '日本語', otherLabel: '日本語で表示する',
    board: 'Board', watch: 'Watch', count: 'Count', why: 'Why it is fast',
    footer: 'Made from the library nqueens. Nothing is loaded or sent: this page works without a network.',
    licenses: 'Licenses: MIT or Apache-2.0, and those of the crates used',
    broken: 'This browser cannot run the page here: it needs WebAssembly with SIMD, DecompressionStream and workers (Chrome 111, Firefox 113, Safari 16.4 or later). Lockdown Mode of an iPhone, iPad or Mac and the security levels of some browsers switch them off. The server that this page came from may forbid them too: then save the page, and open it from disk. ({message})',
    silent: 'A worker of this page gives no answer yet. If this stays here, the browser has ended it, or does not let it run: reload the page, or close other tabs.',
    wrong: 'Something went wrong on this page: {message}. Reload it.',
    noPlayer: 'the frame with the board gives no answer',

    size: 'N', smaller: 'One less', larger: 'One more', tool: 'What a click does', place: 'Place a queen', block: 'Block a square',
    boardWords: 'Click on a square to place a queen, or to take it away.',
    show: 'Show a solution', next: 'Next solution', undo: 'Undo', clear: 'Clear', copyLink: 'Copy link', copyText: 'Copy as text',
    toCopy: 'Text to copy', copied: 'Copied.', copyYourself: 'Copy the text that is selected.',
    legendTint: 'so many solutions have a queen here', legendAttacked: 'attacked', legendBlocked: 'blocked', legendShown: 'queen of the solution shown',
    boardKeys: 'Keys: arrows move, Enter or Space places or takes away a queen, x blocks a square, n shows the next solution, u undoes.',
    boardLabel: 'Board of {size} rows and columns',
    square: 'row {row}, column {column}', isQueen: 'queen', isBlocked: 'blocked', isAttacked: 'attacked', isShown: 'queen of the solution shown',
    isFree: 'free', through: 'in {count} solutions', throughOne: 'in 1 solution',
    counting: 'counting …', searching: 'searching …', tooLong: 'This takes too long here: place more queens, or take a smaller board.',
    countedElsewhere: 'To count them here, go to {count}.',
    comma: ', ', one: 'solution', many: 'solutions', ofBoard: 'of the empty board', ofQueen: 'with this queen', ofQueens: 'with these queens', ofSquares: 'on this board', ofBlocked: 'without the blocked squares',
    published: 'as published (OEIS A000170)', contradicts: '{total} solutions, but {published} are published (OEIS A000170), so one of the numbers is wrong',
    disagree: 'two ways of counting disagree: {one} and {other}',
    wrongSquares: 'the numbers in the squares of {line} {index} do not add up to {total}',
    wrongSquare: '{square} has a number that cannot be',
    attackedBy: 'Row {row}, column {column} is attacked by the queen in row {otherRow}, column {otherColumn}, along the {line}.',
    lineRow: 'row', lineColumn: 'column', lineDiagonal: 'diagonal', lineAnti: 'anti-diagonal',
    noSolution: 'There is no solution.', lastShown: 'That was the last solution.', shown: 'Solution {number}: the columns are {columns}.',
    nothingToUndo: 'There is nothing to undo.', badLink: 'The link has no board that can be read.', linkAttacks: 'The link has no board: {words}',
    failed: 'The count failed: {message}.', notShown: 'The search cannot be shown: {message}.',

    watchHeading: 'The search, step by step', methodsHeading: 'What the methods of a course visit',
    methodsWords: 'Each method knows more than the one above it. The first ones visit complete candidates, those that backtrack visit nodes: placements of the first rows in which no queen attacks another.',
    logScale: 'Bars are on a logarithmic scale: each further tenfold is a step of the same length.',
    'brute-force': ['brute force', 'N of the N² squares'], 'one-per-row': ['one per row', 'a column for each row'],
    permutations: ['permutations', 'a different column for each row'], 'earlier-queens': ['earlier queens', 'backtracking, compares queens'],
    'flag-arrays': ['flag arrays', 'backtracking, three flags a square'], 'bit-masks': ['bit masks', 'backtracking, a row at once'],
    methodTwo: 'two-color', noteTwo: 'multiplies halves of boards', visitsNone: 'visits none of them',

    countHeading: 'Count all solutions', workers: 'Workers', engine: 'Engine', fastest: 'the fastest', start: 'Count', stop: 'Stop',
    progress: 'Progress', preparing: 'making the plan …', left: '{share} of the work is done, {time} left', startedCount: 'Counting N = {size}.',
    warning: 'From N = 21 on it takes minutes to hours in a browser, and much memory. The tab must stay open.', stopped: 'Stopped.',
    result: 'N = {size} has {total} solutions', resultOne: 'N = {size} has {total} solution', matches: '✓ equals the published number (OEIS A000170)',
    contradictsTotal: '✗ Error: contradicts the published number {published} (OEIS A000170). One of them is wrong.',
    notPublished: 'no number is published', impossible: '✗ Error: this total is impossible.',
    details: '{time}, {workers}, {engine} engine, {kernel} kernel', workersOne: '1 worker', workersMany: '{number} workers',
    replaced: '{number} of the workers failed and were replaced; their units were counted again.',
    history: 'Counted here', total: 'Total', time: 'Time',
    othersHeading: 'Times of other programs', thisPage: 'this page', here: 'here, {workers}', notYet: 'not counted yet',
    native: 'native, 1 thread', oneThread: '1 thread', threads: '{number} threads', sampled: 'estimated from a part', bitMasksInC: 'bit masks in C',
    isCounting: 'counting {share}',
    othersWords: 'Programs with “native, 1 thread” were measured on one machine, a server with an AMD EPYC (Zen 5). The others are times that their authors published for the machine named. Your device is another one, so compare magnitudes, not digits. Bars are logarithmic.',

    whyHeading: 'Why it is fast: six queens',
    w1: 'One queen in each row', w1text: 'Six of 36 squares can be chosen in 1,947,792 ways. One queen in each row and column leaves 720. Backtracking gives up as soon as two queens attack each other, and visits 153 placements.',
    w2: 'A row is a number', w2text: 'The squares that are attacked in a row are the bits of three numbers: columns, and two diagonals that shift by one from row to row. One OR gives the attacked squares of the whole row, and its zeros are the free ones.',
    w2columns: 'columns', w2left: 'anti-diagonals', w2right: 'diagonals', w2free: 'free',
    w3: 'A diagonal keeps its colour', w3text: 'Queens on white squares and queens on black ones can meet in a row or a column, but never on a diagonal. So a board falls into two halves that hardly know of each other.',
    w4: 'Multiply instead of visiting', w4text: 'Say which rows and columns the white queens take; the black ones get the others. If there are w ways for white and b for black, one multiplication counts w × b solutions. Six queens are too few: each product is 1 × 1. Of seven queens one product counts four solutions. For N = 18 there are 666,090,624 solutions, and none of them is visited.',
    w4white: 'white', w4black: 'black',
    w5: 'Tables of bits', w5text: 'Each half is cut once more: white squares in even rows and white squares in odd rows share no row and no column. A table has for each square a bit for every placement of the other half that it does not attack. The AND over the queens leaves those that fit, and the processor counts the ones, hundreds at a time.',
    w5and: 'AND', w5fit: '{number} of {all} fit',
    w6: 'Eight boards for one', w6text: 'Turning and mirroring a solution gives up to eight. The four solutions for six queens are all images of one. So about an eighth of the work is enough: what is counted once is multiplied by the number of its images.',
  },
  ja: {
    title: 'Nクイーン', skip: '本文へ', screens: '画面', other: 'English', otherLabel: 'Show in English',
    board: '盤面', watch: '見る', count: '数える', why: '速い理由',
    footer: 'ライブラリ nqueens から作られています。何も読み込まず、何も送りません。ネットワークなしで動きます。',
    licenses: 'ライセンス: MIT または Apache-2.0、使用しているクレートのライセンス',
    broken: 'このブラウザでは、ここでこのページを実行できません。SIMD 付きの WebAssembly、DecompressionStream、ワーカーが必要です（Chrome 111、Firefox 113、Safari 16.4 以降）。iPhone、iPad、Mac のロックダウンモードや、一部のブラウザのセキュリティレベルは、これらを無効にします。ページを送ったサーバーが禁じていることもあります。その場合は、ページを保存してディスクから開いてください。（{message}）',
    silent: 'このページのワーカーがまだ応答しません。この表示が消えないときは、ブラウザがワーカーを終了させたか、動かすことを許していません。ページを再読み込みするか、ほかのタブを閉じてください。',
    wrong: 'このページで問題が起きました: {message}。再読み込みしてください。',
    noPlayer: '盤のフレームが応答しません',

    size: 'N', smaller: '1 減らす', larger: '1 増やす', tool: 'クリックの動作', place: 'クイーンを置く', block: 'マスを塞ぐ',
    boardWords: 'マスをクリックしてクイーンを置くか、取り除きます。',
    show: '解を見る', next: '次の解', undo: '元に戻す', clear: '消去', copyLink: 'リンクをコピー', copyText: 'テキストでコピー',
    toCopy: 'コピーするテキスト', copied: 'コピーしました。', copyYourself: '選択されたテキストをコピーしてください。',
    legendTint: 'このマスにクイーンがある解の数', legendAttacked: '利き筋', legendBlocked: '塞いだマス', legendShown: '表示中の解のクイーン',
    boardKeys: 'キー: 矢印で移動、Enter かスペースでクイーンを置く・取る、x でマスを塞ぐ、n で次の解、u で元に戻す。',
    boardLabel: '{size} 行 {size} 列の盤',
    square: '行 {row}、列 {column}', isQueen: 'クイーン', isBlocked: '塞いだマス', isAttacked: '利き筋', isShown: '表示中の解のクイーン',
    isFree: '空き', through: '{count} 個の解', throughOne: '1 個の解',
    counting: '計算中…', searching: '探索中…', tooLong: 'ここでは時間がかかりすぎます。クイーンを増やすか、盤を小さくしてください。',
    countedElsewhere: 'ここで数えるには「{count}」へ。',
    comma: '、', one: '個の解', many: '個の解', ofBoard: '（空の盤）', ofQueen: '（このクイーンを含む）', ofQueens: '（これらのクイーンを含む）', ofSquares: '（この盤面）', ofBlocked: '（塞いだマスを除く）',
    published: '公表値と一致（OEIS A000170）', contradicts: '{total} 個ですが、公表値は {published}（OEIS A000170）で、どちらかが誤りです',
    disagree: '二つの数え方が一致しません: {one} と {other}',
    wrongSquares: '{line} {index} のマスの数の和が {total} になりません',
    wrongSquare: '{square}にあり得ない数があります',
    attackedBy: '行 {row}、列 {column} には、行 {otherRow}、列 {otherColumn} のクイーンが利いています（{line}）。',
    lineRow: '行', lineColumn: '列', lineDiagonal: '右下がりの斜め', lineAnti: '右上がりの斜め',
    noSolution: '解はありません。', lastShown: 'これが最後の解でした。', shown: '解 {number}: 列は {columns}。',
    nothingToUndo: '元に戻すものはありません。', badLink: 'リンクの盤面を読み取れません。', linkAttacks: 'リンクに盤面がありません: {words}',
    failed: '計算に失敗しました: {message}。', notShown: '探索を表示できません: {message}。',

    watchHeading: '探索をステップごとに', methodsHeading: '授業で習う方法が調べる候補・ノードの数',
    methodsWords: '下の方法ほど賢くなります。初めのものは完成した候補を、バックトラックするものはノード（互いに利かないように最初の何行かにクイーンを置いた配置）を調べます。',
    logScale: '棒は対数目盛です。10 倍ごとに同じ長さだけ伸びます。',
    'brute-force': ['総当たり', 'N² マスから N マス'], 'one-per-row': ['各行に一つ', '行ごとに列を選ぶ'],
    permutations: ['順列', '行ごとに異なる列'], 'earlier-queens': ['置いたクイーンと比較', 'バックトラック'],
    'flag-arrays': ['フラグ配列', 'バックトラック、三つのフラグ'], 'bit-masks': ['ビットマスク', 'バックトラック、一行を一度に'],
    methodTwo: 'two-color', noteTwo: '半分の盤を掛け合わせる', visitsNone: 'どれも調べない',

    countHeading: '解の総数を数える', workers: 'ワーカー', engine: 'エンジン', fastest: '最速のもの', start: '数える', stop: '中止',
    progress: '進み具合', preparing: '計画を作成中…', left: '{share} 完了、残り {time}', startedCount: 'N = {size} を数えています。',
    warning: 'N = 21 以上はブラウザでは数分から数時間かかり、多くのメモリを使います。タブを開いたままにしてください。', stopped: '中止しました。',
    result: 'N = {size} の解は {total} 個', resultOne: 'N = {size} の解は {total} 個', matches: '✓ 公表値と一致（OEIS A000170）',
    contradictsTotal: '✗ エラー: 公表値 {published}（OEIS A000170）と異なります。どちらかが誤りです。',
    notPublished: '公表値はありません', impossible: '✗ エラー: この総数はあり得ません。',
    details: '{time}、{workers}、{engine} エンジン、{kernel} カーネル', workersOne: 'ワーカー 1 個', workersMany: 'ワーカー {number} 個',
    replaced: 'ワーカー {number} 個が失敗したので交換し、そのユニットを数え直しました。',
    history: 'ここで数えたもの', total: '総数', time: '時間',
    othersHeading: 'ほかのプログラムの時間', thisPage: 'このページ', here: 'この端末、{workers}', notYet: 'まだ数えていません',
    native: 'ネイティブ、1 スレッド', oneThread: '1 スレッド', threads: '{number} スレッド', sampled: '一部からの推定', bitMasksInC: 'C のビットマスク',
    isCounting: '計算中 {share}',
    othersWords: '「ネイティブ、1 スレッド」は同じサーバー（AMD EPYC、Zen 5）で測った時間です。ほかは作者が公表した、その機械での時間です。お使いの端末とは異なるので、桁を比べてください。棒は対数目盛です。',

    whyHeading: '速い理由: 6 クイーンの例',
    w1: '各行に一つ', w1text: '36 マスから 6 マスを選ぶ方法は 1,947,792 通り。各行各列に一つなら 720 通り。バックトラックは二つのクイーンが互いに利いた時点で諦めるので、調べる配置は 153 個です。',
    w2: '一行は一つの数', w2text: 'ある行で利いているマスは三つの数のビットです。列と、一行ごとに一つずれる二つの斜め。一度の OR でその行の利いているマスがすべて分かり、0 が空きマスです。',
    w2columns: '列', w2left: '右上がりの斜め', w2right: '右下がりの斜め', w2free: '空き',
    w3: '斜めの線は色を変えない', w3text: '白マスのクイーンと黒マスのクイーンは、行や列では出会っても、斜めでは決して出会いません。盤は、互いをほとんど知らない二つの半分に分かれます。',
    w4: '調べる代わりに掛ける', w4text: '白のクイーンが使う行と列を決めると、残りが黒のものです。白の置き方が w 通り、黒が b 通りなら、一度の掛け算で w × b 個の解を数えられます。6 クイーンでは少なすぎて、積はどれも 1 × 1 です。7 クイーンでは一つの積が四つの解を数えます。N = 18 には 666,090,624 個の解がありますが、一つも調べません。',
    w4white: '白', w4black: '黒',
    w5: 'ビットの表', w5text: '半分をもう一度分けます。偶数行の白マスと奇数行の白マスは行も列も共有しません。表には、各マスについて、そのマスのクイーンが利かない相手側の配置ごとに 1 のビットがあります。クイーンごとの表の行の AND を取ると合う配置が残り、プロセッサーが 1 を一度に何百個も数えます。',
    w5and: 'AND', w5fit: '{all} 個のうち {number} 個が合う',
    w6: '八つの盤を一つで', w6text: '解を回転・反転すると、最大八つの解になります。6 クイーンの四つの解は、すべて一つの解の像です。だから仕事はおよそ八分の一で済みます。一度数えたものに像の数を掛けます。',
  },
};

let language = [parts().lang, ...navigator.languages ?? []].map((each) => each?.slice(0, 2))
  .find((each) => Object.hasOwn(TEXTS, each)) ?? 'en';
const listeners = [];

export function text(name, values = {}) {
  const found = TEXTS[language][name];
  if (found === undefined) throw new Error(`there is no text ${name}`);
  return found.replace(/\{(\w+)\}/g, (_, value) => values[value]);
}

/** The name of a textbook method, and a few words on it; a method without texts has the library's name. */
export const method = (name) => TEXTS[language][name] ?? [name, ''];

/** The text of a failure; the library's message may end in a full stop. */
export const failed = (message, what = 'failed') => text(what, { message: message.replace(/[.。]$/, '') });

export const languageShown = () => language;

/** Calls a function now and again whenever another language is chosen. */
export function translated(show) {
  listeners.push(show);
  show();
}

export function setLanguage(chosen) {
  if (chosen === language || !Object.hasOwn(TEXTS, chosen)) return;
  language = chosen;
  for (const show of listeners) show();
}

export const number = (value) => new Intl.NumberFormat(language, { maximumFractionDigits: 0 }).format(value);

const UNITS = { en: ['ms', 's', 'min', 'h', 'days'], ja: ['ミリ秒', '秒', '分', '時間', '日'] };

/** A time with three digits, but no digit below the step of the clock. */
export function duration(seconds, step = 1e-6) {
  const units = UNITS[language];
  const count = Math.min(Math.max(Math.floor(Math.log10(seconds / step) + 1e-9) + 1, 1), 3);
  const digits = (value) => value.toLocaleString(language, { minimumSignificantDigits: count, maximumSignificantDigits: count });
  if (seconds < 0.9995) return `${digits(seconds * 1000)} ${units[0]}`;
  if (seconds < 599.5) return `${digits(seconds)} ${units[1]}`;
  if (seconds < 7200) return `${digits(seconds / 60)} ${units[2]}`;
  if (seconds < 172800) return `${digits(seconds / 3600)} ${units[3]}`;
  return `${digits(seconds / 86400)} ${units[4]}`;
}

/** A future time, without digits that nobody knows. */
export function roughly(seconds) {
  const [, second, minute, hour] = UNITS[language];
  if (seconds < 90) return `${Math.max(Math.round(seconds), 1)} ${second}`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} ${minute}`;
  return `${Math.round(seconds / 3600)} ${hour}`;
}

translated(() => {
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll('[data-text]')) setText(element, text(element.dataset.text));
  for (const element of document.querySelectorAll('[data-label]')) set(element, { 'aria-label': text(element.dataset.label) });
  for (const element of document.querySelectorAll('[data-title]')) set(element, { title: text(element.dataset.title) });
  setText(find('#language'), text('other'));
  set(find('#language'), { lang: language === 'en' ? 'ja' : 'en', 'aria-label': text('otherLabel') });
});
find('#language').addEventListener('click', () => setLanguage(language === 'en' ? 'ja' : 'en'));
