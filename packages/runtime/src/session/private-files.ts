import { closeSync, constants, lstatSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { PrivateFiles } from "@hookline/ground";
import { readPrivate, writePrivate } from "@hookline/ground/system";

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants;

/**
 * Writes files that only this user can read and that need not survive a power cut, in folders that no other user may
 * write to.
 */
export const privateFiles: PrivateFiles = {
  write(path, text) {
    ownFolder(dirname(path));
    writePrivate(path, text, "best-effort");
  },
  append(path, text) {
    ownFolder(dirname(path));
    const fd = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
    try {
      writeSync(fd, text);
    } finally {
      closeSync(fd);
    }
  },
  read(path) {
    const read = readPrivate(path);
    return read.state === "read" ? read.text : undefined;
  },
  remove(path) {
    rmSync(path, { force: true });
  },
  folder(path) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  },
};

/** Creates a folder, and checks that no other user could have replaced it: any name below /tmp may be taken. */
function ownFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const one of [folder, dirname(folder)]) {
    const { uid, mode } = lstatSync(one);
    const own = process.getuid?.();
    // In a folder with the sticky bit, such as /tmp itself, users cannot move each other's files.
    if (one !== folder && (mode & 0o1000) !== 0) continue;
    if (own !== undefined && uid !== own && uid !== 0) throw new Error(`${one} belongs to another user`);
    if ((mode & 0o022) !== 0) throw new Error(`other users can write to ${one}`);
  }
}
