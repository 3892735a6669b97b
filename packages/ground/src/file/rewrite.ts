import { chmodSync, mkdirSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { textAt } from "./look.ts";
import { putNew, throughTemporary } from "./replace.ts";

/** The content of a file as it was read, and its new content. */
export interface Rewrite {
  readonly path: string;
  /** The text as it was read; absent if the file did not exist. */
  readonly before?: string | undefined;
  readonly after: string;
}

/** Replaces a file. Follows links and keeps permissions. Throws if the file has changed since it was read. */
export function rewriteFile({ path, before, after }: Rewrite): void {
  const fill = (fd: number): void => writeFileSync(fd, Buffer.from(after));
  if (before === undefined) {
    mkdirSync(dirname(path), { recursive: true });
    throughTemporary(path, fill, putNew);
    return;
  }
  const real = realpathSync.native(path);
  const { mode } = statSync(real);
  if (textAt(real) !== before) throw new Error("it was changed meanwhile; try again");
  throughTemporary(real, fill, (from, to) => {
    chmodSync(from, mode & 0o7777);
    renameSync(from, to);
  });
}
