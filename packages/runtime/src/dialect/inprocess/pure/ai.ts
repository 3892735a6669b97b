import type { Exports, ModuleUse } from "../provide.ts";
import { importTypebox, StringEnum } from "./schema.ts";
import { calculateCost } from "./usage.ts";

/** What the package of the model interface exports without a host. */
export async function aiExports({ mentions }: ModuleUse): Promise<Exports> {
  // A word of a comment must not cost a module its load, so a missing package is only a missing name here.
  const typebox = mentions("Type") ? await importTypebox().catch(() => undefined) : undefined;
  return { StringEnum, calculateCost, ...(typebox !== undefined && { Type: typebox["Type"] }) };
}
