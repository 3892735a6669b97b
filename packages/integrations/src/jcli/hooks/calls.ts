import { isFields } from "@hookline/ground";
import { callLens } from "@hookline/runtime/dialect";
import { argumentSpellings, type CallArgs } from "@hookline/runtime/engine";
import { ourEdit, theirEdit } from "../../settings-hooks/edits.ts";
import { jcliTools } from "../tools.ts";

/** Translates between hookline's and j-cli's names of tools. Tools that are not listed keep their names. */
export const jcliCalls = callLens(argumentSpellings(jcliTools, { edit: { get: singleEdit, put: editList } }));

/** j-cli's names of its tools, for reports about filters. */
export const TOOL_NAMES: readonly string[] = Object.keys(jcliTools.tools);

/** Shows a single replacement as j-cli's two arguments, and several as a list with j-cli's names. */
function singleEdit({ edits, ...rest }: CallArgs): CallArgs {
  if (edits === undefined) return rest;
  if (!Array.isArray(edits)) return { ...rest, edits };
  const named = edits.map((edit) => theirEdit(edit));
  const [only] = named;
  const plain = named.length === 1 && isFields(only) && Object.keys(only).every((key) => !Object.hasOwn(rest, key));
  return plain && isPair(only) ? { ...rest, ...only } : { ...rest, edits: named };
}

function editList({ old_string, new_string, ...rest }: CallArgs): CallArgs {
  if (old_string !== undefined) return { ...rest, edits: [{ oldText: old_string, newText: new_string ?? "" }] };
  const kept = new_string === undefined ? rest : { ...rest, new_string };
  const { edits } = rest;
  if (!Array.isArray(edits)) return kept;
  return { ...kept, edits: edits.map((edit) => ourEdit(edit)) };
}

function isPair(edit: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(edit);
  return keys.length === 2 && keys.includes("old_string") && keys.includes("new_string");
}
