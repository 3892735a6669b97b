import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Scan } from "../../../runtime/src/dialect/dialect.ts";
import { moduleText } from "../../src/in-process/module-text.ts";

/** A scan of one file, with the paths that were read. */
function scanOf(text: { now: string | undefined }) {
  const read: string[] = [];
  const files = {
    read(path: string) {
      read.push(path);
      return text.now === undefined ? undefined : new TextEncoder().encode(text.now);
    },
  };
  return { scan: { files } as unknown as Scan, read };
}

test("a module's text is read once for one load in one turn, and anew afterwards", async () => {
  const text = { now: 'import "./a.ts";' as string | undefined };
  const { scan, read } = scanOf(text);
  expect(moduleText(scan, "/m.ts")?.text).toBe(text.now);
  text.now = 'import "./b.ts";';
  expect(moduleText(scan, "/m.ts")?.imports.code).toEqual(["./a.ts"]);
  expect(read).toEqual(["/m.ts"]);
  // Another load finds what is there now.
  expect(moduleText({ ...scan }, "/m.ts")?.imports.code).toEqual(["./b.ts"]);
  await nextTurn();
  expect(moduleText(scan, "/m.ts")?.imports.code).toEqual(["./b.ts"]);
});

test("a file that cannot be read is not asked for again in the same turn", async () => {
  const text: { now: string | undefined } = { now: undefined };
  const { scan, read } = scanOf(text);
  expect([moduleText(scan, "/gone.ts"), moduleText(scan, "/gone.ts")]).toEqual([undefined, undefined]);
  expect(read).toHaveLength(1);
  text.now = "export {};";
  await nextTurn();
  expect(moduleText(scan, "/gone.ts")?.text).toBe("export {};");
});
