import { resolve } from "node:path";
import { isFields } from "@hookline/ground";
import { callLens } from "@hookline/runtime/dialect";
import { argumentSpellings, type CallArgs, expandPath, readCall } from "@hookline/runtime/engine";
import { ourEdit, theirEdit } from "../../settings-hooks/edits.ts";
import { claudeTools } from "../tools.ts";

/** Translates between hookline's and Claude Code's names of tools. Tools that are not listed keep their names. */
const calls = callLens(argumentSpellings(claudeTools, { edit: { get: singleEdit, put: editList } }));

/** Returns Claude Code's name for a tool of hookline. */
export function nameOf(tool: string): string {
  return calls.name(tool);
}

/** Returns hookline's name for a tool of Claude Code. */
export function hostToolOf(name: string): string {
  return calls.tool(name);
}

/** Translates a call from one of Claude Code's transcripts to hookline's tool and arguments. */
export function ownCall(name: string, input: CallArgs): { readonly tool: string; readonly args: CallArgs } {
  return readCall(claudeTools, name, input).told;
}

/**
 * The name of the path argument of each tool, as Claude Code calls it. Tools that are not listed read paths in their
 * own way.
 */
const PATHS: ReadonlyMap<string, string> = new Map(
  Object.values(claudeTools.tools).flatMap(({ kind, tool, subject }) =>
    tool !== undefined && subject !== undefined && (kind === "reads" || kind === "writes" || kind === "searches")
      ? [[tool, subject] as const]
      : [],
  ),
);

/** Returns a call's arguments as a hook sees them. Paths are absolute: the file that the tool will really touch. */
export function inputOf(tool: string, args: CallArgs, cwd: string): CallArgs {
  return withPath(tool, calls.args(tool, args), cwd);
}

function withPath(tool: string, input: CallArgs, cwd: string): CallArgs {
  const name = PATHS.get(tool) ?? "file_path";
  const path = input[name];
  if (typeof path !== "string" || path === "") return input;
  const touched = PATHS.has(tool) ? expanded(path) : path;
  return { ...input, [name]: name === "file_path" ? resolve(cwd, touched) : touched };
}

function expanded(path: string): string {
  try {
    return expandPath(path);
  } catch {
    // A path that cannot be expanded is shown unchanged: the tool will fail to expand it, too.
    return path;
  }
}

/** A call and the new input that a hook wrote for it. */
export interface WrittenCall {
  readonly tool: string;
  /** The arguments with which the model called the tool. */
  readonly args: CallArgs;
  readonly input: CallArgs;
  readonly cwd: string;
  /** Further names of a tool that another agent calls through the bridge; `undefined` for hookline's own tools. */
  readonly aliases: readonly string[] | undefined;
}

/** Translates an input that a hook wrote to the tool's own arguments. Returns `args` itself if nothing changed. */
export function argsOf({ tool, args: original, input, cwd, aliases }: WrittenCall): CallArgs {
  const name = PATHS.get(tool) ?? "file_path";
  const written = calls.args(tool, original);
  const isSame = name in written && input[name] === withPath(tool, written, cwd)[name];
  const put = calls.putArgs(tool, isSame ? { ...input, [name]: written[name] } : input, original);
  // hookline's own tools refuse unknown arguments, so those that only Claude Code's tool has (`extra`) are dropped.
  // Another agent's tool may know them.
  if (aliases !== undefined || put === original) return put;
  const extra = claudeTools.tools[nameOf(tool)]?.extra ?? [];
  return Object.fromEntries(
    Object.entries(put).filter(([key]) => !extra.includes(key) || Object.hasOwn(original, key)),
  );
}

/**
 * Shows an edit in Claude Code's form, as `old_string` and `new_string`. If there are several replacements, these two
 * are of the first one, and `edits` lists all.
 */
function singleEdit({ edits, ...rest }: CallArgs): CallArgs {
  if (!Array.isArray(edits)) return edits === undefined ? rest : { ...rest, edits };
  const named = edits.map((edit) => theirEdit(edit));
  const [first] = named;
  if (!isFields(first)) return { ...rest, edits: named };
  const shown = { replace_all: false, ...rest, ...first };
  return named.length === 1 ? shown : { ...shown, edits: named };
}

function editList({ old_string, new_string, replace_all, edits, ...given }: CallArgs): CallArgs {
  // hookline's `edit` has no `replace_all` and behaves as if it were false, so only `true` is passed on.
  const rest = replace_all === true ? { ...given, replace_all } : given;
  if (!Array.isArray(edits))
    return old_string === undefined ? rest : { ...rest, edits: [{ oldText: old_string, newText: new_string ?? "" }] };
  const [, ...others] = edits;
  const first = old_string === undefined ? edits[0] : { ...(edits[0] as object), old_string, new_string };
  return { ...rest, edits: [first, ...others].map((edit) => ourEdit(edit)) };
}
