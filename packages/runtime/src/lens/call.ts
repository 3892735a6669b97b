import { equal } from "./equal.ts";
import { readJson } from "./json.ts";

/** The arguments of a tool call. */
export type CallArgs = Readonly<Record<string, unknown>>;

/** A dialect's names for one tool of the host and its arguments. */
export interface Spelling {
  readonly name: string;
  /** Maps the host's argument names to the dialect's; names that are not listed are the same. */
  readonly args?: Readonly<Record<string, string>>;
  /** Converts arguments that differ in more than their names; receives the arguments after `args` has renamed them. */
  readonly shape?: { get(args: CallArgs): CallArgs; put(given: CallArgs): CallArgs };
}

/** The host's tools for which a dialect has its own names, by the host's name. */
export type Spellings = Readonly<Record<string, Spelling>>;

/** Arguments converted back to the host's, or why that is impossible. */
export type PutArgs = { readonly ok: true; readonly args: CallArgs } | { readonly ok: false; readonly problem: string };

/**
 * Converts a tool call to what a dialect sees: a name, and arguments as an object or as JSON text. Names that the
 * dialect does not have stay the host's; the host's own names are understood as well.
 */
export interface CallLens {
  /** Returns the dialect's name of the host's tool. */
  name(tool: string): string;
  /** Returns the host's name of the dialect's tool. */
  tool(name: string): string;
  args(tool: string, args: CallArgs): CallArgs;
  /** Converts arguments back to the host's; returns `original` itself if nothing was changed. */
  putArgs(tool: string, given: CallArgs, original: CallArgs): CallArgs;
  text(tool: string, args: CallArgs): string;
  /** Converts like `putArgs`, but from JSON text; only a JSON object is accepted. */
  putText(tool: string, text: string, original: CallArgs): PutArgs;
}

/** Makes a `CallLens` from a table of names. */
export function callLens(spellings: Spellings): CallLens {
  const tools = new Map(Object.entries(spellings).map(([tool, { name }]) => [name, tool]));
  const spelling = (tool: string): Spelling | undefined =>
    Object.hasOwn(spellings, tool) ? spellings[tool] : undefined;

  const args = (tool: string, own: CallArgs): CallArgs => {
    const known = spelling(tool);
    const renamed = known?.args === undefined ? own : renameArgs(own, known.args);
    return known?.shape === undefined ? renamed : known.shape.get(renamed);
  };
  const putArgs = (tool: string, given: CallArgs, original: CallArgs): CallArgs => {
    if (equal(given, args(tool, original))) return original;
    const known = spelling(tool);
    const shaped = known?.shape === undefined ? given : known.shape.put(given);
    const own = known?.args === undefined ? shaped : renameArgs(shaped, inverse(known.args));
    return equal(own, original) ? original : own;
  };
  const text = (tool: string, own: CallArgs): string => JSON.stringify(args(tool, own));
  return {
    name: (tool) => spelling(tool)?.name ?? tool,
    tool: (name) => (spelling(name) === undefined ? (tools.get(name) ?? name) : name),
    args,
    putArgs,
    text,
    putText(tool, given, original) {
      if (given === text(tool, original)) return { ok: true, args: original };
      const read = readJson(given);
      if (!read.ok) return read;
      if (typeof read.value !== "object" || read.value === null || Array.isArray(read.value))
        return { ok: false, problem: "it is not a JSON object" };
      return { ok: true, args: putArgs(tool, read.value as CallArgs, original) };
    },
  };
}

/** The lens of a dialect that uses the host's names. */
export const sameCalls: CallLens = callLens({});

/**
 * Renames arguments. If the new name is taken by another argument, that one gets the old name. So no argument is lost,
 * and none that the tool does not know replaces one that it does.
 */
export function renameArgs(args: CallArgs, names: Readonly<Record<string, string>>): CallArgs {
  const given = Object.entries(names).filter(([name]) => Object.hasOwn(args, name));
  const swapped = new Map([...given.map(([from, to]) => [to, from] as const), ...given]);
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [swapped.get(name) ?? name, value]));
}

/** Swaps the two sides of a table of names. */
export function inverse(names: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(names).map(([own, theirs]) => [theirs, own]));
}
