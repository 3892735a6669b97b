import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const UNUSUAL_SPACES = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

/**
 * Reads a path in the forms that models write and the host's tools accept: unusual spaces become plain ones, one
 * leading `@` is dropped, `~` is the home folder and `file:` URLs are paths. Throws for a URL that is not a path.
 */
export function expandPath(path: string, home: string = homedir()): string {
  const plain = path.replace(UNUSUAL_SPACES, " ").replace(/^@/, "");
  if (plain === "~") return home;
  if (plain.startsWith("~/")) return join(home, plain.slice(2));
  return plain.startsWith("file://") ? fileURLToPath(plain) : plain;
}
