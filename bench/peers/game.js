// 2048 in plain JavaScript, as any of the peers would have it: in memory, with its own random tiles. A stuck board begins
// anew, so that the load never runs dry.

const left = [0, 4, 8, 12].map((start) => [start, start + 1, start + 2, start + 3]);
const up = [0, 1, 2, 3].map((start) => [start, start + 4, start + 8, start + 12]);
const reversed = (lines) => lines.map((line) => line.toReversed());
/** The lines of cells that tiles travel along, from the wall on: left, right, up, down. */
const LINES = [left, reversed(left), up, reversed(up)];

/** @returns {{board: number[], points: number} | null} null where nothing changes; tiles are exponents */
export function slide(board, direction) {
  const after = new Array(16).fill(0);
  let points = 0;
  for (const line of LINES[direction]) {
    let filled = 0;
    let last = 0;
    for (const cell of line) {
      const tile = board[cell];
      if (tile === 0) continue;
      if (tile === last) {
        after[line[filled - 1]] = tile + 1;
        points += 2 ** (tile + 1);
        last = 0;
      } else {
        after[line[filled]] = tile;
        filled += 1;
        last = tile;
      }
    }
  }
  return after.some((tile, cell) => tile !== board[cell]) ? { board: after, points } : null;
}

function addTile(board, random) {
  const empty = [];
  for (let cell = 0; cell < 16; cell += 1) if (board[cell] === 0) empty.push(cell);
  board[empty[Math.floor(random() * empty.length)]] = random() < 0.1 ? 2 : 1;
  return board;
}

function isStuck(board) {
  return board.every(
    (tile, cell) => tile !== 0 && (cell % 4 === 3 || tile !== board[cell + 1]) && (cell > 11 || tile !== board[cell + 4]),
  );
}

const startBoard = (random) => addTile(addTile(new Array(16).fill(0), random), random);

export const newRacer = (random = Math.random) => ({ board: startBoard(random), score: 0, biggest: 1, slides: 0 });

/** Slides a racer's board in place. @returns {boolean} whether it changed */
export function play(racer, direction, random = Math.random) {
  const slid = slide(racer.board, direction);
  if (slid === null) return false;
  racer.board = addTile(slid.board, random);
  racer.score += slid.points;
  racer.slides += 1;
  if (isStuck(racer.board)) Object.assign(racer, { board: startBoard(random), score: 0, slides: 0 });
  racer.biggest = Math.max(...racer.board);
  return true;
}
