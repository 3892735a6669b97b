import { closeSync, constants, lstatSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { readPrivate, writePrivate } from "../config/private-file.ts";
import type { PrivateFiles } from "../port/private-files.ts";

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants;

/** Files of this process's user, below folders that nobody else may write to. */
export const privateFiles: PrivateFiles = {
  write(path, text) {
    ownFolder(dirname(path));
    writePrivate(path, text);
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

/** Makes a folder, or sees to it that the one that is there is the person's own: any name below /tmp may be somebody else's. */
function ownFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(folder);
  const own = process.getuid?.();
  if (own !== undefined && uid !== own) throw new Error(`${folder} belongs to another user`);
  if ((mode & 0o022) !== 0) throw new Error(`others may write to ${folder}`);
}
