import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transcripts } from "@hookline/integrations/transcripts";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { Moment, RecognisedSource } from "../../src/past.ts";
import { recogniseSource } from "../../src/replay/index.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-follow-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Returns the parts of a moment that do not depend on when it was read. A missing tool is only known from a later
 * result.
 */
const told = ({ line, part, t, event, payload }: Moment): unknown => [line, part, t, event, JSON.stringify(payload)];

test.each(["hookline", "pi", "omp", "claude", "codex"])(
  "a session of %s that is followed gives the same moments as one that is read at its end",
  async (name) => {
    const whole = readFileSync(join(import.meta.dirname, "fixtures", `${name}.jsonl`));
    const path = join(folder, `${name}.jsonl`);
    writeFileSync(path, whole);
    const source = recogniseSource(path, transcripts) as RecognisedSource;
    const all: Moment[] = [];
    for await (const moment of source.reader.moments({ path, skip: () => {} })) all.push(moment);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 8 }), async (cuts) => {
        writeFileSync(path, "");
        const followed = source.reader.moments({ path, skip: () => {}, follows: true }) as Generator<Moment>;
        const found: Moment[] = [];
        let from = 0;
        for (const to of [...cuts, whole.length].sort((a, b) => a - b)) {
          appendFileSync(path, whole.subarray(from, to));
          from = to;
          for (;;) {
            const moment = followed.next().value as Moment;
            if (moment.event === "" && moment.notAsked === undefined) break;
            found.push(moment);
          }
        }
        followed.return(undefined);
        expect(found.map(told)).toEqual(all.map(told));
      }),
      { numRuns: 20 },
    );
  },
);
