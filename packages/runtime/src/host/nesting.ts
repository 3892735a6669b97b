import { AsyncLocalStorage } from "node:async_hooks";

/** A dispatch that was begun while another of its session ran. */
interface Frame {
  readonly session: object;
  readonly parent: Frame | undefined;
  isLive: boolean;
}

const current = new AsyncLocalStorage<Frame>();

/** Dispatches of the session that wait, at this place of the code, for what is done now; the outermost is not counted. */
export function depthOf(session: object): number {
  let depth = 0;
  for (let frame = current.getStore(); frame !== undefined; frame = frame.parent)
    if (frame.isLive && frame.session === session) depth += 1;
  return depth;
}

/**
 * Begins a dispatch so that whatever its handlers do, now or after a wait, is known to be inside it until it ends.
 * Costs more than a short dispatch, so it is meant for those that may be nested.
 */
export function nested<T>(session: object, begin: () => T): T {
  let parent = current.getStore();
  // What an ended dispatch has started goes on by itself and is inside nothing.
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
