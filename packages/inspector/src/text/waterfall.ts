import type { HookAsked } from "../../../hookline/src/inspect/api.ts";

/** One hook that was asked at a moment, and when it ran, in ms since the beginning of its pass. */
export interface Bar {
  readonly hook: HookAsked;
  /** The hook's index among all hooks of the moment. */
  readonly index: number;
  /** The start and duration of the hook's run; absent if they are not known. */
  readonly run?: { readonly from: number; readonly ms: number };
}

/** The hooks that were asked in one pass. */
export interface Pass {
  readonly pass: 1 | 2;
  readonly ms: number;
  readonly bars: readonly Bar[];
}

/**
 * Reconstructs when each hook of a moment ran. A source records only the order of the hooks and how long each took.
 * Lanes run one after the other, and so do the hooks of a lane. But if the hooks together took longer than the moment,
 * those of a lane ran at the same time.
 */
export function passesOf(hooks: readonly HookAsked[], ms: number): readonly Pass[] {
  const counted = hooks.filter(({ shadow }) => shadow !== true);
  const sum = counted.reduce((all, hook) => all + (hook.ms ?? 0), 0);
  const isTogether = sum > ms * 1.05 + 0.1;
  const passes = ([1, 2] as const).map((pass) => passOf(hooks, pass, isTogether));
  return passes.filter(({ bars }) => bars.length > 0);
}

function passOf(hooks: readonly HookAsked[], pass: 1 | 2, isTogether: boolean): Pass {
  const bars: Bar[] = [];
  let lane: string | undefined;
  let laneFrom = 0;
  let end = 0;
  for (const [index, hook] of hooks.entries()) {
    if (hook.pass !== pass || hook.shadow === true) continue;
    if (hook.lane !== lane) {
      lane = hook.lane;
      laneFrom = end;
    }
    const from = isTogether ? laneFrom : end;
    if (hook.ms !== undefined) end = Math.max(end, from + hook.ms);
    bars.push({ hook, index, ...(hook.ms !== undefined && { run: { from, ms: hook.ms } }) });
  }
  // Hooks in shadow come last, because they are asked after all others.
  for (const [index, hook] of hooks.entries()) {
    if (hook.pass !== pass || hook.shadow !== true) continue;
    bars.push({ hook, index, ...(hook.ms !== undefined && { run: { from: end, ms: hook.ms } }) });
    end += hook.ms ?? 0;
  }
  return { pass, ms: end, bars };
}
