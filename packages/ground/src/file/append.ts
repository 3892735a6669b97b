import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeFileSync } from "node:fs";

/** Appends all lines to a file, or none. If the file's last line has no line break, one is added first. */
export function appendLines(path: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, 0o600);
  try {
    const { size } = fstatSync(fd);
    const text = `${endsOpen(fd, size) ? "\n" : ""}${lines.join("\n")}\n`;
    try {
      writeFileSync(fd, Buffer.from(text));
    } catch (error) {
      ftruncateSync(fd, size);
      throw error;
    }
  } finally {
    closeSync(fd);
  }
}

function endsOpen(fd: number, size: number): boolean {
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last[0] !== 0x0a;
}
