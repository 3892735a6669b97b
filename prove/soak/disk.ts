import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A file system in memory that can be filled up; unmounted at the end of the block. */
export interface SmallDisk extends Disposable {
  /** Fills the disk, except for this many blocks; 0 by default. */
  fill(blocksFree?: number): void;
  /** Frees the space again. */
  free(): void;
}

/** Mounts a file system of this size on a folder; `undefined` if that is not permitted. */
export function mountDisk(path: string, bytes: number): SmallDisk | undefined {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const mount = (...args: readonly string[]): boolean => spawnSync("mount", args, { stdio: "ignore" }).status === 0;
  if (!mount("-t", "tmpfs", "-o", `size=${bytes},mode=0700`, "hookline-prove", path)) return undefined;
  const ballast = join(path, ".ballast");
  return {
    fill(blocksFree = 0) {
      const { blocks, bfree, bsize } = statfsSync(path);
      mount("-o", `remount,size=${Math.max(bsize, (blocks - bfree + blocksFree) * bsize)}`, path);
      // A size of 0 would mean no limit, so an empty disk keeps one block, which a file must fill.
      const left = (statfsSync(path).bfree - blocksFree) * bsize;
      try {
        if (left > 0) writeFileSync(ballast, Buffer.alloc(left, 1));
      } catch (thrown) {
        // Other writers may have taken the rest; the disk is full in either case.
        if ((thrown as NodeJS.ErrnoException).code !== "ENOSPC") throw thrown;
      }
    },
    free() {
      rmSync(ballast, { force: true });
      mount("-o", `remount,size=${bytes}`, path);
    },
    [Symbol.dispose]: () => void spawnSync("umount", ["-l", path], { stdio: "ignore" }),
  };
}
