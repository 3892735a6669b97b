import { renameArgs } from "@hookline/runtime/internal";
import { type Fields, isFields } from "../payload.ts";

/** A tool of a host that hookline has, too. */
export interface SameTool {
  /** hookline's name. */
  readonly tool: string;
  /** The host's argument names to hookline's; those not listed are the same. */
  readonly args?: Readonly<Record<string, string>>;
  /** The host replaces one text by another in two arguments, and hookline in a list of edits. */
  readonly isEdit?: true;
}

/** The tools of a host by its own names; those not listed keep their names and arguments. */
export type SameTools = Readonly<Record<string, SameTool>>;

/** A call with hookline's names, where it has the same tool. */
export function ourCall(
  tools: SameTools,
  name: string,
  args: Fields,
): { readonly tool: string; readonly args: Fields } {
  const same = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (same === undefined) return { tool: name, args };
  const { old_string, new_string, ...rest } = renameArgs(args, same.args ?? {});
  if (!same.isEdit || typeof old_string !== "string")
    return { tool: same.tool, args: renameArgs(args, same.args ?? {}) };
  return { tool: same.tool, args: { ...rest, edits: [{ oldText: old_string, newText: new_string ?? "" }] } };
}

/** Arguments with the host's names again. */
export function theirArgs(tools: SameTools, name: string, args: Fields): Fields {
  const same = Object.hasOwn(tools, name) ? tools[name] : undefined;
  const names = Object.entries(same?.args ?? {}).map(([theirs, ours]) => [ours, theirs] as const);
  const { edits, ...rest } = args;
  const [edit] = same?.isEdit && Array.isArray(edits) ? (edits as readonly unknown[]) : [];
  const plain = isFields(edit) ? { ...rest, old_string: edit["oldText"], new_string: edit["newText"] } : args;
  return renameArgs(plain, Object.fromEntries(names));
}
