import type { Input, World } from "./world";
import { bounce } from "./ball";

export const STEP = 1 / 120;

/** One fixed step. Pure: every rule that says "after ten seconds" reads w.gameTime. */
export function step(w: World, input: Input): World {
  if (w.phase !== "play") return w;
  const gameTime = w.gameTime + STEP;
  const tempo = 1.12 ** Math.floor(gameTime / 10);
  const balls = w.balls.map((b) => bounce(b, w.paddles, tempo * STEP));
  return { ...w, gameTime, balls };
}
