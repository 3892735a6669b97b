import { closeSync, fstatSync, openSync } from "node:fs";
import { plainBytes, type RecordingBytes } from "@hookline/runtime/past";

/** The bytes of an open file, compressed or not. */
export interface FileBytes extends RecordingBytes {
  /** Identifies the file: another file at the same path has another identity. */
  readonly identity: string;
  size(): number;
  close(): void;
}

/** Opens a file for reading; throws file system errors. */
export function openFile(path: string): FileBytes {
  const fd = openSync(path, "r");
  const { dev, ino } = fstatSync(fd);
  const bytes = plainBytes(fd);
  let isOpen = true;
  return {
    identity: `${dev}:${ino}`,
    size: () => (isOpen ? bytes.size() : 0),
    read: (into, from) => (isOpen ? bytes.read(into, from) : 0),
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}
