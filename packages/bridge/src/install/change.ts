import { copyFileSync, unlinkSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { messageOf, readJsonText } from "@hookline/ground";
import { lookAt, readRegularSync, rewriteFile, textAt } from "@hookline/ground/system";
import type { AdapterFormat, Entry } from "../host/adapter.ts";

/** The content of a host's file before and after a change. */
export interface FileChange {
  readonly path: string;
  readonly action: "create" | "change" | "delete" | "none";
  /** The content before; absent if there is no file. */
  readonly before?: string;
  /** The content after; absent if the file is deleted. */
  readonly after?: string;
  /** Path for a copy of the file from before hookline's first change. */
  readonly backup?: string;
}

/** Returns the change that an installation makes to a file; throws an error for the person if it is unreadable. */
export function additionTo(path: string, format: AdapterFormat, entries: readonly Entry[]): FileChange {
  const before = contentsOf(path);
  const after = readable(path, () => format.write(before, entries));
  if (before === undefined) return { path, action: "create", after };
  if (before === after) return { path, action: "none", before, after };
  // The backup is the file before the first installation; later installations change only hookline's own entries.
  const isFirst = readable(path, () => format.find(before)).entries.length === 0;
  return { path, action: "change", before, after, ...(isFirst && { backup: backupOf(path) }) };
}

/**
 * Returns the change that removes hookline's entries from a file. If nothing else has changed since the installation,
 * the file is restored byte by byte; a file that hookline created is deleted.
 */
export function removalFrom(path: string, format: AdapterFormat): FileChange {
  const before = contentsOf(path);
  const entries = before === undefined ? [] : readable(path, () => format.find(before)).entries;
  if (before === undefined || entries.length === 0)
    return { path, action: "none", ...(before !== undefined && { before, after: before }) };
  const stripped = format.strip(before);
  const backup = contentsOf(backupOf(path));
  if (backup !== undefined && isSame(stripped, withoutAgain(backup, format, entries)))
    return { path, action: "change", before, after: backup, backup: backupOf(path) };
  if (stripped === undefined && backup === undefined) return { path, action: "delete", before };
  return { path, action: "change", before, after: stripped ?? "{}\n" };
}

/** Carries out a change that the person has seen; throws if the file has changed since it was read. */
export function carryOut({ path, action, before, after, backup }: FileChange, kind: "install" | "remove"): void {
  if (action === "none") return;
  try {
    if (contentsOf(path) !== before) throw new Error("it was changed meanwhile; try again");
    if (action === "delete") {
      unlinkSync(path);
      return;
    }
    if (kind === "install" && backup !== undefined) copyFileSync(path, backup);
    rewriteFile({ path, before, after: after ?? "" });
    if (kind === "remove" && backup !== undefined) unlinkSync(backup);
  } catch (thrown) {
    throw new Error(`${path} was left as it is: ${messageOf(thrown)}`);
  }
}

/** Returns the path for a copy of the file from before hookline's first change. */
function backupOf(path: string): string {
  return `${path}.before-hookline`;
}

/** Returns the text of a file, or `undefined` if there is none; throws an error for the person if it is not text. */
export function contentsOf(path: string): string | undefined {
  if (lookAt(path).kind === "nothing") return undefined;
  const text = readable(path, () => textAt(path));
  // Writing the text back would change bytes that are not UTF-8.
  if (!readRegularSync(path).equals(Buffer.from(text)))
    throw new Error(`${path} is not valid UTF-8. Correct it first; nothing was changed.`);
  return text;
}

function readable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw new Error(`${path} cannot be read: ${messageOf(thrown)}. Correct it first; nothing was changed.`);
  }
}

/** Installs and removes the entries in the backup's text, as was done in the file, so that both can be compared. */
function withoutAgain(text: string, format: AdapterFormat, entries: readonly Entry[]): string | undefined {
  try {
    return format.strip(format.write(text, entries));
  } catch {
    // hookline cannot parse the backup, so its text is compared unchanged.
    return text;
  }
}

/** Whether two texts have the same content: they are the same JSON, or the same characters. */
function isSame(one: string | undefined, other: string | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  const [left, right] = [readJsonText(one.replace(/^\ufeff/, "")), readJsonText(other.replace(/^\ufeff/, ""))];
  return "value" in left && "value" in right && isDeepStrictEqual(left.value, right.value);
}
