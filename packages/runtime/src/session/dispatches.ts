import { AsyncLocalStorage } from "node:async_hooks";
import { HooklineError } from "@hookline/ground";
import type { Plan } from "../hook/lane.ts";
import type { DispatchContext } from "../run/context.ts";
import { dispatch } from "../run/dispatch.ts";
import type { Outcome } from "../run/outcome.ts";
import type { EmitOptions } from "../run/wrap.ts";

const current = new AsyncLocalStorage<Frame>();

/** The number of emits from inside handlers that may be nested. */
const MAX_DEPTH = 8;

/** The running dispatches of one session. */
export class Dispatches {
  #running = 0;
  #idle: (() => void)[] = [];

  /**
   * Begins a dispatch; the caller must call `over` when it has ended. Throws `REENTRANT_EMIT` if too many dispatches
   * are nested, each begun by a handler of the one before.
   */
  begin(plan: Plan, payload: object, context: DispatchContext, options?: EmitOptions): Outcome | Promise<Outcome> {
    // A dispatch is not nested if no other one runs, so that case skips the cost of tracking.
    const depth = this.#running === 0 ? 0 : 1 + depthOf(this);
    if (depth >= MAX_DEPTH) throw new HooklineError("REENTRANT_EMIT", { event: plan.row.name, depth });
    this.#running += 1;
    try {
      return depth === 0
        ? dispatch(plan, payload, context, options?.signal, options?.accept)
        : this.#inside(plan, payload, context, options);
    } catch (thrown) {
      this.over();
      throw thrown;
    }
  }

  over(): void {
    this.#running -= 1;
    if (this.#running === 0 && this.#idle.length > 0) for (const idle of this.#idle.splice(0)) idle();
  }

  /** Resolves when no dispatch is running. */
  settled(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #inside(plan: Plan, payload: object, context: DispatchContext, options?: EmitOptions): Outcome | Promise<Outcome> {
    return nested(this, () => dispatch(plan, payload, context, options?.signal, options?.accept));
  }
}

/** A dispatch that began while another one of its session was running. */
interface Frame {
  readonly session: object;
  readonly parent: Frame | undefined;
  isLive: boolean;
}

/**
 * Returns how many dispatches of the session wait for the current code, without the outermost, which has no `Frame`.
 */
function depthOf(session: object): number {
  let depth = 0;
  for (let frame = current.getStore(); frame !== undefined; frame = frame.parent)
    if (frame.isLive && frame.session === session) depth += 1;
  return depth;
}

/**
 * Begins a dispatch so that everything its handlers do, now or after a wait, is recognised as inside it until it ends.
 * This costs more than a short dispatch, so it is only for dispatches that may be nested.
 */
function nested<T>(session: object, begin: () => T): T {
  let parent = current.getStore();
  // Work that outlives its dispatch is no longer inside it.
  while (parent !== undefined && !parent.isLive) parent = parent.parent;
  const frame: Frame = { session, parent, isLive: true };
  const end = (): void => void (frame.isLive = false);
  let begun: T | undefined;
  try {
    begun = current.run(frame, begin);
    return begun;
  } finally {
    if (begun instanceof Promise) begun.then(end, end);
    else end();
  }
}
