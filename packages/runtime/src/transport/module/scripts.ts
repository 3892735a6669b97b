import { SourceMap } from "node:module";

/** A position in a source file, 1-based. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The origin of a running script, which is found by the name in stack traces. */
interface ScriptOrigin {
  readonly file: string;
  /** The entry path of the load that the script belongs to. */
  readonly entry: string;
  readonly shift: number;
  /** Returns the source map as JSON; called only when a position is needed. */
  map(): string | undefined;
}

const MAX_CAUSES = 8;

/**
 * The origins by script name, in one table for the process, because a stack trace may show scripts of several loads.
 * The table grows with distinct files, not with loads.
 */
const origins = new Map<string, ScriptOrigin>();
/** Script names by source file and entry. */
const names = new Map<string, Map<string, string>>();

/** Returns a name for a script: the file's path, with a number added if another entry runs the same file. */
export function nameScript(origin: ScriptOrigin): string {
  const taken = names.get(origin.file) ?? new Map<string, string>();
  const name = taken.get(origin.entry) ?? (taken.size === 0 ? origin.file : `${origin.file}?${taken.size + 1}`);
  names.set(origin.file, taken.set(origin.entry, name));
  origins.set(name, origin);
  return name;
}

/** Returns the entry path of the load that an error belongs to: by its own stack first, then by those of its causes. */
export function ownerOf(error: unknown): string | undefined {
  return frameIn(error)?.origin.entry;
}

/** Returns the source position at which an error was thrown, as far as its stack shows. */
export function positionOf(error: unknown): Position | undefined {
  const frame = frameIn(error);
  return frame === undefined ? undefined : original(frame);
}

function frameIn(error: unknown): Frame | undefined {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current !== undefined && current !== null; depth++) {
    for (const line of stackOf(current)) {
      const frame = frameOf(line);
      if (frame !== undefined) return frame;
    }
    current = causeOf(current);
  }
  return undefined;
}

interface Frame {
  readonly origin: ScriptOrigin;
  readonly line: number;
  readonly column: number;
}

/** A path may contain spaces and brackets, so the path is looked up from every possible start. */
function frameOf(text: string): Frame | undefined {
  const match = /:(\d+)(?::(\d+))?\)?$/.exec(text);
  if (match === null) return undefined;
  const head = text.slice(0, match.index);
  for (let start = 0; start !== -1 && start < head.length; start = nextStart(head, start)) {
    const origin = origins.get(head.slice(start));
    if (origin !== undefined) return { origin, line: Number(match[1]), column: Number(match[2] ?? 1) };
  }
  return undefined;
}

function nextStart(head: string, from: number): number {
  const space = head.indexOf(" ", from);
  if (space === -1) return -1;
  return head[space + 1] === "(" ? space + 2 : space + 1;
}

function original({ origin, line, column }: Frame): Position | undefined {
  const text = origin.map();
  if (text === undefined || text === "") return undefined;
  const entry = new SourceMap(JSON.parse(text)).findEntry(line - 1 - origin.shift, column - 1);
  if (!("originalLine" in entry)) return undefined;
  return { file: origin.file, line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}

function stackOf(error: unknown): readonly string[] {
  try {
    const stack = (error as { stack?: unknown } | null | undefined)?.stack;
    return typeof stack === "string" ? stack.split("\n") : [];
  } catch {
    return [];
  }
}

function causeOf(error: unknown): unknown {
  try {
    return (error as { cause?: unknown } | null | undefined)?.cause;
  } catch {
    return undefined;
  }
}
