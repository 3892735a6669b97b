import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Something that may exist where a file or folder is searched; `text` is valid content for that place. */
export interface Kind {
  readonly name: string;
  /** Set if only a user without root's rights is affected. */
  readonly needsUser?: true;
  /** Set if the thing cannot be read as a file, so the person must be told. */
  readonly isWrong?: true;
  make(path: string, text: string): void;
}

/** Everything that was ever found at a searched path, or that someone may put there. */
export const KINDS: readonly Kind[] = [
  { name: "a link that leads nowhere", isWrong: true, make: (path) => symlinkSync("nowhere", path) },
  { name: "a link to itself", isWrong: true, make: (path) => symlinkSync(path, path) },
  { name: "a link to a device without an end", isWrong: true, make: (path) => symlinkSync("/dev/zero", path) },
  { name: "a link to the whole disk", make: (path) => symlinkSync("/", path) },
  { name: "a folder", make: (path) => void mkdirSync(path) },
  { name: "a file of bytes", make: (path) => writeFileSync(path, Buffer.from([0, 255, 1, 254, 10, 128])) },
  { name: "a named pipe", isWrong: true, make: (path) => void execFileSync("mkfifo", [path]) },
  {
    name: "a socket",
    isWrong: true,
    make: (path) => void execFileSync("python3", ["-c", "import socket,sys;socket.socket(1).bind(sys.argv[1])", path]),
  },
  {
    name: "a hard link",
    make(path, text) {
      writeFileSync(`${path}.other`, text, { mode: 0o755 });
      linkSync(`${path}.other`, path);
    },
  },
  { name: "an empty file", make: (path) => writeFileSync(path, "") },
  {
    name: "a file without permission",
    isWrong: true,
    needsUser: true,
    make(path, text) {
      writeFileSync(path, text);
      chmodSync(path, 0);
    },
  },
  {
    name: "a folder without permission",
    needsUser: true,
    make(path) {
      mkdirSync(path);
      chmodSync(path, 0);
    },
  },
  {
    name: "a name that is no UTF-8",
    make(path, text) {
      writeFileSync(`${path}.plain`, text);
      renameSync(`${path}.plain`, Buffer.concat([Buffer.from(path), Buffer.from([0xff, 0x0a, 0x1b])]));
    },
  },
];

/** Creates a thing of this kind at a path whose folders exist. */
export function put(kind: Kind, path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  kind.make(path, text);
}
