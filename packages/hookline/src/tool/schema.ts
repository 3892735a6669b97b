import { type Fault, faultsOf } from "./check.ts";
import { coerce } from "./coerce.ts";
import type { Tool } from "./tool.ts";

/** Faults that one error names. */
const MAX_FAULTS = 8;

/**
 * Checks a call's arguments against the tool's parameters, and returns a copy in which plain mistakes of type are put
 * right (`"5"` where a number is wanted). The arguments given are never changed. Throws an error that names each fault.
 */
export function validateArguments(tool: Pick<Tool, "name" | "parameters">, args: unknown): Record<string, unknown> {
  const checked = coerce(structuredClone(args), tool.parameters);
  const faults = faultsOf(checked, tool.parameters);
  if (faults.length === 0) return checked as Record<string, unknown>;
  const list = faults.slice(0, MAX_FAULTS).map((fault) => `  - ${placeOf(fault)}: ${fault.message}`);
  throw new Error(
    `Validation failed for tool "${tool.name}":\n${list.join("\n")}\n\nReceived arguments:\n${JSON.stringify(args, null, 2)}`,
  );
}

function placeOf({ at }: Fault): string {
  return at.slice(1).replaceAll("/", ".") || "root";
}
