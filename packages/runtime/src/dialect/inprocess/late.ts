/** Names the module that an error belongs to; `undefined` for everybody else's. */
type Owner = (error: unknown) => string | undefined;

/** One load that errors may still come from. */
interface Held {
  /** The module's entry path. */
  readonly path: string;
  /** Told of an error that nobody waited for, with the path of its module or, where its stack names no code, without. */
  report(error: unknown, path: string | undefined): void;
}

/** Per process, as uncaught errors are. */
const held = new Set<Held>();
let ownerOf: Owner | undefined;

/**
 * Keeps errors that a module throws when nobody waits for it any more, in a timer, a listener or a promise, from
 * ending the process, and tells the loads of that module. The host's own errors end it as ever. Returns the undo.
 *
 * The process goes on listening afterwards: a module's timers outlive its load.
 */
export function holdLateErrors(load: Held, owner: Owner): () => void {
  if (ownerOf === undefined) process.on("uncaughtException", heard);
  ownerOf = owner;
  held.add(load);
  return () => void held.delete(load);
}

function heard(error: unknown): void {
  const path = ownerOf?.(error);
  if (path === undefined && namesCode(error)) {
    // Whoever else listens has decided that the process goes on.
    if (process.listenerCount("uncaughtException") === 1) endAsEver(error);
    return;
  }
  const own = [...held].filter((load) => load.path === path);
  for (const load of own.length > 0 ? own : held) load.report(error, path);
}

/** Whether code outside Node stands on an error's stack; without any, a module's is likelier than the host's. */
function namesCode(error: unknown): boolean {
  try {
    const { stack } = error as { readonly stack?: unknown };
    return String(stack)
      .split("\n")
      .some((line) => /^\s+at /.test(line) && !/\(?(?:node:[\w/.-]+:\d+:\d+|<anonymous>|native)\)?$/.test(line));
  } catch {
    return false;
  }
}

function endAsEver(error: unknown): void {
  process.stderr.write(`${(error as Error).stack}\n`, () => process.exit(1));
}
