import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "./no-undo.ts";

/** Writes a file under another name, then renames it, so that it never exists in part. */
export function replaceFile(path: string, content: Buffer | string): void {
  const beside = `${path}.${randomBytes(6).toString("hex")}`;
  const write = (): void => writeFileSync(beside, content, { mode: 0o600, flag: "wx" });
  try {
    write();
  } catch (error) {
    rmSync(beside, { force: true });
    if (!hasCode(error, "ENOENT")) throw error;
    mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
    write();
  }
  renameSync(beside, path);
}
