/** Who is told of an error that nobody caught: the entry path of the module at fault, if one can be named. */
export type Told = (error: unknown, path: string | undefined) => void;

/** Names the module that an error belongs to; `undefined` for everybody else's. */
type Owner = (error: unknown) => string | undefined;

/** Per process, as the events are. */
const told = new Set<Told>();
let owner: Owner = () => undefined;
let isInstalled = false;

/**
 * Catches what modules throw, or reject with, after their handlers have returned, and tells of it (guarantees R27).
 *
 * An error with a frame of other code, and none of a module's, is somebody else's: it ends the process unless the host
 * listens for it itself, as ever. One without any such frame, such as that of a floating promise of Node's, counts as a
 * module's, because a host that runs modules must not end for it. Catching goes on when nobody is told any more, since
 * a module's timers do. Returns the end of the telling.
 */
export function catchLate(named: Owner, tell: Told): () => void {
  owner = named;
  told.add(tell);
  if (!isInstalled) {
    isInstalled = true;
    process.on("uncaughtException", caught);
    process.on("unhandledRejection", rejected);
  }
  return () => void told.delete(tell);
}

function caught(error: unknown): void {
  if (taken(error) || process.listenerCount("uncaughtException") > 1) return;
  giveBack(error);
}

function rejected(error: unknown): void {
  if (taken(error) || process.listenerCount("unhandledRejection") > 1) return;
  giveBack(error);
}

function taken(error: unknown): boolean {
  const path = owner(error);
  if (path === undefined && !isAnonymous(error)) return false;
  if (told.size === 0) process.emitWarning(`${path ?? "A module"} failed after its session had ended`);
  for (const tell of told) tell(error, path);
  return true;
}

/** Whether no frame of the stack is anybody's code. */
function isAnonymous(error: unknown): boolean {
  let stack: unknown;
  try {
    ({ stack } = error as { stack?: unknown });
  } catch {
    return true;
  }
  if (typeof stack !== "string") return true;
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return frames.every((frame) => /\(?(?:node:[\w/.-]+:\d+:\d+|<anonymous>|native)\)?$/.test(frame));
}

/** Lets the error end the process as it would have done without anybody listening. */
function giveBack(error: unknown): void {
  process.off("uncaughtException", caught);
  process.off("unhandledRejection", rejected);
  isInstalled = false;
  setImmediate(() => {
    throw error;
  });
}
