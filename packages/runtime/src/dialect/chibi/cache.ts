import { createHash } from "node:crypto";

/** What a plugin's answer is kept under: its path and bytes, so that a changed plugin is asked anew (decision 47). */
export function schemaKey(path: string, bytes: Uint8Array): string {
  return `chibi-schema-${createHash("sha256").update(`${path}\0`).update(bytes).digest("hex")}`;
}
