import { fromInstallation } from "../../../error/installation.ts";

/** A JSON schema of a string out of a list, with a description or default beside it. */
export function StringEnum(values: readonly string[], options: object = {}): object {
  return { type: "string", enum: [...values], ...options };
}

const packages: Readonly<Record<string, () => Promise<object>>> = {
  typebox: () => import("typebox"),
  "typebox/value": () => import("typebox/value"),
  "typebox/compile": () => import("typebox/compile"),
};

/** Imports one of typebox's modules, which is a package of its own; throws where it is missing. */
export async function importTypebox(specifier = "typebox"): Promise<Readonly<Record<string, unknown>>> {
  return (await fromInstallation("typebox", async () => packages[specifier]?.())) as Readonly<Record<string, unknown>>;
}
