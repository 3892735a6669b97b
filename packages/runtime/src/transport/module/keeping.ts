import type { Script } from "node:vm";
import { keepCompiled } from "./compile.ts";
import type { Code } from "./readings.ts";
import type { ScriptStore } from "./store.ts";

/** Caches compiled scripts after everybody who waits has used their modules, so that their functions are included. */
export interface Keeping {
  /** Caches at once if nobody waits. */
  keep(code: Code, script: Script): void;
  /** Makes the cache wait; returns the undo. The last undo writes everything. */
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
