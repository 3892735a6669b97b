import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

/** The result of reading a file that only its owner may change. */
export type PrivateRead =
  | { readonly state: "read"; readonly text: string }
  | { readonly state: "absent" }
  | { readonly state: "refused"; readonly problem: string; readonly remedy: string };

/**
 * Reads one of hookline's own files (guarantees R51), never through a link. If others can read the file, it is made
 * private. If others could have written it, it is refused.
 */
export function readPrivate(path: string): PrivateRead {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return { state: "absent" };
    if (code === "ELOOP" || isLink(path))
      return refused("it is a symbolic link", "Replace the link with the file itself.");
    return refused(message, "Check that you may read it.");
  }
  try {
    const found = fstatSync(fd);
    if (!found.isFile()) return refused("it is not a regular file", "Put a file in its place.");
    const { mode, uid } = found;
    const own = process.getuid?.();
    if (own !== undefined && uid !== own) return refused("it belongs to another user", "Remove it, and approve again.");
    if ((mode & 0o022) !== 0) return refused("other users can write to it", `Check it, then run: chmod 600 ${path}`);
    if ((mode & 0o077) !== 0) fchmodSync(fd, 0o600);
    return { state: "read", text: readFileSync(fd, "utf8") };
  } catch (thrown) {
    return refused((thrown as Error).message, "Check that you may read it.");
  } finally {
    closeSync(fd);
  }
}

/**
 * Writes a private file atomically and creates its folder. With "durable" the file survives a power cut, for which this
 * call blocks. With "best-effort" the file may be empty after one. Throws for a link, and file system errors.
 */
export function writePrivate(path: string, text: string, durability: "durable" | "best-effort" = "durable"): void {
  if (isLink(path)) throw new Error(`${path} is a symbolic link; replace the link with the file itself.`);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const fd = openSync(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    try {
      writeFileSync(fd, text);
      if (durability === "durable") fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, path);
  } catch (thrown) {
    rmSync(draft, { force: true });
    const { code, message } = thrown as NodeJS.ErrnoException;
    throw Object.assign(new Error(`${path} could not be written: ${message}`, { cause: thrown }), { code });
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function refused(problem: string, remedy: string): PrivateRead {
  return { state: "refused", problem, remedy };
}
