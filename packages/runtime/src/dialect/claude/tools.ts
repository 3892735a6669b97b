import { resolve } from "node:path";
import { type CallArgs, callLens } from "../../lens/call.ts";
import { isRecord, ourEdit, theirEdit } from "../edits.ts";
import { expandPath } from "../written-path.ts";

/**
 * hookline's tools as Claude Code calls them, with its argument names. Tools that are not listed keep their names.
 * Source: spec/claude.md 4.
 */
const calls = callLens({
  bash: { name: "Bash", shape: { get: inMilliseconds, put: inSeconds } },
  read: { name: "Read", args: { path: "file_path" } },
  write: { name: "Write", args: { path: "file_path" } },
  edit: { name: "Edit", args: { path: "file_path" }, shape: { get: singleEdit, put: editList } },
  grep: { name: "Grep", args: { ignoreCase: "-i", limit: "head_limit" } },
  find: { name: "Glob" },
  ls: { name: "LS" },
  ask: { name: "AskUserQuestion" },
  todo: { name: "TodoWrite" },
  fetch: { name: "WebFetch" },
  task: { name: "Agent" },
});

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
  const tool = calls.tool(name);
  return { tool, args: calls.putArgs(tool, input, {}) };
}

/** The path arguments of the host's tools, by Claude Code's names. Other tools read paths as they like. */
const PATHS: ReadonlyMap<string, string> = new Map([
  ["read", "file_path"],
  ["write", "file_path"],
  ["edit", "file_path"],
  ["grep", "path"],
  ["find", "path"],
  ["ls", "path"],
]);

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

/** The host's arguments for an input that a hook wrote; `original` itself if it changed nothing. */
export function argsOf(tool: string, input: CallArgs, original: CallArgs, cwd: string): CallArgs {
  const name = PATHS.get(tool) ?? "file_path";
  const written = calls.args(tool, original);
  const isSame = name in written && input[name] === withPath(tool, written, cwd)[name];
  return calls.putArgs(tool, isSame ? { ...input, [name]: written[name] } : input, original);
}

function inMilliseconds({ timeout, ...rest }: CallArgs): CallArgs {
  if (timeout === undefined) return rest;
  return { ...rest, timeout: typeof timeout === "number" ? timeout * 1000 : timeout };
}

/** Arguments that only Claude Code's tool has are left out, since a tool refuses unknown arguments. */
function inSeconds({ timeout, description: _, run_in_background: __, ...rest }: CallArgs): CallArgs {
  if (timeout === undefined) return rest;
  return { ...rest, timeout: typeof timeout === "number" ? timeout / 1000 : timeout };
}

/** One replacement is shown as two arguments; of several the first, and all of them as a list. */
function singleEdit({ edits, ...rest }: CallArgs): CallArgs {
  if (!Array.isArray(edits)) return edits === undefined ? rest : { ...rest, edits };
  const named = edits.map((edit) => theirEdit(edit));
  const [first] = named;
  if (!isRecord(first)) return { ...rest, edits: named };
  const shown = { ...rest, ...first, replace_all: false };
  return named.length === 1 ? shown : { ...shown, edits: named };
}

function editList({ old_string, new_string, replace_all: _, edits, ...rest }: CallArgs): CallArgs {
  if (!Array.isArray(edits))
    return old_string === undefined ? rest : { ...rest, edits: [{ oldText: old_string, newText: new_string ?? "" }] };
  const [, ...others] = edits;
  const first = old_string === undefined ? edits[0] : { ...(edits[0] as object), old_string, new_string };
  return { ...rest, edits: [first, ...others].map((edit) => ourEdit(edit)) };
}
