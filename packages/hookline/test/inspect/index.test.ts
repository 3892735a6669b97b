import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRecording } from "@hookline/runtime";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openFile } from "../../src/inspect/file-bytes.ts";
import { RecordingFile } from "../../src/inspect/moment-file.ts";
import { MomentIndex } from "../../src/inspect/moment-index.ts";
import { Reading } from "../../src/inspect/reading.ts";
import { breathe } from "../../src/inspect/run.ts";
import { folderForTest, linesOf, moment, session, writeRecording } from "./recorded.ts";

const always = (): boolean => false;

/** Everything that the library's own reader gives for a file. */
async function readAll(path: string): Promise<{ event: string; payload: unknown; line: number }[]> {
  const reader = readRecording(path);
  try {
    const all = [];
    for await (const { event, payload, line } of reader.moments()) all.push({ event, payload, line });
    return all;
  } finally {
    reader.close();
  }
}

function indexed(index: MomentIndex): { event: string; payload: unknown; line: number }[] {
  return Array.from({ length: index.count }, (_, at) => {
    const { event, payload } = index.moment(at + 1);
    return { event, payload, line: index.rows.get("line", at) };
  });
}

describe("the index of a recording", () => {
  test("is the same however the file came to be: in pieces of any size, and read at any time", async () => {
    const folder = folderForTest();
    const whole = Buffer.from(linesOf(session(60, 300)).join(""));
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 12 }), fc.nat(3), async (cuts, slice) => {
        const path = join(folder, `${++run}.jsonl`);
        writeFileSync(path, "");
        const bytes = openFile(path);
        const index = new MomentIndex(new RecordingFile(bytes, path));
        let from = 0;
        for (const to of [...cuts, whole.length].sort((a, b) => a - b)) {
          appendFileSync(path, whole.subarray(from, to));
          from = to;
          // Sometimes the time is over before all is read.
          let looks = slice;
          index.advance(() => looks-- <= 0);
          expect(index.file.at).toBeLessThanOrEqual(to);
        }
        while (!index.advance(always).isAll);
        expect(indexed(index)).toEqual(await readAll(path));
        expect(index.damage.damaged).toBe(0);
        expect(index.file).toMatchObject({ at: whole.length, torn: false, isWhole: true });
        bytes.close();
      }),
      { numRuns: 25 },
    );
  });

  test("of a file cut at any byte has every whole line, and goes on when the rest comes", async () => {
    const folder = folderForTest();
    const lines = linesOf(session(20, 100));
    const whole = Buffer.from(lines.join(""));
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length), async (cut) => {
        const path = join(folder, "cut.jsonl");
        writeFileSync(path, whole.subarray(0, cut));
        const bytes = openFile(path);
        const index = new MomentIndex(new RecordingFile(bytes, path));
        index.advance(always);
        const isAtLine = cut === 0 || whole[cut - 1] === 10;
        expect(index.file.torn).toBe(!isAtLine);
        expect(index.damage.damaged).toBe(0);
        const before = index.count;
        expect(before).toBe(
          whole
            .subarray(0, index.file.at)
            .toString()
            .split("\n")
            .filter((line) => /^\{"v":2,"n"/.test(line)).length,
        );
        appendFileSync(path, whole.subarray(cut));
        index.advance(always);
        expect(index.count).toBe(20);
        bytes.close();
      }),
      { numRuns: 40 },
    );
  });

  test("names damaged lines, and reads all others", () => {
    const folder = folderForTest();
    const lines = linesOf([moment("turn.start"), moment("turn.end"), moment("agent.end")]);
    const torn = ["no JSON\n", '{"v":2,"n":9,"event":7}\n', `{"v":2,"n":9,"t":1,"event":"x","hooks":{"$at":999999}}\n`];
    const path = join(folder, "damaged.jsonl");
    writeFileSync(path, [lines[0], torn[0], lines[1], torn[1], lines[2], torn[2], ...lines.slice(3)].join(""));
    const bytes = openFile(path);
    const index = new MomentIndex(new RecordingFile(bytes, path));
    index.advance(always);
    expect(indexed(index).map(({ event, line }) => [event, line])).toEqual([
      ["turn.start", 3],
      ["turn.end", 5],
      ["agent.end", 7],
    ]);
    expect(index.damage.damaged).toBe(3);
    expect(index.damage.first.map(({ line }) => line)).toEqual([2, 4, 6]);
    bytes.close();
  });

  test("counts moments on where a resumed session begins anew, and finds what a person said", () => {
    const folder = folderForTest();
    const path = join(folder, "resumed.jsonl");
    const first = linesOf([moment("tool.before", { outcome: { decision: "ask" } })], false).join("");
    const asked = '{"v":2,"n":1,"asked":{"answer":"allow","by":"person"}}\n';
    const second = linesOf([moment("tool.before", { outcome: { decision: "ask" } })], false).join("");
    // The header says where it stands.
    writeFileSync(path, first + second.replace('"at":0', `"at":${first.length}`) + asked);
    const bytes = openFile(path);
    const index = new MomentIndex(new RecordingFile(bytes, path));
    expect(index.advance(always).changed).toEqual([2]);
    expect(index.moment(1).asked).toBeUndefined();
    expect(index.moment(2).asked).toEqual({ answer: "allow", by: "person" });
    bytes.close();
  });

  test("takes some sixty bytes for a moment, and filters and searches find the right ones", async () => {
    const folder = folderForTest();
    const path = writeRecording(folder, session(10_000, 40));
    const bytes = openFile(path);
    const reading = new Reading(new RecordingFile(bytes, path), bytes, breathe);
    await reading.update();
    const { index } = reading;
    expect(index.count).toBe(10_000);
    expect(index.rows.bytes / index.count).toBeLessThan(90);
    expect(index.item(10_000).n).toBe(10_000);
    const found = await reading.matches({
      events: ["tool.before"],
      decisions: ["deny"],
      q: "echo 4",
      tools: undefined,
      hooks: undefined,
      since: undefined,
      until: undefined,
    });
    const { moments } = found.window({ from: 0, count: 3 });
    expect(moments.map((n) => (index.moment(n).payload as { args: { command: string } }).args.command)).toEqual([
      "echo 4",
      "echo 44",
      "echo 49",
    ]);
    bytes.close();
  });
});
