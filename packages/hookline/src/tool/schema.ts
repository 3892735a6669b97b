import { type Fault, faultsOf } from "./check.ts";
import { coerce } from "./coerce.ts";
import type { Tool } from "./tool.ts";

/** Faults that one error names. */
const MAX_FAULTS = 8;

/**
 * Checks a call's arguments against the tool's parameters, and returns a copy in which plain mistakes of type are put
 * right (`"5"` where a number is wanted). The arguments given are never changed. Throws an error that names each fault
 * and repeats the arguments, for the model that made them.
 */
export function validateArguments(tool: Pick<Tool, "name" | "parameters">, args: unknown): Record<string, unknown> {
  const { checked, faults } = check(tool, args);
  if (faults === undefined) return checked;
  throw new Error(
    `Validation failed for tool "${tool.name}":\n${faults.join("\n")}\n\nReceived arguments:\n${JSON.stringify(args, null, 2)}`,
  );
}

/** The same for arguments that a hook has changed; its error names the faults and repeats nothing. */
export function acceptArguments(tool: Pick<Tool, "name" | "parameters">, args: unknown): Record<string, unknown> {
  const { checked, faults } = check(tool, args);
  if (faults === undefined) return checked;
  throw new Error(`the arguments do not fit the tool "${tool.name}":\n${faults.join("\n")}`);
}

function check(
  { parameters }: Pick<Tool, "parameters">,
  args: unknown,
): { readonly checked: Record<string, unknown>; readonly faults: readonly string[] | undefined } {
  const checked = coerce(structuredClone(args), parameters) as Record<string, unknown>;
  const faults = faultsOf(checked, parameters);
  const named = faults.slice(0, MAX_FAULTS).map((fault) => `  - ${placeOf(fault)}: ${fault.message}`);
  return { checked, faults: faults.length === 0 ? undefined : named };
}

function placeOf({ at }: Fault): string {
  return at.slice(1).replaceAll("/", ".") || "root";
}
