import { blame } from "./blame.ts";

type Method = (this: Stdin, ...args: unknown[]) => unknown;
type Stdin = NodeJS.ReadStream & Record<string, unknown>;

interface StdinChange {
  readonly label: string;
  undo(): void;
}

const LISTENING = ["on", "addListener", "once", "prependListener", "prependOnceListener"] as const;
/**
 * Matches properties by which `readline` knows that it listens to a stream. If they outlive its listeners, `readline`
 * never listens there again.
 */
const READLINE_MARK = /^(?:keypress|escape)-decoder$/;

/** The labels of the loads that are watched, one entry per load. */
const watched: string[] = [];
let changes: StdinChange[] = [];
let unwatch: (() => void) | undefined;

/**
 * Records what the module does to stdin until the returned function is called, which undoes it. Does not open stdin
 * itself, because opening it changes how the process ends.
 */
export function watchStdin(label: string): () => void {
  watched.push(label);
  unwatch ??= watchProperty();
  return () => {
    watched.splice(watched.indexOf(label), 1);
    if (!watched.includes(label)) undoFor(label);
    if (watched.length > 0) return;
    unwatch?.();
    unwatch = undefined;
  };
}

function undoFor(label: string): void {
  const undone = changes.filter((change) => change.label === label);
  changes = changes.filter((change) => change.label !== label);
  for (const change of undone.reverse()) change.undo();
}

/** Replaces the property `process.stdin`, to watch the stream from its first use. */
function watchProperty(): () => void {
  const before = Object.getOwnPropertyDescriptor(process, "stdin");
  if (before?.configurable !== true) return () => {};
  let release: (() => void) | undefined;
  const get = (): unknown => {
    const stream = (before.get === undefined ? before.value : before.get.call(process)) as Stdin;
    release ??= watchStream(stream);
    return stream;
  };
  Object.defineProperty(process, "stdin", { configurable: true, enumerable: before.enumerable ?? true, get });
  return () => {
    release?.();
    if (Object.getOwnPropertyDescriptor(process, "stdin")?.get === get) Object.defineProperty(process, "stdin", before);
  };
}

function watchStream(stream: Stdin): () => void {
  const symbols = new Set(Object.getOwnPropertySymbols(stream));
  const releases = [
    ...LISTENING.map((name) =>
      before(stream, name, (event, listener) => () => unlisten(stream, event, listener, symbols)),
    ),
    before(stream, "resume", () => flowBack(stream)),
    before(stream, "pause", () => flowBack(stream)),
    before(stream, "setRawMode", () => {
      const { isRaw } = stream;
      return () => stream.setRawMode(isRaw);
    }),
  ];
  return () => {
    for (const release of releases) release();
  };
}

/** Replaces a method of the stream with one that records how to undo a module's call. */
function before(stream: Stdin, name: string, note: (...args: unknown[]) => () => void): () => void {
  const own = Object.getOwnPropertyDescriptor(stream, name);
  const method = stream[name];
  if (typeof method !== "function") return () => {};
  const noted: Method = function (...args) {
    const { label } = blame(noted);
    if (label !== undefined && watched.includes(label)) changes.push({ label, undo: note(...args) });
    return Reflect.apply(method, this, args);
  };
  Object.defineProperty(stream, name, { value: noted, configurable: true, writable: true, enumerable: false });
  return () => {
    if (stream[name] !== noted) return;
    if (own === undefined) Reflect.deleteProperty(stream, name);
    else Object.defineProperty(stream, name, own);
  };
}

function unlisten(stream: Stdin, event: unknown, listener: unknown, symbols: ReadonlySet<symbol>): void {
  stream.removeListener(event as string, listener as () => void);
  for (const symbol of Object.getOwnPropertySymbols(stream)) {
    if (!symbols.has(symbol) && READLINE_MARK.test(symbol.description ?? "")) Reflect.deleteProperty(stream, symbol);
  }
}

function flowBack(stream: Stdin): () => void {
  const flowed = stream.readableFlowing === true;
  return () => {
    if (stream.readableFlowing === flowed) return;
    if (flowed) stream.resume();
    else stream.pause();
  };
}
