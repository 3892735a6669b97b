import type { Script } from "node:vm";
import { keepCompiled } from "./compile.ts";
import type { Code } from "./readings.ts";
import type { ScriptStore } from "./store.ts";

/** Puts compiled scripts into the cache, after whoever waits has used their modules, so that their functions come along. */
export interface Keeping {
  /** At once while nobody waits. */
  keep(code: Code, script: Script): void;
  /** Has the cache wait; returns the undo, with the last of which everything is written. */
  wait(): () => void;
}

/** Makes the keeping of a transport. */
export function createKeeping(store: ScriptStore | undefined): Keeping {
  let waiting = 0;
  let kept: (readonly [Code, Script])[] = [];

  function keep(code: Code, script: Script): void {
    if (waiting === 0) keepCompiled(code, script, store);
    else kept.push([code, script]);
  }

  function wait(): () => void {
    waiting++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--waiting > 0) return;
      const all = kept;
      kept = [];
      for (const [code, script] of all) keepCompiled(code, script, store);
    };
  }

  return { keep, wait };
}
