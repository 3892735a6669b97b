import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Approval, Review } from "@hookline/runtime/session";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { ApprovedTexts } from "../../src/consent/approved-texts.ts";
import { formersOf } from "../../src/consent/former.ts";

const PATH = "/project/.jcli/hooks.yaml";

interface Line {
  readonly event: string;
  readonly command: string;
  readonly timeoutMs: number;
}

/** The entries of one state of a file, as they are found; the file's hash follows from them. */
function reviewsOf(lines: readonly Line[]): Review[] {
  const sha256 = Buffer.from(JSON.stringify(lines)).toString("hex").padEnd(64, "0").slice(-64);
  return lines.map(({ event, command, timeoutMs }, at) => {
    const definition = JSON.stringify({ definition: { events: [event], text: command, timeoutMs } });
    const print = { path: PATH, lane: "jcli", definition, files: [{ path: PATH, sha256 }], hash: `${at}` };
    return { print, candidate: { source: { path: PATH, line: at + 2 } } } as unknown as Review;
  });
}

const approvalOf = ({ print, candidate }: Review, at: number): Approval => ({
  ...print,
  dialect: "jcli",
  line: candidate.source.line as number,
  approvedAt: new Date(at).toISOString(),
});

const line = fc.record({
  event: fc.constantFrom("stop", "pre_tool_execution"),
  command: fc.constantFrom("cat", "sh a.sh", "sh b.sh", "sh c.sh"),
  timeoutMs: fc.constantFrom(1, 2),
});
const file = fc.uniqueArray(line, { minLength: 1, maxLength: 6, selector: (one) => JSON.stringify(one) });

test("no entry is taken for another: not for one that is still there, nor for one that it stood beside", () => {
  fc.assert(
    fc.property(file, file, fc.infiniteStream(fc.boolean()), (before, after, isAgreed) => {
      const folder = mkdtempSync(join(tmpdir(), "hookline-former-"));
      try {
        const texts = new ApprovedTexts(folder);
        const then = reviewsOf(before);
        const approvals = then.filter(() => isAgreed.next().value === true).map((review) => approvalOf(review, 1));
        texts.keepEntries(then.map(({ print }) => print));
        const now = reviewsOf(after);
        const formers = formersOf(now, approvals, texts);
        const there = new Set(now.map(({ print }) => print.definition));
        const stood = new Set(then.map(({ print }) => print.definition));
        for (const [review, former] of formers) {
          const { definition } = review.print;
          if (former.definition === definition) continue;
          expect(there.has(former.definition)).toBe(false);
          expect(stood.has(definition)).toBe(false);
        }
        expect(new Set(formers.values()).size).toBe(formers.size);
        // Hooks that are unchanged since their approval stay approved.
        for (const review of now) {
          const same = approvals.find(({ definition }) => definition === review.print.definition);
          if (same !== undefined) expect(formers.get(review)).toBe(same);
        }
      } finally {
        rmSync(folder, { recursive: true });
      }
    }),
    { numRuns: 300 },
  );
});

test("without the list of what stood in the file, only a name or a command makes two entries the same", () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-former-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const texts = new ApprovedTexts(folder);
  const [first] = reviewsOf([{ event: "stop", command: "sh a.sh", timeoutMs: 1 }]) as [Review];
  const approvals = [approvalOf(first, 1)];
  const formerOf = (now: Line): Approval | undefined => [...formersOf(reviewsOf([now]), approvals, texts).values()][0];
  expect(formerOf({ event: "stop", command: "sh b.sh", timeoutMs: 1 })).toBeUndefined();
  expect(formerOf({ event: "pre_tool_execution", command: "sh a.sh", timeoutMs: 1 })).toBe(approvals[0]);
});
