import { resolve } from "node:path";
import { isFields } from "@hookline/ground";
import { callLens } from "@hookline/runtime/dialect";
import { argumentSpellings, type CallArgs, expandPath, readCall } from "@hookline/runtime/engine";
import { ourEdit, theirEdit } from "../../settings-hooks/edits.ts";
import { claudeTools } from "../tools.ts";

/** hookline's tools as Claude Code calls them. Tools that are not listed keep their names. */
const calls = callLens(argumentSpellings(claudeTools, { edit: { get: singleEdit, put: editList } }));

/** Claude Code's name of a tool of the host. */
export function nameOf(tool: string): string {
  return calls.name(tool);
}

/** The host's name of a tool of Claude Code. */
export function hostToolOf(name: string): string {
  return calls.tool(name);
}

/** The host's tool and arguments of a call that Claude Code made, as its transcripts have it. */
export function ownCall(name: string, input: CallArgs): { readonly tool: string; readonly args: CallArgs } {
  return readCall(claudeTools, name, input).told;
}

/** The path arguments of the host's tools, by Claude Code's names. Other tools read paths as they like. */
const PATHS: ReadonlyMap<string, string> = new Map(
  Object.values(claudeTools.tools).flatMap(({ kind, tool, subject }) =>
    tool !== undefined && subject !== undefined && (kind === "reads" || kind === "writes" || kind === "searches")
      ? [[tool, subject] as const]
      : [],
  ),
);

/** A call's arguments as a hook reads them: files by the absolute paths that the tool touches, however they are written. */
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
    // The tool could not read it either.
    return path;
  }
}

/** A call whose input a hook wrote. */
export interface WrittenCall {
  readonly tool: string;
  /** As the tool was called. */
  readonly args: CallArgs;
  readonly input: CallArgs;
  readonly cwd: string;
  /** The names by which another agent knows the tool; absent for hookline's own. */
  readonly aliases: readonly string[] | undefined;
}

/** The host's arguments for an input that a hook wrote; `original` itself if it changed nothing. */
export function argsOf({ tool, args: original, input, cwd, aliases }: WrittenCall): CallArgs {
  const name = PATHS.get(tool) ?? "file_path";
  const written = calls.args(tool, original);
  const isSame = name in written && input[name] === withPath(tool, written, cwd)[name];
  const put = calls.putArgs(tool, isSame ? { ...input, [name]: written[name] } : input, original);
  // Another agent's tool takes what its own hooks may give; hookline's own refuses arguments that it does not know.
  if (aliases !== undefined || put === original) return put;
  const extra = claudeTools.tools[nameOf(tool)]?.extra ?? [];
  return Object.fromEntries(
    Object.entries(put).filter(([key]) => !extra.includes(key) || Object.hasOwn(original, key)),
  );
}

/** One replacement is shown as two arguments; of several the first, and all of them as a list. */
function singleEdit({ edits, ...rest }: CallArgs): CallArgs {
  if (!Array.isArray(edits)) return edits === undefined ? rest : { ...rest, edits };
  const named = edits.map((edit) => theirEdit(edit));
  const [first] = named;
  if (!isFields(first)) return { ...rest, edits: named };
  const shown = { replace_all: false, ...rest, ...first };
  return named.length === 1 ? shown : { ...shown, edits: named };
}

function editList({ old_string, new_string, replace_all, edits, ...given }: CallArgs): CallArgs {
  // hookline's own tool has no such argument, and false is what it does.
  const rest = replace_all === true ? { ...given, replace_all } : given;
  if (!Array.isArray(edits))
    return old_string === undefined ? rest : { ...rest, edits: [{ oldText: old_string, newText: new_string ?? "" }] };
  const [, ...others] = edits;
  const first = old_string === undefined ? edits[0] : { ...(edits[0] as object), old_string, new_string };
  return { ...rest, edits: [first, ...others].map((edit) => ourEdit(edit)) };
}
