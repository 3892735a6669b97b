import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Authority } from "../../src/identity/authority.ts";
import { type Creds, readCreds } from "../../src/sign/creds.ts";
import { readAnswer } from "../../src/wire/answer.ts";
import { type Question, readQuestion, writeQuestion } from "../../src/wire/question.ts";

const place = mkdtempSync(join(tmpdir(), "hookline-fleet-"));
let agent: Creds;
let worker: Creds;
let stranger: Creds;

beforeAll(async () => {
  const authority = await Authority.create(join(place, "acme"), "acme");
  agent = readCreds(await authority.enroll("laptop-1", "agent"));
  worker = readCreds(await authority.enroll("worker-1", "worker"));
  stranger = readCreds(await (await Authority.create(join(place, "other"), "acme")).enroll("laptop-1", "agent"));
});
afterAll(() => rmSync(place, { recursive: true }));

const BUNDLE = "0123456789abcdef".repeat(4);
const question: Question = {
  v: 1,
  id: "AAAAAAAAAAAAAAAAAAAAAA",
  machine: "laptop-1",
  session: "s1",
  call: "c1",
  pass: 1,
  event: "tool.before",
  deadlineMs: 10_000,
  bundle: BUNDLE,
  payload: { tool: "bash", args: { command: "ls" } },
};

describe("a question", () => {
  test("is read as it was asked", () => {
    expect(readQuestion(writeQuestion(question, agent), agent.token, worker)).toEqual({ ok: true, question });
  });

  test.each<[string, () => ReturnType<typeof readQuestion>]>([
    [
      "signed by another fleet's agent of the same name",
      () => readQuestion(writeQuestion(question, stranger), stranger.token, worker),
    ],
    [
      "signed by somebody else than its token says",
      () => readQuestion(writeQuestion(question, worker), agent.token, worker),
    ],
    [
      "of a worker",
      () => readQuestion(writeQuestion({ ...question, machine: "worker-1" }, worker), worker.token, worker),
    ],
    [
      "that names another machine",
      () => readQuestion(writeQuestion({ ...question, machine: "laptop-2" }, agent), agent.token, worker),
    ],
    ["without a token", () => readQuestion(writeQuestion(question, agent), "", worker)],
    ["without a signature", () => readQuestion(Buffer.from(JSON.stringify(question)), agent.token, worker)],
    [
      "with a field more",
      () => readQuestion(writeQuestion({ ...question, more: 1 } as Question, agent), agent.token, worker),
    ],
    [
      "of a later version",
      () => readQuestion(writeQuestion({ ...question, v: 2 } as never, agent), agent.token, worker),
    ],
    [
      "that is too large",
      () =>
        readQuestion(writeQuestion({ ...question, payload: { a: "x".repeat(600_000) } }, agent), agent.token, worker),
    ],
  ])("%s is not answered", (_, read) => expect(read()).toMatchObject({ ok: false, problem: expect.any(String) }));

  test("counts for nothing with one bit changed", () => {
    const bytes = writeQuestion(question, agent);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 7 }), (at, bit) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] as number) ^ (1 << bit);
        expect(readQuestion(changed, agent.token, worker).ok).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});

describe("an answer", () => {
  const answer = { v: 1, id: question.id, worker: "worker-1", bundle: BUNDLE, answer: {}, edits: [], hooks: [], ms: 1 };
  const read = (value: unknown) =>
    readAnswer(Buffer.from(typeof value === "string" ? value : JSON.stringify(value)), question);

  test("to the question is read", () => {
    expect(read(answer)).toEqual({ ok: true, answer });
  });

  test.each<[string, unknown]>([
    ["to another question", { ...answer, id: "BAAAAAAAAAAAAAAAAAAAAA" }],
    ["of another bundle", { ...answer, bundle: BUNDLE.replace("0", "f") }],
    ["without a field", { ...answer, hooks: undefined }],
    ["that is a list", { ...answer, answer: [] }],
    ["with a field more", { ...answer, also: 1 }],
    ["with a field twice", JSON.stringify(answer).replace('"ms":1', '"ms":1,"answer":{"decision":"deny"}')],
    ["of another version", { ...answer, v: 2 }],
    ["that is no JSON", "not json"],
    ["that is empty", ""],
    ["with an answer and an error", { ...answer, error: { code: "event", message: "" } }],
    ["with an error", { v: 1, id: question.id, error: { code: "overload", message: "too many" } }],
    ["that is too large", { ...answer, answer: { reason: "x".repeat(600_000) } }],
  ])("%s is none", (_, value) => expect(read(value)).toMatchObject({ ok: false, problem: expect.any(String) }));

  test("no bytes break its reading", () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => readAnswer(bytes, question).ok === false));
    fc.assert(fc.property(fc.jsonValue(), (value) => read(JSON.stringify(value)).ok === false));
  });
});
