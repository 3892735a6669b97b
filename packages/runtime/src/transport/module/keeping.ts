import type { Script } from "node:vm";
import { keepCompiled } from "./compile.ts";
import type { Code } from "./readings.ts";
import type { ScriptStore } from "./store.ts";

/**
 * Delays the caching of compiled scripts until their modules have been used, so that the cache includes compiled
 * functions.
 */
export interface Keeping {
  /** Caches a script: at once, or if caching is delayed, when the delay ends. */
  keep(code: Code, script: Script): void;
  /**
   * Delays caching until the returned function is called. After several calls, everything is written when the last of
   * the returned functions is called.
   */
  wait(): () => void;
}

/** Creates the `Keeping` that all loads of a transport share. */
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
