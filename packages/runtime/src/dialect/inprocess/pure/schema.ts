/** A JSON schema of a string out of a list, with a description or default beside it. */
export function StringEnum(values: readonly string[], options: object = {}): object {
  return { type: "string", enum: [...values], ...options };
}

const packages: Readonly<Record<string, () => Promise<object>>> = {
  typebox: () => import("typebox"),
  "typebox/value": () => import("typebox/value"),
  "typebox/compile": () => import("typebox/compile"),
};

/** Imports one of typebox's modules, which is a package of its own; throws with what to do where it is missing. */
export async function importTypebox(specifier = "typebox"): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await packages[specifier]?.()) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw new Error(`The package "typebox" is not installed; run \`npm install typebox\` beside hookline`, { cause });
  }
}
