import type { Board, Card, CardId, ColumnId } from "./types";

/** Where a card goes when nobody says where: on top. */
const DEFAULT_POS = 0;

function takeCard(b: Board, id: CardId): { board: Board; card: Card } {
  for (const col of Object.keys(b.columns) as ColumnId[]) {
    const at = b.columns[col].findIndex((c) => c.id === id);
    if (at < 0) continue;
    const list = b.columns[col].slice();
    const [card] = list.splice(at, 1);
    return { board: { ...b, columns: { ...b.columns, [col]: list } }, card };
  }
  throw new Error(`no card ${id}`);
}

export function insertCard(b: Board, card: Card, to: ColumnId, index = DEFAULT_POS): Board {
  const list = b.columns[to].slice();
  list.splice(index, 0, card);
  return { ...b, columns: { ...b.columns, [to]: list } };
}

/** The one way a card moves, for pointer and keyboard alike. */
export function moveCard(b: Board, id: CardId, to: ColumnId, index: number): Board {
  const { board, card } = takeCard(b, id);
  return insertCard(board, card, to, index);
}
