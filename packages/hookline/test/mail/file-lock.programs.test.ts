import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { withFileLock } from "../../src/mail/file-lock.ts";
import { HOLDERS, type HolderProgram, hold } from "../../src/mail/holder.ts";
import { has } from "../support/seeds.ts";
import { scratchHome, start } from "./scratch.ts";

const TRY = "import fcntl,sys\nf=open(sys.argv[1],'a+')\nfcntl.flock(f,fcntl.LOCK_EX|fcntl.LOCK_NB)";

/** Whether a Python program can have the lock now. */
function isFree(path: string): boolean {
  try {
    execFileSync("python3", ["-c", TRY, path], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const installed = (program: HolderProgram): boolean => {
  try {
    execFileSync(program.file, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

describe.skipIf(!has("python3"))("with a Python program that uses fcntl.flock", () => {
  for (const program of HOLDERS) {
    test.skipIf(!installed(program))(
      `a lock that ${program.file} holds keeps it out, and is free afterwards`,
      async () => {
        const path = join(scratchHome(), "lock");
        const seen = await withFileLock(path, () => isFree(path), { holders: [program] });
        expect(seen).toBe(false);
        expect(isFree(path)).toBe(true);
      },
    );
  }

  test("its lock keeps us out until it lets go", async () => {
    const path = join(scratchHome(), "lock");
    const other = start("hold.py", [path]);
    await other.spoke;
    await expect(withFileLock(path, () => "in", { waitMs: 300 })).rejects.toThrow(
      /another program has held .*lock for 0.3 s/,
    );
    const waiting = withFileLock(path, () => "in");
    other.child.stdin.end();
    expect(await waiting).toBe("in");
  });

  test("the lock of a process that is killed is free", async () => {
    const path = join(scratchHome(), "lock");
    const other = start("hold.py", [path]);
    await other.spoke;
    other.child.kill("SIGKILL");
    expect(await withFileLock(path, () => "in")).toBe("in");
  });
});

test("work in one process is done one after the other, and a failure keeps nobody out", async () => {
  const path = join(scratchHome(), "lock");
  const order: number[] = [];
  const works = [1, 2, 3, 4].map((number) =>
    withFileLock(path, () => {
      order.push(number);
      if (number === 2) throw new Error("two");
      return number;
    }),
  );
  expect(await Promise.allSettled(works)).toMatchObject([
    { value: 1 },
    { reason: { message: "two" } },
    { value: 3 },
    { value: 4 },
  ]);
  expect(order).toEqual([1, 2, 3, 4]);
});

test("a program that is not there, or cannot lock, is passed over", async () => {
  const path = join(scratchHome(), "lock");
  const missing: HolderProgram = { file: "hookline-no-such-program", args: () => [] };
  const failing: HolderProgram = { file: process.execPath, args: () => ["-e", "process.exit(1)"] };
  expect(await hold(missing, path, 10_000)).toEqual({ state: "unable" });
  expect(await hold(failing, path, 10_000)).toEqual({ state: "unable" });
  expect(await withFileLock(path, () => "in", { holders: [missing, failing] })).toBe("in");
});
