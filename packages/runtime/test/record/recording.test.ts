import fc from "fast-check";
import { is } from "valibot";
import { describe, expect, test } from "vitest";
import { headerSchema, momentSchema } from "../../../../scripts/recording-schema.ts";
import type { MomentLine } from "../../src/record/line.ts";
import { type FileLine, linesOf } from "../../src/record/lines.ts";
import { readRecording } from "../../src/record/read.ts";
import { Resolver } from "../../src/record/resolve.ts";
import { type NewMoment, RecordingWriter } from "../../src/record/write.ts";
import { RUNS } from "../laws/seed.ts";
import { bytesOf, HEADER, momentOf, momentsOf, recordingOf } from "./memory.ts";

const LONG = "x".repeat(1100);

/** Names that a reader could take for a reference, and one that an assignment would not set. */
const name = fc.oneof(
  fc.string(),
  fc.constantFrom("$at", "$list", "$$at", "$$$list", "keep", "push", "at", "value", "__proto__", "v", "toString"),
);
const leaf = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.nat(5).map((n) => `${LONG}${n}`),
);
const { tree: json } = fc.letrec((tie) => ({
  tree: fc.oneof({ depthSize: "small", withCrossShrink: true }, leaf, tie("record"), tie("list")),
  record: fc.array(fc.tuple(name, tie("tree")), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  list: fc.array(tie("tree"), { maxLength: 6 }),
}));
/** A conversation that grows, is cut back, and goes on. */
const lists = fc.array(fc.tuple(fc.nat(12), fc.array(json, { maxLength: 4 })), { maxLength: 8 }).map((steps) => {
  let list: readonly unknown[] = [];
  return steps.map(([keep, more]) => {
    list = [...list.slice(0, keep), ...more];
    return list;
  });
});

const payloadsOf = async (bytes: Uint8Array): Promise<unknown[]> =>
  (await momentsOf(readRecording(bytesOf(bytes)))).map(({ payload }) => payload);

describe("what is written is read", () => {
  test("whatever JSON it is, however much of it the writer remembers", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(json, { maxLength: 8 }),
        lists,
        fc.constantFrom(0, 4000, 1e8),
        async (some, grown, chars) => {
          const payloads = [...some, ...grown.map((messages) => ({ messages }))];
          const bytes = recordingOf(
            payloads.map((payload) => momentOf(payload)),
            chars,
          );
          // An own `__proto__` is compared by its text.
          expect((await payloadsOf(bytes)).map((payload) => JSON.stringify(payload))).toEqual(
            payloads.map((payload) => JSON.stringify(payload)),
          );
        },
      ),
      { ...RUNS, numRuns: 300 },
    );
  });

  test("what the caller changes afterwards is recorded as it was at each moment", async () => {
    const messages = [{ role: "user", content: LONG }];
    const payloads: unknown[] = [];
    function* moments(): Generator<NewMoment> {
      for (let i = 0; i < 5; i++) {
        payloads.push(structuredClone({ messages }));
        yield momentOf({ messages });
        messages.push({ role: "assistant", content: `${LONG}${i}` });
        (messages[0] as { content: string }).content += "!";
      }
    }
    const bytes = recordingOf(moments());
    expect(await payloadsOf(bytes)).toEqual(payloads);
  });

  test("a resumed session goes on in the same file, and two recordings one behind the other are read", async () => {
    const first = recordingOf([momentOf({ text: LONG })]);
    const resumed = recordingOf([momentOf({ text: LONG }), momentOf([LONG])], undefined, first.toString());
    expect(await payloadsOf(resumed)).toEqual([{ text: LONG }, { text: LONG }, [LONG]]);
    expect(await payloadsOf(Buffer.concat([first, first]))).toEqual([{ text: LONG }, { text: LONG }]);
  });

  test("a list is read back by offset, however long the chain of lists is that it goes on from", () => {
    const list = Array.from({ length: 5000 }, (_, i) => (i % 100 === 0 ? `${LONG}${i}` : `message ${i}`));
    const bytes = recordingOf(Array.from({ length: 1000 }, (_, i) => momentOf(list.slice(0, (i + 1) * 5))));
    const lines = [...linesOf(bytesOf(bytes))];
    const last = lines.at(-2) as FileLine;
    const moment = new Resolver(bytesOf(bytes)).resolve(JSON.parse(last.text ?? ""), { before: last.at, shift: 0 });
    expect((moment as MomentLine).payload).toEqual(list);
  });
});

describe("a long value is written once", () => {
  test("a text, an object, and a list with what is new in it", () => {
    const messages = Array.from({ length: 50 }, (_, i) => ({
      role: "user",
      content: `message ${i} ${"y".repeat(80)}`,
    }));
    const once = recordingOf([momentOf({ messages: messages.slice(0, 40) })]).length;
    const all = recordingOf([
      momentOf({ messages: messages.slice(0, 40) }),
      momentOf({ messages: structuredClone(messages).slice(0, 45) }),
      momentOf({ messages: structuredClone(messages) }),
      momentOf({ messages: structuredClone(messages) }),
    ]).length;
    const fresh = JSON.stringify(messages.slice(40)).length;
    expect(all).toBeLessThan(once + fresh + 4 * 300);
    const object = { a: "z".repeat(900), b: "w".repeat(900) };
    const twice = recordingOf([momentOf(object), momentOf({ ...object })]).length;
    expect(twice).toBeLessThan(recordingOf([momentOf(object)]).length + 300);
  });
});

test("an item that the host has filled since it was written is written again, at any place of its list", async () => {
  const blocks = Array.from({ length: 5 }, (_, i) => ({ type: "toolCall", text: LONG, arguments: { i } as object }));
  for (const place of blocks.keys()) {
    const filled = { type: "toolCall", text: LONG, arguments: {} as object };
    const list: object[] = blocks.with(place, filled);
    let text = "";
    const writer = new RecordingWriter({ write: (line) => void (text += line) }, HEADER);
    writer.moment(momentOf({ messages: list }));
    filled.arguments = { filled: true };
    writer.moment(momentOf({ messages: list }));
    const [before, after] = (await payloadsOf(Buffer.from(text))) as { messages: { arguments: object }[] }[];
    expect(before?.messages[place]?.arguments).toEqual({});
    expect(after?.messages[place]?.arguments).toEqual({ filled: true });
  }
});

describe("damage", () => {
  const moments = [
    momentOf({ text: `${LONG} ä😀` }, { event: "input" }),
    momentOf({ messages: [LONG, "b", { $at: 3 }] }),
    momentOf({ messages: [LONG, "b", { $at: 3 }, `${LONG}c`, "d"] }),
    momentOf({ text: `${LONG} ä😀` }),
  ];
  const whole = recordingOf(moments);

  test("cut at every byte, every whole line is read", async () => {
    const all = await momentsOf(readRecording(bytesOf(whole)));
    expect(all.map(({ payload }) => payload)).toEqual(moments.map(({ payload }) => payload));
    const ends = all.map(({ at }) => whole.indexOf(10, at));
    for (let cut = 0; cut <= whole.length; cut++) {
      const reader = readRecording(bytesOf(whole.subarray(0, cut)));
      const read = await momentsOf(reader);
      expect(read).toEqual(all.slice(0, ends.filter((end) => end <= cut).length));
      const torn = cut > 0 && whole[cut - 1] !== 10 && whole[cut] !== 10;
      expect(reader.skipped).toEqual({ unreadable: 0, torn });
      expect(reader.isWhole).toBe(cut >= whole.length - 1);
    }
  });

  test("a damaged line is counted, with those that refer to it, and every other one is read", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), async (place, byte) => {
        const damaged = Buffer.from(whole);
        damaged[place] = byte;
        let reader: ReturnType<typeof readRecording>;
        let read: Awaited<ReturnType<typeof momentsOf>>;
        try {
          reader = readRecording(bytesOf(damaged));
          read = await momentsOf(reader);
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: "RECORDING_VERSION" });
          return;
        }
        // Whether it hit a value inside a text cannot be seen; nothing is lost without being counted.
        if (read.length < moments.length)
          expect(reader.skipped.unreadable + Number(reader.skipped.torn)).toBeGreaterThan(0);
      }),
      { ...RUNS, numRuns: 300 },
    );
  });

  test("references to what is not there, forward or to no value, are unreadable lines and nothing worse", async () => {
    const header = JSON.stringify({ v: 2, kind: "recording", at: 0, ...HEADER });
    const moment = (payload: unknown): string => JSON.stringify({ v: 2, n: 1, ...momentOf(payload) });
    const bad = [{ $at: 0 }, { $at: 9999 }, { $at: -1 }, { $at: "0" }, { $list: 0, keep: 1, push: [] }, { $list: 1 }];
    const reader = readRecording(
      bytesOf(Buffer.from([header, ...bad.map(moment), moment({ fine: 1 }), ""].join("\n"))),
    );
    expect((await momentsOf(reader)).map(({ payload }) => payload)).toEqual([{ fine: 1 }]);
    expect(reader.skipped).toEqual({ unreadable: bad.length, torn: false });
  });

  test("values that double with each line are unreadable lines, and cost little", async () => {
    const lines = [JSON.stringify({ v: 2, kind: "recording", at: 0, ...HEADER })];
    const size = (): number => lines.reduce((all, line) => all + line.length + 1, 0);
    const value = (of: unknown): object => {
      const at = size();
      lines.push(JSON.stringify({ at, value: of }));
      return { $at: at };
    };
    let last = value("x");
    for (let n = 0; n < 60; n++) last = value([last, last]);
    const [many, few] = [momentOf(last), momentOf("few")];
    lines.push(JSON.stringify({ v: 2, n: 1, ...many }), JSON.stringify({ v: 2, n: 2, ...few }));
    const reader = readRecording(bytesOf(Buffer.from(`${lines.join("\n")}\n`)));
    expect((await momentsOf(reader)).map(({ payload }) => payload)).toEqual(["few"]);
  });

  test("another version of the format is refused with both numbers", async () => {
    const other = (text: string) => readRecording(bytesOf(Buffer.from(text)));
    expect(() => other(`${JSON.stringify({ v: 3, kind: "recording" })}\n`)).toThrow(
      "the recording:1 has version 3 of the recording format, and this hookline reads version 2",
    );
    const later = `${whole.toString()}${JSON.stringify({ v: 7, kind: "recording" })}\n`;
    await expect(momentsOf(other(later))).rejects.toThrow("version 7");
  });
});

test("what is read fits the published schema, with the number of its line", async () => {
  const reader = readRecording(bytesOf(recordingOf([momentOf({ a: LONG }), momentOf({ a: LONG })])));
  const moments = await momentsOf(reader);
  expect(moments.map(({ line }) => line)).toEqual([3, 4]);
  expect(is(headerSchema(), reader.header)).toBe(true);
  for (const { line: _line, at: _at, header: _header, ...moment } of moments)
    expect(is(momentSchema(), moment)).toBe(true);
});
