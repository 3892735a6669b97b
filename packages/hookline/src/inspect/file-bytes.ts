import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { RecordingBytes } from "@hookline/runtime/internal";

/** The bytes of an open file. */
export interface FileBytes extends RecordingBytes {
  /** Differs from that of another file which took its place under the same name. */
  readonly identity: string;
  size(): number;
  close(): void;
}

/** Opens a file for reading; throws as the file system does. */
export function openFile(path: string): FileBytes {
  const fd = openSync(path, "r");
  const { dev, ino } = fstatSync(fd);
  let isOpen = true;
  return {
    identity: `${dev}:${ino}`,
    size: () => (isOpen ? fstatSync(fd).size : 0),
    read: (into, from) => (isOpen ? readSync(fd, into, 0, into.length, from) : 0),
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}
