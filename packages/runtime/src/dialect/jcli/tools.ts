import { type CallArgs, callLens } from "../../lens/call.ts";

/**
 * hookline's tools as j-cli calls them, with j-cli's argument names. Tools that are not listed keep their names.
 * Source: the parameter lists of j-cli 12.9's tools; decision 35.
 */
export const jcliCalls = callLens({
  bash: { name: "Bash" },
  read: { name: "Read" },
  write: { name: "Write" },
  edit: { name: "Edit", shape: { get: singleEdit, put: editList } },
  grep: { name: "Grep", args: { ignoreCase: "ignore_case", limit: "head_limit" } },
  find: { name: "Glob" },
  ask: { name: "Ask" },
  register_hook: { name: "RegisterHook" },
});

/** j-cli's names of the tools above, for reports on filters. */
export const TOOL_NAMES: readonly string[] = ["Bash", "Read", "Write", "Edit", "Grep", "Glob", "Ask", "RegisterHook"];

/** One replacement is shown as j-cli's own two arguments; several stay a list, with j-cli's names in it. */
function singleEdit({ edits, ...rest }: CallArgs): CallArgs {
  if (edits === undefined) return rest;
  if (!Array.isArray(edits)) return { ...rest, edits };
  const named = edits.map((edit) => respell(edit, "oldText", "old_string", "newText", "new_string"));
  const [only] = named;
  const plain = named.length === 1 && isRecord(only) && Object.keys(only).every((key) => !Object.hasOwn(rest, key));
  return plain && isPair(only) ? { ...rest, ...only } : { ...rest, edits: named };
}

function editList({ old_string, new_string, ...rest }: CallArgs): CallArgs {
  if (old_string !== undefined) return { ...rest, edits: [{ oldText: old_string, newText: new_string ?? "" }] };
  const kept = new_string === undefined ? rest : { ...rest, new_string };
  const { edits } = rest;
  if (!Array.isArray(edits)) return kept;
  return { ...kept, edits: edits.map((edit) => respell(edit, "old_string", "oldText", "new_string", "newText")) };
}

function respell(edit: unknown, old: string, oldNow: string, text: string, textNow: string): unknown {
  if (!isRecord(edit)) return edit;
  const names: Readonly<Record<string, string>> = { [old]: oldNow, [text]: textNow };
  return Object.fromEntries(
    Object.entries(edit).map(([key, value]) => [Object.hasOwn(names, key) ? (names[key] as string) : key, value]),
  );
}

function isPair(edit: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(edit);
  return keys.length === 2 && keys.includes("old_string") && keys.includes("new_string");
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
