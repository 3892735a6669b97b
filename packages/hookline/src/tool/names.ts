import type { ToolKind } from "@hookline/runtime/engine";
import type { ToolArguments } from "@hookline/runtime/guard";

/** The built-in tools with their kinds, in the order in which models see them. This is the only list of them. */
export const BUILTIN = {
  read: "reads",
  bash: "runs",
  edit: "writes",
  write: "writes",
  grep: "searches",
  find: "searches",
  ls: "searches",
} as const satisfies Readonly<Record<keyof ToolArguments, ToolKind>>;

/** The name of a built-in tool. */
export type BuiltinName = keyof typeof BUILTIN;

/** Whether a name belongs to a built-in tool. */
export function isBuiltin(name: string): name is BuiltinName {
  return Object.hasOwn(BUILTIN, name);
}
