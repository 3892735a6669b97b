import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/**
 * The bytes of a file. Throws for a pipe, a device and a socket: they may have no end, and opening a pipe waits until
 * somebody writes into it.
 */
export function readRegular(path: string): Buffer {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
  try {
    if (!fstatSync(fd).isFile()) throw new Error("it is not a regular file");
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
