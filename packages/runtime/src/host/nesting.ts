import { AsyncLocalStorage } from "node:async_hooks";

/** A dispatch that began while another one of its session was running. */
interface Frame {
  readonly session: object;
  readonly parent: Frame | undefined;
  isLive: boolean;
}

const current = new AsyncLocalStorage<Frame>();

/** The number of the session's dispatches that wait for the current code, not counting the outermost. */
export function depthOf(session: object): number {
  let depth = 0;
  for (let frame = current.getStore(); frame !== undefined; frame = frame.parent)
    if (frame.isLive && frame.session === session) depth += 1;
  return depth;
}

/**
 * Begins a dispatch so that everything its handlers do, now or after a wait, is known to be inside it until it ends.
 * This costs more than a short dispatch, so it is only for dispatches that may be nested.
 */
export function nested<T>(session: object, begin: () => T): T {
  let parent = current.getStore();
  // Work that outlives its dispatch is inside nothing.
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
