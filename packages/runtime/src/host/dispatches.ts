import { HooklineError } from "../error/error.ts";
import type { Plan } from "../hook/lane.ts";
import type { DispatchContext } from "../run/context.ts";
import { dispatch } from "../run/dispatch.ts";
import type { Outcome } from "../run/outcome.ts";
import type { EmitOptions } from "../run/wrap.ts";
import { depthOf, nested } from "./nesting.ts";

/** How deeply emits from inside handlers may nest. */
const MAX_DEPTH = 8;

/** The running dispatches of one session. */
export class Dispatches {
  #running = 0;
  #idle: (() => void)[] = [];

  /** Begins a dispatch; call `over` when it has ended. Throws if too many wait for each other. */
  begin(plan: Plan, payload: object, context: DispatchContext, options?: EmitOptions): Outcome | Promise<Outcome> {
    // A dispatch is not nested if no other one runs; only one that may be nested pays for tracking.
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
