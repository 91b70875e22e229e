import type { Board } from "./types";

const KEY = "todo-board/v1";

export type Loaded = { ok: true; board: Board } | { ok: false; remains: string; why: string };

export function load(storage: Storage): Loaded {
  const text = storage.getItem(KEY);
  if (text === null) return { ok: true, board: empty() };
  try {
    return { ok: true, board: check(JSON.parse(text)) };
  } catch (e) {
    return { ok: false, remains: text, why: String(e) };
  }
}

function check(value: unknown): Board {
  const b = value as Board;
  for (const col of ["todo", "doing", "done"] as const) {
    if (!Array.isArray(b?.columns?.[col])) throw new TypeError(`column ${col} is missing`);
  }
  return b;
}

export function empty(): Board {
  return { columns: { todo: [], doing: [], done: [] } };
}
