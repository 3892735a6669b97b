import { createHash } from "node:crypto";

/**
 * Returns the id of a tool call in traces and logs: the SHA-256, in lower-case hex, of the UTF-8 bytes of the canonical
 * JSON (RFC 8785) of `{"args": ARGUMENTS, "tool": NAME}`. The arguments are those that the guards judged, and so those
 * that run. The call's id is not included, so that the same call has the same hash everywhere. A lone surrogate, which
 * RFC 8785 does not cover, is written as its `\\u` escape. Undefined for anything that is not a tool call or has no
 * JSON.
 */
export function callHash(payload: object): string | undefined {
  const { tool, args } = payload as { readonly tool?: unknown; readonly args?: unknown };
  if (typeof tool !== "string" || typeof args !== "object" || args === null) return undefined;
  try {
    return createHash("sha256").update(canonicalJson({ args, tool })).digest("hex");
  } catch {
    return undefined;
  }
}

/** Returns JSON by RFC 8785: names sorted by UTF-16 code units, no spaces, numbers as in JavaScript. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(fields).filter((name) => fields[name] !== undefined);
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(fields[name])}`)
    .join(",")}}`;
}
