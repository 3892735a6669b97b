import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const UNUSUAL_SPACES = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

/** Replaces unusual spaces in a path by plain ones, because models write unusual spaces where a name has plain ones. */
export function withPlainSpaces(path: string): string {
  return path.replace(UNUSUAL_SPACES, " ");
}

/**
 * Reads a path in the forms that models write and the host's tools accept: one leading `@` is dropped, `~` is the home
 * folder and `file:` URLs are paths. Throws for a URL that is not a path.
 */
export function expandPath(path: string, home: string = homedir()): string {
  const plain = path.replace(/^@/, "");
  if (plain === "~") return home;
  if (plain.startsWith("~/")) return join(home, plain.slice(2));
  return plain.startsWith("file://") ? fileURLToPath(plain) : plain;
}

/**
 * Returns other spellings of a file name that look the same: decomposed and composed letters, the spaces that macOS
 * puts in names of screenshots, curly apostrophes, plain spaces.
 */
export function spellingsOf(path: string): string[] {
  const forms = [path, path.normalize("NFD"), path.normalize("NFC"), withPlainSpaces(path)];
  const narrow = (text: string): string => text.replace(/ (AM|PM)\./gi, "\u202F$1.");
  const curly = (text: string): string => text.replaceAll("'", "\u2019");
  return [...new Set(forms.flatMap((one) => [narrow(one), one, curly(one), narrow(curly(one))]))];
}
