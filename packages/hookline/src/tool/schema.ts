import { type Fault, faultsOf } from "./check.ts";
import { coerce } from "./coerce.ts";
import type { Tool } from "./tool.ts";

/** The members of a tool with which the arguments of its calls are checked. */
type Checked = Pick<Tool, "name" | "parameters" | "checks" | "settle">;

/** The largest number of faults in one error. */
const MAX_FAULTS = 8;

/**
 * Checks a call's arguments against the tool's schema; returns a copy with simple type mistakes corrected. For example
 * `"5"` becomes a number. The given arguments are not changed. Throws an error for the model that names each fault and
 * repeats the arguments.
 */
export function validateArguments(tool: Checked, args: unknown): Record<string, unknown> {
  const { checked, faults } = check(tool, args);
  if (faults === undefined) return checked;
  throw new Error(
    `Validation failed for tool "${tool.name}":\n${faults.join("\n")}\n\nReceived arguments:\n${JSON.stringify(args, null, 2)}`,
  );
}

/** Checks arguments that a hook has changed. The error does not repeat them. */
export function acceptArguments(tool: Checked, args: unknown): Record<string, unknown> {
  const { checked, faults } = check(tool, args);
  if (faults === undefined) return checked;
  throw new Error(`the arguments do not fit the tool "${tool.name}":\n${faults.join("\n")}`);
}

function check(
  { parameters, checks = parameters, settle }: Checked,
  args: unknown,
): { readonly checked: Record<string, unknown>; readonly faults: readonly string[] | undefined } {
  const checked = coerce(structuredClone(args), checks) as Record<string, unknown>;
  const faults = faultsOf(checked, checks);
  const named = faults.slice(0, MAX_FAULTS).map((fault) => `  - ${placeOf(fault)}: ${fault.message}`);
  return faults.length === 0
    ? { checked: settle?.(checked) ?? checked, faults: undefined }
    : { checked, faults: named };
}

function placeOf({ at }: Fault): string {
  return at.slice(1).replaceAll("/", ".") || "root";
}
