/** Returns the scripts of a `package.json` by name; empty if its text cannot be read. */
export function scriptsOf(text: string): ReadonlyMap<string, string> {
  let read: unknown;
  try {
    read = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return new Map();
  }
  const scripts = isObject(read) && isObject(read["scripts"]) ? read["scripts"] : {};
  return new Map(Object.entries(scripts).flatMap(([name, text]) => (typeof text === "string" ? [[name, text]] : [])));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
