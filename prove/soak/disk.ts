import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A file system in memory that can be made full; unmounted at the end of the block. */
export interface SmallDisk extends Disposable {
  /** Leaves no byte free. */
  fill(): void;
  /** Gives the space back. */
  free(): void;
}

/** Mounts one of so many bytes on a folder; undefined where that is not permitted. */
export function mountDisk(path: string, bytes: number): SmallDisk | undefined {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const mount = (...args: readonly string[]): boolean => spawnSync("mount", args, { stdio: "ignore" }).status === 0;
  if (!mount("-t", "tmpfs", "-o", `size=${bytes},mode=0700`, "hookline-prove", path)) return undefined;
  const ballast = join(path, ".ballast");
  return {
    fill() {
      const { blocks, bfree, bsize } = statfsSync(path);
      mount("-o", `remount,size=${Math.max(bsize, (blocks - bfree) * bsize)}`, path);
      // An empty one keeps a block, since a size of none means no limit.
      const left = statfsSync(path).bfree * bsize;
      try {
        if (left > 0) writeFileSync(ballast, Buffer.alloc(left, 1));
      } catch (thrown) {
        // Others write too: then they have taken the rest, and it is full.
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
