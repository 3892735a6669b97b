import { isFields } from "@hookline/ground";
import type { CallArgs } from "@hookline/runtime/engine";

const TO_THEIRS: Readonly<Record<string, string>> = { oldText: "old_string", newText: "new_string" };
const TO_OURS: Readonly<Record<string, string>> = { old_string: "oldText", new_string: "newText" };

/** Renames the fields of one replacement of an edit from hookline's names to Claude Code's, which j-cli also uses. */
export function theirEdit(edit: unknown): unknown {
  return respell(edit, TO_THEIRS);
}

/** Renames the fields of one replacement of an edit from Claude Code's names to hookline's. */
export function ourEdit(edit: unknown): unknown {
  return respell(edit, TO_OURS);
}

function respell(edit: unknown, names: Readonly<Record<string, string>>): unknown {
  if (!isFields(edit)) return edit;
  return Object.fromEntries(
    Object.entries(edit).map(([key, value]) => [Object.hasOwn(names, key) ? (names[key] as string) : key, value]),
  );
}

/** Returns an `edit` call for a change of a notebook, since other agents' guards know no tool for notebooks. */
export function notebookEdit({ notebook_path: path, new_source: newText = "" }: CallArgs) {
  return [{ tool: "edit", args: { path, edits: [{ oldText: "", newText }] } }];
}
