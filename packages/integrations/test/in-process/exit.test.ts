import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { guarded } from "../../../runtime/src/transport/module/guard.ts";
import { holdExit } from "../../src/in-process/process-state.ts";

const asked: (number | undefined)[] = [];
const real = process.exit;
beforeEach(() => {
  asked.length = 0;
  process.exit = ((code?: number) => void asked.push(code)) as never;
});
afterEach(() => {
  process.exit = real;
});

const nobody = () => undefined;
const everybody = () => "/module.ts";

describe("process.exit while modules are loaded", () => {
  test("is what it was for the host's own code", () => {
    const release = holdExit(nobody);
    process.exit(3);
    release();
    expect(asked).toEqual([3]);
  });

  test("is an error for a module's code", () => {
    const release = holdExit(everybody);
    expect(() => process.exit(3)).toThrow("/module.ts called process.exit(3)");
    release();
    process.exit(4);
    expect(asked).toEqual([4]);
  });

  test("is an error when it was handed to a promise", async () => {
    const release = holdExit(nobody);
    await expect(Promise.resolve(5).then(process.exit)).rejects.toThrow("was handed the function");
    release();
    expect(asked).toEqual([]);
  });

  test("stays an error until the last of several has gone", () => {
    const first = holdExit(everybody);
    const second = holdExit(everybody);
    first();
    first();
    expect(() => process.exit(1)).toThrow();
    second();
    process.exit(2);
    expect(asked).toEqual([2]);
  });

  test("leaves alone what others have put there meanwhile", () => {
    const release = holdExit(everybody);
    const theirs = (() => void asked.push(9)) as never;
    process.exit = theirs;
    release();
    expect(process.exit).toBe(theirs);
  });

  test("is asked through as many functions after many loads as after one", async () => {
    const idle = () => new Promise<void>((resolve) => setImmediate(resolve));
    await idle();
    let depth = 0;
    process.exit = (() => {
      const { stackTraceLimit } = Error;
      Error.stackTraceLimit = Number.POSITIVE_INFINITY;
      depth = (new Error("depth").stack ?? "").split("\n").length;
      Error.stackTraceLimit = stackTraceLimit;
    }) as never;
    const bare = process.exit;
    const releases: (() => void)[] = [];
    const reload = async () => {
      guarded(() => releases.push(holdExit(nobody)), "loading");
      if (releases.length > 1) releases.shift()?.();
      await idle();
      process.exit(1);
      return depth;
    };
    const first = await reload();
    for (let load = 0; load < 50; load++) expect(await reload()).toBe(first);
    guarded(() => releases.shift()?.(), "leaving");
    await idle();
    expect(process.exit).toBe(bare);
  });
});
