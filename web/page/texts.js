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

    numbers: 'Numbers', attacks: 'Attacked squares', seenOnBoard: 'What the board shows', exerciseLeft: '{left:queen is|queens are} left to place, so that none attacks another',
    size: 'N', smaller: 'One less', larger: 'One more', tool: 'What a click does', place: 'Place a queen', block: 'Block a square',
    boardWords: 'Click on a square to place a queen, or to take it away.',
    show: 'Show a solution', next: 'Next solution', undo: 'Undo', clear: 'Clear', copyLink: 'Copy link', copyText: 'Copy as text',
    toCopy: 'Text to copy', copied: 'Copied.', copyYourself: 'Copy the text that is selected.',
    legendTint: 'so many solutions have a queen here', legendAttacked: 'attacked', legendBlocked: 'blocked', legendShown: 'queen of the solution shown',
    boardKeys: 'Keys: arrows move, Enter or Space places or takes away a queen, x blocks a square, n shows the next solution, h gives a hint, u undoes.',
    boardLabel: 'Board of {size} rows and columns',
    square: 'row {row}, column {column}', isQueen: 'queen', isBlocked: 'blocked', isAttacked: 'attacked', isShown: 'queen of the solution shown',
    isFree: 'free', through: 'in {count} {count:solution|solutions}',
    counting: 'counting …', searching: 'searching …', tooLong: 'This takes too long here: place more queens, or take a smaller board.',
    countedElsewhere: 'To count them here, go to {count}.',
    comma: ', ', solutions: '{count:solution|solutions}', ofBoard: 'of the empty board', ofQueen: 'with this queen', ofQueens: 'with these queens', ofSquares: 'on this board', ofBlocked: 'without the blocked squares',
    published: 'as published (OEIS A000170)', contradicts: '{total} solutions, but {published} are published (OEIS A000170), so one of the numbers is wrong',
    disagree: 'two ways of counting disagree: {one} and {other}',
    wrongSquares: 'the numbers in the squares of {line} {index} do not add up to {total}',
    wrongSquare: '{square} has a number that cannot be',
    attackedBy: 'Row {row}, column {column} is attacked by the queen in row {otherRow}, column {otherColumn}, along the {line}.',
    lineRow: 'row', lineColumn: 'column', lineDiagonal: 'diagonal', lineAnti: 'anti-diagonal',
    noSolution: 'There is no solution.', lastShown: 'That was the last solution.', shown: 'Solution {number}: the columns are {columns}.',
    hint: 'Hint', hintDone: 'Every row has its queen: this is a solution.',
    hintDead: '{line} {index} has no square left.', hintBlamed: 'The queen in row {row}, column {column} leaves {line} {index} without a square.',
    hintTakeBack: 'No solution has all these queens. Take away the queen in {square}: then {count} {count:solution is|solutions are} left.',
    hintNone: 'No solution has all these queens, and it is not enough to take one away.',
    hintSingle: 'In {line} {index} one square is left: {square}.', hintFew: 'Look at {line} {index}: {good} of its {all} free squares {good:leads|lead} to a solution.',
    hintLeast: 'Look at {line} {index}: it has {all} free squares.',
    newPuzzle: 'New puzzle', level: 'How hard', easy: 'easy', medium: 'medium', hard: 'hard', leavePuzzle: 'Leave the puzzle', puzzleMaking: 'making a puzzle …',
    puzzleLeft: 'left to place: the puzzle has exactly one solution', puzzleSolved: 'solved: every queen has her place',
    isGiven: '{square}: this queen is given.', isGivenQueen: 'given queen', noPuzzle: 'This board is no puzzle: it has {count} solutions.',
    nothingToUndo: 'There is nothing to undo.', badLink: 'The link has no board that can be read.', linkAttacks: 'The link has no board: {words}',
    failed: 'The count failed: {message}.', notShown: 'The search cannot be shown: {message}.',

    watchHeading: 'The search, step by step', watchMethod: 'Method', watchSetup: 'This is the board of the first tab, with its given queens and blocked squares.', watchEmpty: 'Take an empty board', watchBoard: 'Watch the search here', methodsHeading: 'What the methods of a course visit',
    methodsWords: 'Each method knows more than the one above it. The first ones visit complete candidates, those that backtrack visit nodes: placements of the first rows in which no queen attacks another.',
    logScale: 'Bars are on a logarithmic scale: each further tenfold is a step of the same length.',
    'brute-force': ['brute force', 'N of the N² squares'], 'one-per-row': ['one per row', 'a column for each row'],
    permutations: ['permutations', 'a different column for each row'], 'earlier-queens': ['earlier queens', 'backtracking, compares queens'],
    'flag-arrays': ['flag arrays', 'backtracking, three flags a square'], 'bit-masks': ['bit masks', 'backtracking, a row at once'],
    methodTwo: 'two-color', noteTwo: 'multiplies halves of boards', visitsNone: 'visits none of them',

    countHeading: 'Count all solutions', workers: 'Workers', engine: 'Engine', fastest: 'the fastest', start: 'Count', stop: 'Stop',
    progress: 'Progress', preparing: 'making the plan …', left: '{share} of the work is done, {time} left', startedCount: 'Counting N = {size}.',
    warning: 'From N = 21 on it takes minutes to hours in a browser, and much memory. The tab must stay open.', stopped: 'Stopped.',
    result: 'N = {size} has {total} {count:solution|solutions}', 'verdict-matches': '✓ equals the published number (OEIS A000170)',
    'verdict-contradicts': '✗ Error: contradicts the published number {published} (OEIS A000170). One of them is wrong.',
    'verdict-not published': 'no number is published', 'verdict-impossible': '✗ Error: this total is impossible.',
    details: '{time}, {workers}, {engine} engine, {kernel} kernel', workersInWords: '{number} {number:worker|workers}',
    replaced: '{number} of the workers failed and were replaced; their units were counted again.',
    history: 'Counted here', total: 'Total', time: 'Time',
    othersHeading: 'Times of other programs', thisPage: 'this page', here: 'here, {workers}', notYet: 'not counted yet',
    native: 'native, 1 thread', threads: '{number} {number:thread|threads}', sampled: 'estimated from a part', bitMasksInC: 'bit masks in C',
    isCounting: 'counting {share}',
    othersWords: 'Programs with “native, 1 thread” were measured on one machine, a server with an AMD EPYC (Zen 5). The others are times that their authors published for the machine named. Your device is another one, so compare magnitudes, not digits. Bars are logarithmic.',

    whyHeading: 'Why it is fast',
    whyWords: 'Six ideas, one after another, and each picture can be changed. All pictures show one board: choose its size here. The library in this page computes the numbers. Click, drag, or use Tab, the arrow keys and Enter.',
    sharedBoard: 'The board with {size} rows and columns',
    c1: '1. Turn back early',
    c1words: 'Put queens on the board so that no two share a row, a column or a diagonal. Each row gets one queen, so fill the rows from the top. If a row has no free square left, more queens cannot mend that: turn back. Each dot of the tree is a beginning, and is called a node. Click on a dot, or on a marked square of the board.',
    treeLabel: 'Tree of the nodes for {size} queens', treeStep: 'Next node', treeRow: 'Grow a row', treeAll: 'Whole tree', treeClear: 'Start again',
    treeKeys: 'A dot has the column of its last queen, if there is room for it. A square is a solution; × or a red ring has no free square below it. Keys in the tree: arrows move, Enter opens or closes a node.',
    nodeRoot: 'The empty board: row 0 has {free} free squares.', 'node-closed': 'Columns {columns}: row {row} has {free} free {free:square|squares}.',
    'node-dead': 'Columns {columns}: row {row} has no free square. Turn back.', 'node-solution': 'Columns {columns}: a solution.',
    seen: 'Nodes seen: {seen} of {all}.',
    fillRows: 'Row {row} is next: the rows are filled from the top.', attackedFrom: 'Row {row}, column {column} is attacked by the queen of row {queen}.',
    visitsHeading: 'What methods visit for {size} queens', c1next: 'Brute force tries {brute} sets of {size} squares, the tree has {nodes} nodes. But at each node the free squares of a row must be found, one by one. Is there a faster way?',
    c2: '2. A row is a number',
    c2words: 'Write 1 for each attacked square of a row, and 0 for each other one. These digits are the bits of one binary number. Three such numbers are enough: one for attacks along columns, and one for either kind of diagonal. OR puts a 1 wherever one of the three has a 1, so a single step finds all attacked squares of the row. Where it leaves 0, a queen may stand. Place queens or take them away, and see the bits change.',
    masksRow: 'Row {row} is next. Free squares: {free}.', masksFull: 'All rows have queens. The bits are those of row {row}: only its own queen’s square is free.',
    c2column: 'column', c2worth: 'worth', c2columns: 'columns', c2left: 'left: diagonals', c2right: 'right: anti-diagonals', c2or: 'OR: attacked', c2free: 'free',
    c2bits: 'A one in column 0 is worth 1, in the next column 2, then 4: the number behind the bits is the sum. From one row to the next, left moves one column to the right (<< 1: it is worth twice as much), and right moves one to the left (>> 1), because diagonals do.',
    c2next: 'These ten lines are the whole program, and its line with free is the picture above. It runs as it stands here, and counts eight queens. But it visits every single solution. For N = {size} there are {total} of them. To be much faster, a program must stop visiting them.',
    program: 'Program in {language}', programLanguage: 'Language of the program',
    c3: '3. A diagonal keeps its colour',
    c3words: 'Drag the queen, or move her with the arrow keys. Dots mark her two diagonals. What colour are they?',
    colourBoard: 'A queen and her diagonals on {size} rows and columns', onWhite: 'white', onBlack: 'black',
    colourWords: 'Row {row}, column {column} is {own}. On its diagonals are {white} white and {black} black squares.',
    c3next: 'So a queen on white and a queen on black can meet in a row or in a column, but never on a diagonal. If they share out the rows and columns first, neither needs to look at the other: one large problem becomes two small ones. The method has its name from this: two-color.',
    c4: '4. Multiply instead of visiting',
    c4words: 'Choose rows R and columns C for the white queens: click on the numbers. The queens on black squares get the others. If there are w(R, C) ways for white and b ways for black, each goes with each, so one multiplication counts w × b solutions.',
    productBoard: 'Queens on white and on black squares, {size} rows and columns', whiteRows: 'Rows of the white queens', whiteColumns: 'Columns of the white queens',
    whiteRow: 'Row {line} for white', whiteColumn: 'Column {line} for white',
    productWords: 'Ways for white: w = {w}. Ways for black: b = {b}. Solutions with this choice: {product}. Outlined queens stand on black.',
    productNone: 'w = {w}, b = {b}: no solution has this choice.', unequal: 'White needs as many columns as rows.',
    nextWhite: 'Other white queens', nextBlack: 'Other black queens', walkHeading: 'All choices that give solutions', walkLabel: 'Choices added up',
    walked: 'Sum so far: {sum} of {total}, after {at} of {all} choices.', walkedAll: 'The sum is {sum}: all {total} solutions, from {all} choices.',
    onlyOnes: 'On this board each product is 1 × 1. Take N = 7 or 8 to see larger ones.',
    walkNext: 'Add the next choice', walkAll: 'Add all', pause: 'Pause', thirtySummary: 'The whole method in thirty lines',
    c4next: 'A product like 2 × 2 counts four solutions, and none of them was put together. On larger boards a product counts more: {one} solutions on average for N = 18, {other} for N = 22. But where do w and b come from?',
    c5: '5. Count w with bits',
    c5words: 'Keep the rows R of white from above, and ask for all columns at once. White squares in even rows and those in odd rows share no row and no column: they meet on diagonals alone. So the white queens are cut in two once more.',
    c5list: 'List all placements in the even rows: ways to put a queen in each, none attacking another. Those with the same columns share a byte, and each has a bit in it.',
    c5compare: 'Take a placement in the odd rows. Each of its queens has a 1 for every listed placement that she does not attack. AND keeps a 1 where all its queens have one.',
    c5add: 'Count the ones of each byte, and add them to the entry below it, in the line for the columns of the placement in odd rows.',
    c5multiply: 'When all placements in the odd rows are added, each entry is w(R, C) for its columns C. Multiply it by b, which is counted in the same way.',
    tableBoard: 'White squares in even and in odd rows, {size} rows and columns', joinLabel: 'Bytes, and the table of w', evenColumns: 'even columns', oddColumns: 'odd columns {columns}',
    tableWords: '{at} of {all} placements in odd rows {at:is|are} added. The one on the board leaves {fit} of {of} placements in even rows.',
    tableWhole: 'All {all} placements in odd rows are added: each entry is w(R, C) for R = {rows}. Multiplied by b, the entries sum to {sum}: so many solutions have their white queens in these rows.',
    tableNone: 'White queens cannot fill these rows without attacking one another. Choose other rows.',
    tableNext: 'Next in odd rows', tableFit: 'Show one that fits', c5and: 'AND', c5ones: 'ones',
    tableKeys: 'Filled queens stand in odd rows, outlined ones in even rows. Bits that a byte does not need are left out. Click on the number of a row to change R, on a bit to see its placement, on a square for the next placement with a queen there, and on an entry to choose its columns.',
    c5next: 'Do this for every R, add up, and you have all solutions. The list serves every placement in the odd rows, and the table has all columns at once. A processor takes the AND of up to 64 bytes in one instruction, and counts their ones in another. No solution is put together on the way.',
    c6: '6. Eight choices for one',
    c6words: 'Turn or mirror the board, and a choice of rows and columns becomes another choice, with the same product. So one choice of each family is multiplied, and its product counts for all of them. Choices are turned, not solutions: the method never holds a solution in its hands. Frames mark the squares for white and for black. Click on an image to choose it.',
    turn: 'Turn', mirror: 'Mirror', another: 'Another family',
    'image-identity': 'as it is', 'image-quarterTurn': 'a quarter turn', 'image-halfTurn': 'a half turn', 'image-threeQuarterTurn': 'three quarters',
    'image-mirrorColumns': 'left and right', 'image-mirrorRows': 'top and bottom', 'image-transpose': 'diagonal', 'image-antiTranspose': 'anti-diagonal',
    imagesWords: 'This choice has {different} different {different:image|images}, each with the product {product}. For N = {size}, {all} choices have solutions, in {families} {families:family|families} (choices × product): {sum} = {total}.',
    gains: 'Products that the method makes', gainTotal: 'solutions', gainProducts: 'products', gainEach: 'solutions for each product',
    c6next: 'On small boards most products are 0, and nothing is gained. The larger the board, the more solutions a product counts. This is the method two-color of this page and of the program. It cuts the board by colour, then by even and odd rows. It joins the parts with AND, counts ones, and multiplies, for one choice of each family. So fast is it:',
    c7: '7. Your own count',
    c7words: 'The tree for N = {size} has about {nodes} nodes. Count its solutions on your device, now:',
    ownCount: 'Count N = 18', ownWords: 'N = {size}: {total} solutions in {time}.', toCount: 'Count larger boards', toMethod: 'The method two-color in full, with proofs',
    'see-free': 'empty', 'see-queen': 'queen', 'see-shown': 'queen, outlined', 'see-attacked': 'attacked', 'see-good': 'free', 'see-dim': 'not in use', 'see-reached': 'on a diagonal of the queen',
    'see-whiteQueen': 'queen on white', 'see-blackQueen': 'queen on black', 'see-forWhite': 'for a white queen', 'see-forBlack': 'for a black queen',
    'see-oddRow': 'white, in an odd row', 'see-evenRow': 'white, in an even row', comma2: '{square}: {words}',
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

    numbers: '解の数', attacks: '利き筋', seenOnBoard: '盤に示すもの', exerciseLeft: '個のクイーンを、互いに利かないように置いてください',
    size: 'N', smaller: '1 減らす', larger: '1 増やす', tool: 'クリックの動作', place: 'クイーンを置く', block: 'マスを塞ぐ',
    boardWords: 'マスをクリックしてクイーンを置くか、取り除きます。',
    show: '解を見る', next: '次の解', undo: '元に戻す', clear: '消去', copyLink: 'リンクをコピー', copyText: 'テキストでコピー',
    toCopy: 'コピーするテキスト', copied: 'コピーしました。', copyYourself: '選択されたテキストをコピーしてください。',
    legendTint: 'このマスにクイーンがある解の数', legendAttacked: '利き筋', legendBlocked: '塞いだマス', legendShown: '表示中の解のクイーン',
    boardKeys: 'キー: 矢印で移動、Enter かスペースでクイーンを置く・取る、x でマスを塞ぐ、n で次の解、h でヒント、u で元に戻す。',
    boardLabel: '{size} 行 {size} 列の盤',
    square: '行 {row}、列 {column}', isQueen: 'クイーン', isBlocked: '塞いだマス', isAttacked: '利き筋', isShown: '表示中の解のクイーン',
    isFree: '空き', through: '{count} 個の解',
    counting: '計算中…', searching: '探索中…', tooLong: 'ここでは時間がかかりすぎます。クイーンを増やすか、盤を小さくしてください。',
    countedElsewhere: 'ここで数えるには「{count}」へ。',
    comma: '、', solutions: '個の解', ofBoard: '（空の盤）', ofQueen: '（このクイーンを含む）', ofQueens: '（これらのクイーンを含む）', ofSquares: '（この盤面）', ofBlocked: '（塞いだマスを除く）',
    published: '公表値と一致（OEIS A000170）', contradicts: '{total} 個ですが、公表値は {published}（OEIS A000170）で、どちらかが誤りです',
    disagree: '二つの数え方が一致しません: {one} と {other}',
    wrongSquares: '{line} {index} のマスの数の和が {total} になりません',
    wrongSquare: '{square}にあり得ない数があります',
    attackedBy: '行 {row}、列 {column} には、行 {otherRow}、列 {otherColumn} のクイーンが利いています（{line}）。',
    lineRow: '行', lineColumn: '列', lineDiagonal: '右下がりの斜め', lineAnti: '右上がりの斜め',
    noSolution: '解はありません。', lastShown: 'これが最後の解でした。', shown: '解 {number}: 列は {columns}。',
    hint: 'ヒント', hintDone: 'どの行にもクイーンがあります。解です。',
    hintDead: '{line} {index} にはマスが残っていません。', hintBlamed: '行 {row}、列 {column} のクイーンのために、{line} {index} にマスが残っていません。',
    hintTakeBack: 'これらのクイーンをすべて含む解はありません。{square}のクイーンを取ると、解が {count} 個残ります。',
    hintNone: 'これらのクイーンをすべて含む解はなく、一つ取るだけでは足りません。',
    hintSingle: '{line} {index} に残るマスは一つ: {square}。', hintFew: '{line} {index} を見てください。空きマス {all} 個のうち、解につながるのは {good} 個です。',
    hintLeast: '{line} {index} を見てください。空きマスは {all} 個です。',
    newPuzzle: '新しい問題', level: '難しさ', easy: 'やさしい', medium: '普通', hard: '難しい', leavePuzzle: '問題をやめる', puzzleMaking: '問題を作成中…',
    puzzleLeft: '個のクイーンを置いてください。解はちょうど一つです', puzzleSolved: '解けました。すべてのクイーンが置かれました',
    isGiven: '{square}: このクイーンは決められています。', isGivenQueen: '決められたクイーン', noPuzzle: 'この盤は問題ではありません。解が {count} 個あります。',
    nothingToUndo: '元に戻すものはありません。', badLink: 'リンクの盤面を読み取れません。', linkAttacks: 'リンクに盤面がありません: {words}',
    failed: '計算に失敗しました: {message}。', notShown: '探索を表示できません: {message}。',

    watchHeading: '探索をステップごとに', watchMethod: '方法', watchSetup: '「盤面」で置いたクイーンと塞いだマスのある盤です。', watchEmpty: '空の盤にする', watchBoard: 'この盤で探索を見る', methodsHeading: '授業で習う方法が調べる候補・ノードの数',
    methodsWords: '下の方法ほど賢くなります。初めのものは完成した候補を、バックトラックするものはノード（互いに利かないように最初の何行かにクイーンを置いた配置）を調べます。',
    logScale: '棒は対数目盛です。10 倍ごとに同じ長さだけ伸びます。',
    'brute-force': ['総当たり', 'N² マスから N マス'], 'one-per-row': ['各行に一つ', '行ごとに列を選ぶ'],
    permutations: ['順列', '行ごとに異なる列'], 'earlier-queens': ['置いたクイーンと比較', 'バックトラック'],
    'flag-arrays': ['フラグ配列', 'バックトラック、三つのフラグ'], 'bit-masks': ['ビットマスク', 'バックトラック、一行を一度に'],
    methodTwo: 'two-color', noteTwo: '半分の盤を掛け合わせる', visitsNone: 'どれも調べない',

    countHeading: '解の総数を数える', workers: 'ワーカー', engine: 'エンジン', fastest: '最速のもの', start: '数える', stop: '中止',
    progress: '進み具合', preparing: '計画を作成中…', left: '{share} 完了、残り {time}', startedCount: 'N = {size} を数えています。',
    warning: 'N = 21 以上はブラウザでは数分から数時間かかり、多くのメモリを使います。タブを開いたままにしてください。', stopped: '中止しました。',
    result: 'N = {size} の解は {total} 個', 'verdict-matches': '✓ 公表値と一致（OEIS A000170）',
    'verdict-contradicts': '✗ エラー: 公表値 {published}（OEIS A000170）と異なります。どちらかが誤りです。',
    'verdict-not published': '公表値はありません', 'verdict-impossible': '✗ エラー: この総数はあり得ません。',
    details: '{time}、{workers}、{engine} エンジン、{kernel} カーネル', workersInWords: 'ワーカー {number} 個',
    replaced: 'ワーカー {number} 個が失敗したので交換し、そのユニットを数え直しました。',
    history: 'ここで数えたもの', total: '総数', time: '時間',
    othersHeading: 'ほかのプログラムの時間', thisPage: 'このページ', here: 'この端末、{workers}', notYet: 'まだ数えていません',
    native: 'ネイティブ、1 スレッド', threads: '{number} スレッド', sampled: '一部からの推定', bitMasksInC: 'C のビットマスク',
    isCounting: '計算中 {share}',
    othersWords: '「ネイティブ、1 スレッド」は同じサーバー（AMD EPYC、Zen 5）で測った時間です。ほかは作者が公表した、その機械での時間です。お使いの端末とは異なるので、桁を比べてください。棒は対数目盛です。',

    whyHeading: '速い理由',
    whyWords: '六つの考えを順に見ます。どの図も動かせて、すべて同じ盤を表します。まず盤の大きさを選んでください。数はすべて、このページの中のライブラリが計算します。クリック、ドラッグ、または Tab・矢印・Enter キーで操作できます。',
    sharedBoard: '{size} 行 {size} 列の盤',
    c1: '1. 早く引き返す',
    c1words: 'どの二つも同じ行、列、斜めにないようにクイーンを置きます。各行に一つずつなので、上の行から埋めます。空きマスのない行があれば、その先をどう置いても無駄なので引き返します。点はそのような途中の配置で、ノードと呼びます。点か、盤の印のあるマスをクリックしてください。',
    treeLabel: '{size} クイーンのノードの木', treeStep: '次のノード', treeRow: '一段伸ばす', treeAll: '木の全体', treeClear: '最初から',
    treeKeys: '点の数は最後のクイーンの列です（点が小さいと省きます）。四角は解、× か赤い輪は次の行に空きマスがないノードです。木のキー: 矢印で移動、Enter で開閉。',
    nodeRoot: '空の盤: 行 0 の空きマスは {free} 個です。', 'node-closed': '列 {columns}: 行 {row} の空きマスは {free} 個です。',
    'node-dead': '列 {columns}: 行 {row} に空きマスがありません。引き返します。', 'node-solution': '列 {columns}: 解です。',
    seen: '見たノード: {all} 個のうち {seen} 個。',
    fillRows: '次は行 {row} です。上の行から埋めます。', attackedFrom: '行 {row}、列 {column} には、行 {queen} のクイーンが利いています。',
    visitsHeading: '{size} クイーンで調べる数', c1next: '総当たりは {brute} 通りの {size} マスを試しますが、木のノードは {nodes} 個です。ただし、ノードごとに次の行の空きマスを一つずつ探さなければなりません。もっと速い方法は？',
    c2: '2. 一行は一つの数',
    c2words: 'ある行の利いているマスを 1、ほかを 0 と書くと、一つの二進数のビットになります。列に沿った利きに一つ、二種類の斜めに一つずつ、合わせて三つの数で足ります。OR は、三つのどれかが 1 の所に 1 を置きます。だから一度の計算でその行の利いているマスがすべて分かり、0 の所にクイーンを置けます。クイーンを置いたり取ったりして、ビットの変化を見てください。',
    masksRow: '次は行 {row}。空きマスは {free} 個。', masksFull: 'どの行にもクイーンがあります。ビットは行 {row} のもので、空きは自分のクイーンのマスだけです。',
    c2column: '列', c2worth: '1 の重み', c2columns: 'columns: 列', c2left: 'left: 右下がり', c2right: 'right: 右上がり', c2or: 'OR: 利き筋', c2free: 'free: 空き',
    c2bits: '列 0 の 1 は 1、次の列の 1 は 2、その次は 4 を表し、右端の数はその和です。一行下がると、left は一列右へ（<< 1、二倍の数に）、right は一列左へ（>> 1）ずれます。斜めの線がそうだからです。',
    c2next: 'この 10 行がプログラムの全体で、free の行が上の図です。このまま動き、8 クイーンを数えます。しかし解を一つ残らず訪れます。N = {size} の解は {total} 個。ずっと速くするには、解を訪れるのをやめなければなりません。',
    program: '{language} のプログラム', programLanguage: 'プログラムの言語',
    c3: '3. 斜めの線は色を変えない',
    c3words: 'クイーンをドラッグするか、矢印キーで動かしてください。点は二つの斜めの線です。何色のマスにありますか。',
    colourBoard: '{size} 行 {size} 列の盤の、クイーンと斜めの線', onWhite: '白', onBlack: '黒',
    colourWords: '行 {row}、列 {column} は{own}です。斜めの線には白マスが {white} 個、黒マスが {black} 個あります。',
    c3next: '白マスのクイーンと黒マスのクイーンは、行や列では出会っても、斜めでは決して出会いません。先に行と列を分け合えば、互いを見る必要はありません。大きな問題が、小さな問題二つになります。方法の名 two-color（二色）は、ここから来ています。',
    c4: '4. 調べる代わりに掛ける',
    c4words: '白のクイーンの行 R と列 C を選びます。数をクリックしてください。残りは黒マスのクイーンのものです。白の置き方が w(R, C) 通り、黒が b 通りなら、どの組も解になるので、一度の掛け算で w × b 個の解を数えられます。',
    productBoard: '{size} 行 {size} 列の盤の、白マスと黒マスのクイーン', whiteRows: '白のクイーンの行', whiteColumns: '白のクイーンの列',
    whiteRow: '行 {line} を白に', whiteColumn: '列 {line} を白に',
    productWords: '白が w = {w} 通り、黒が b = {b} 通り: この選び方の解は {product} 個です。枠だけのクイーンは黒マスにあります。',
    productNone: 'w = {w}、b = {b}: この選び方の解はありません。', unequal: '白の行と列は同じ数でなければなりません。',
    nextWhite: '白の別の置き方', nextBlack: '黒の別の置き方', walkHeading: '解のあるすべての選び方', walkLabel: '加えた選び方',
    walked: 'ここまでの和: {total} のうち {sum}（{all} 通りのうち {at} 通り）。', walkedAll: '和は {sum}: {all} 通りの選び方で、{total} 個の解すべてです。',
    onlyOnes: 'この盤では積はどれも 1 × 1 です。N = 7 か 8 ならもっと大きな積があります。',
    walkNext: '次の選び方を加える', walkAll: 'すべて加える', pause: '一時停止', thirtySummary: 'この方法の全体、30 行',
    c4next: '2 × 2 のような積は四つの解を数えますが、どれも組み立ててはいません。盤が大きいほど一つの積が数える解は増え、平均で N = 18 では {one} 個、N = 22 では {other} 個です。では w と b はどう求めるのでしょうか。',
    c5: '5. ビットで w を数える',
    c5words: '白の行 R は上の図のままで、すべての列を一度に考えます。偶数行の白マスと奇数行の白マスは、行も列も共有せず、斜めだけで出会います。そこで白のクイーンをもう一度二つに分けます。',
    c5list: '偶数行の置き方、つまり各行に一つずつ、互いに利かないように置く方法をすべて並べます。列が同じものは一つのバイトにまとめ、それぞれに 1 ビットを与えます。',
    c5compare: '奇数行の置き方を一つ取ります。そのクイーンごとに、並べた置き方のうち利いていないものを 1 とします。AND を取ると、どのクイーンも利いていない置き方だけが 1 で残ります。',
    c5add: '各バイトの 1 を数え、その下の欄のうち、奇数行の置き方の列の段に足します。',
    c5multiply: '奇数行の置き方をすべて足すと、各欄はその列 C の w(R, C) です。それに、同じように数えた b を掛けます。',
    tableBoard: '{size} 行 {size} 列の盤の、偶数行と奇数行の白マス', joinLabel: 'バイトと w の表', evenColumns: '偶数列', oddColumns: '奇数列 {columns}',
    tableWords: '奇数行の置き方 {all} 通りのうち {at} 通りを足しました。盤にある置き方には、偶数行の {of} 通りのうち {fit} 通りが合います。',
    tableWhole: '奇数行の置き方 {all} 通りをすべて足したので、各欄は R = {rows} の w(R, C) です。b を掛けた和は {sum} で、白のクイーンがこれらの行にある解の数です。',
    tableNone: 'これらの行には、互いに利かないように白のクイーンを置けません。ほかの行を選んでください。',
    tableNext: '奇数行の次の置き方', tableFit: '合うものを見る', c5and: 'AND', c5ones: '1 の数',
    tableKeys: '塗ったクイーンは奇数行、枠だけのクイーンは偶数行にあります。バイトの使わないビットは省いてあります。行の番号をクリックすると R が、ビットをクリックするとその置き方が、マスをクリックするとそこにクイーンのある次の置き方が、欄をクリックするとその列が選ばれます。',
    c5next: 'これをすべての R について行い、足し合わせれば、解の総数になります。並べた置き方は奇数行のどの置き方にも使え、表はすべての列を一度に数えます。プロセッサーは最大 64 バイトの AND を一つの命令で取り、次の命令で 1 を数えます。途中で解は一つも組み立てません。',
    c6: '6. 八つの選び方を一つで',
    c6words: '盤を回転・反転すると、行と列の選び方は別の選び方になり、積は同じです。だから仲間のうち一つだけを掛け算し、その積を仲間全部の分とします。回すのは選び方で、解ではありません。この方法は解を一つも手にしないからです。枠は白と黒のマスです。図をクリックするとその選び方になります。',
    turn: '回す', mirror: '裏返す', another: '別の仲間',
    'image-identity': 'そのまま', 'image-quarterTurn': '90° 回転', 'image-halfTurn': '180° 回転', 'image-threeQuarterTurn': '270° 回転',
    'image-mirrorColumns': '左右反転', 'image-mirrorRows': '上下反転', 'image-transpose': '右下がりの軸', 'image-antiTranspose': '右上がりの軸',
    imagesWords: 'この選び方には異なる像が {different} 個あり、積はどれも {product} です。N = {size} では、解のある選び方 {all} 通りが {families} 組に分かれます（選び方の数 × 積）: {sum} = {total}。',
    gains: 'この方法が計算する積の数', gainTotal: '解', gainProducts: '積', gainEach: '一つの積あたりの解',
    c6next: '小さな盤では積のほとんどが 0 で、得はありません。盤が大きいほど、一つの積が多くの解を数えます。これが、このページでもプログラムでも使う方法 two-color です。盤を色で、次に偶数行と奇数行で分け、AND で合わせ、1 を数え、掛けます。それも、仲間のうち一つの選び方だけです。その速さは:',
    c7: '7. 自分で数える',
    c7words: 'N = {size} の木のノードは約 {nodes} 個です。その解を、今この端末で数えてみましょう。',
    ownCount: 'N = 18 を数える', ownWords: 'N = {size}: 解は {total} 個、{time}。', toCount: 'もっと大きな盤を数える', toMethod: '方法 two-color のすべてと証明（英語）',
    'see-free': '空', 'see-queen': 'クイーン', 'see-shown': '枠だけのクイーン', 'see-attacked': '利き筋', 'see-good': '空き', 'see-dim': '使わない', 'see-reached': 'クイーンの斜めの線',
    'see-whiteQueen': '白マスのクイーン', 'see-blackQueen': '黒マスのクイーン', 'see-forWhite': '白のクイーン用', 'see-forBlack': '黒のクイーン用',
    'see-oddRow': '奇数行の白マス', 'see-evenRow': '偶数行の白マス', comma2: '{square}: {words}',
  },
};

let language = [parts().lang, ...navigator.languages ?? []].map((each) => each?.slice(0, 2))
  .find((each) => Object.hasOwn(TEXTS, each)) ?? 'en';
const listeners = [];

export function text(name, values = {}) {
  const found = TEXTS[language][name];
  if (found === undefined) throw new Error(`there is no text ${name}`);
  // In {count:queen|queens}, the first word stands for one queen.
  return found.replace(/\{(\w+)(?::(.*?)\|(.*?))?\}/g, (_, name, one, many) =>
    (one === undefined ? values[name] : String(values[name]) === '1' ? one : many));
}

/** All texts, for tests. */
export const texts = TEXTS;

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
