import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NOTHING, readBatch } from "../../src/spool/batch.ts";
import { writersIn } from "../../src/spool/place.ts";
import { SpoolReader } from "../../src/spool/reader.ts";
import { recoverSpool, trimSpool } from "../../src/spool/recover.ts";
import { END_LINE, SpoolWriter } from "../../src/spool/writer.ts";
import { keyOf, NOW, strangerKey } from "../policy/sample.ts";

const key = keyOf(7);
const refusal = (refusal: string) => expect.objectContaining({ name: "Refused", refusal });
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-spool-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const options = (more: object = {}) => ({
  folder,
  fleet: "acme",
  machine: "m1",
  key,
  token: "token",
  clock: { wall: () => NOW, now: () => NOW } as never,
  ...more,
});
const messagesOf = (writer: SpoolWriter) => {
  const reader = new SpoolReader(writer.place);
  return reader.batches().map((kept) => reader.message(kept));
};
/** Makes a writer look as if its process had been killed. */
function orphan({ place }: SpoolWriter): void {
  const text = readFileSync(place.seals, "utf8").replace(END_LINE, "");
  writeFileSync(place.seals, text.replace(/"owner":"[^"]*"/, '"owner":"1.2.gone"'));
}

test("each flush is a batch: numbered, chained, signed, and together they are the recording", async () => {
  const writer = new SpoolWriter(options());
  for (const text of ["one\n", "two\n"]) {
    writer.write(text);
    writer.write(`more of ${text}`);
    await writer.flush();
  }
  await writer.flush();
  const [first, second, ...rest] = messagesOf(writer).map((message) => readBatch(message, key));
  expect(rest).toEqual([]);
  expect(first?.seal).toMatchObject({ fleet: "acme", machine: "m1", n: 1, prev: NOTHING, from: 0, t: NOW });
  expect(second?.seal).toMatchObject({ n: 2, prev: first?.hash, from: first?.content.length });
  expect(`${first?.content}${second?.content}`).toBe(readFileSync(writer.place.recording, "utf8"));
  expect(statSync(writer.place.recording).mode & 0o777).toBe(0o600);
  await writer.close();
});

test("a batch that was changed, or that another key signed, is refused", async () => {
  const writer = new SpoolWriter(options());
  writer.write("a decision\n");
  await writer.close();
  const [message = Buffer.alloc(0)] = messagesOf(writer);
  expect(() => readBatch(message, strangerKey)).toThrow(refusal("signature"));
  for (const changed of [message.subarray(0, -1), Buffer.concat([message, Buffer.from("x")])])
    expect(() => readBatch(changed, key)).toThrow(refusal("hash"));
  expect(() => readBatch(Buffer.from("a decision\n"), key)).toThrow(refusal("json"));
});

test("long recordings go in parts, and what is not flushed is not sealed", async () => {
  const writer = new SpoolWriter(options());
  const long = `${"x".repeat(1_300_000)}\n`;
  writer.write(long);
  expect(messagesOf(writer)).toEqual([]);
  await writer.flush();
  const parts = messagesOf(writer).map((message) => readBatch(message, key));
  expect(parts.map(({ seal }) => seal.bytes)).toEqual([524_288, 524_288, 1_300_001 - 1_048_576]);
  expect(Buffer.concat(parts.map(({ content }) => content)).toString()).toBe(long);
  await writer.close();
});

test("a full spool takes nothing more, and says so", async () => {
  const writer = new SpoolWriter(options({ mostBytes: 3000 }));
  expect(() => {
    for (let i = 0; i < 100; i++) writer.write(`${"y".repeat(99)}\n`);
  }).toThrow(/is full/);
  await writer.close();
  expect(() => new SpoolWriter(options({ mostBytes: 3000 })).write("z\n".repeat(2000))).toThrow(/is full/);
});

test("what a writer left when it was killed is sealed later: whole lines, behind what was sealed", async () => {
  const writer = new SpoolWriter(options());
  writer.write("one\n");
  await writer.flush();
  writer.write("two\n");
  expect(recoverSpool(options())).toEqual([]);
  orphan(writer);
  appendFileSync(writer.place.recording, "three\ntor");
  appendFileSync(writer.place.seals, '{"payloadType":"torn');
  expect(recoverSpool(options())).toEqual([writer.place.writer]);
  expect(recoverSpool(options())).toEqual([writer.place.writer]);
  const batches = messagesOf(writer).map((message) => readBatch(message, key));
  expect(batches.map(({ content }) => content.toString())).toEqual(["one\n", "two\nthree\n"]);
  expect(batches[1]?.seal).toMatchObject({ n: 2, prev: batches[0]?.hash });
});

test("seals that end at any byte are read to the last whole one", async () => {
  const writer = new SpoolWriter(options());
  for (const text of ["one\n", "two\n", "three\n"]) {
    writer.write(text);
    await writer.flush();
  }
  orphan(writer);
  const bytes = readFileSync(writer.place.seals);
  for (let length = bytes.length - 1; length > 0; length -= 13) {
    truncateSync(writer.place.seals, length);
    const whole = bytes.subarray(0, length).toString().split("\n").length - 2;
    expect(new SpoolReader(writer.place).batches()).toHaveLength(Math.max(0, whole));
  }
});

test("what was acknowledged is kept for a day", async () => {
  const writer = new SpoolWriter(options());
  writer.write("one\n");
  await writer.close();
  orphan(writer);
  const ended = recoverSpool(options());
  const day = 24 * 3600_000;
  trimSpool(folder, { ended, now: NOW + 9 * day });
  expect(writersIn(folder)).toEqual(ended);
  writeFileSync(writer.place.acked, `{"n":1,"t":${NOW}}\n`);
  trimSpool(folder, { ended, now: NOW + day - 1 });
  expect(writersIn(folder)).toEqual(ended);
  trimSpool(folder, { ended, now: NOW + day });
  expect(writersIn(folder)).toEqual([]);
});
