import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { trials } from "../../../../scripts/trials.ts";
import { seed } from "./seed.ts";
import { schedules, unguardedIn } from "./stand-in-schedules.ts";

test("at every wait a handler of each required hook is registered, or its stand-in", async () => {
  const home = mkdtempSync(join(tmpdir(), "hookline-stand-in-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  await fc.assert(
    fc.asyncProperty(schedules, async (schedule) => {
      expect(await unguardedIn(schedule, home)).toEqual([]);
    }),
    { seed, numRuns: trials(300) },
  );
});
