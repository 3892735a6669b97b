import { readFile } from "node:fs/promises";
import { HooklineError } from "@hookline/runtime";
import { messageOf } from "@hookline/runtime/internal";
import { parseJson } from "./json-text.ts";
import { lineOf } from "./locate.ts";
import { type Script, scriptProblems } from "./reply.ts";

/**
 * Reads a script for the scripted model from a YAML or JSON file.
 * Throws a `HooklineError` with the file, the line and what to do: UNREADABLE, SYNTAX, BAD_ENTRY, UNKNOWN_KEY.
 */
export async function readScript(path: string): Promise<Script> {
  const source = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new HooklineError("UNREADABLE", { path, problem: messageOf(cause) }, { cause });
  });
  const value = path.endsWith(".json") ? readJson(path, source) : await readYaml(path, source);
  const [first] = scriptProblems(value);
  if (first === undefined) return value as Script;
  const line = await lineOf(source, first.path);
  const { problem, remedy } = first;
  throw new HooklineError("BAD_ENTRY", { path, line, problem, remedy }, { source: { path, line, tier: "user" } });
}

function readJson(path: string, source: string): unknown {
  const parsed = parseJson(source);
  if ("problem" in parsed) throw syntax(path, parsed.line, parsed.problem);
  return parsed.value;
}

async function readYaml(path: string, source: string): Promise<unknown> {
  const { parse } = await import("../file/yaml.ts");
  try {
    return parse(source, { prettyErrors: true });
  } catch (cause) {
    const line = (cause as { linePos?: readonly [{ line: number }] }).linePos?.[0].line ?? 1;
    const [problem = ""] = messageOf(cause).split(/ at line |\n/);
    throw syntax(path, line, problem, cause);
  }
}

function syntax(path: string, line: number, problem: string, cause?: unknown): HooklineError {
  return new HooklineError("SYNTAX", { path, line, problem }, { source: { path, line, tier: "user" }, cause });
}
