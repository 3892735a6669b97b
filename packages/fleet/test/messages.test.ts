import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSigned, signedJson } from "../src/sign/message.ts";
import { isSignedBy, readNkey } from "../src/sign/nkey.ts";
import { readAnswer } from "../src/wire/answer.ts";
import { QUESTION_TYPE } from "../src/wire/question.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/explanation/fleet-messages.md"), "utf8");
const lines = [...page.matchAll(/^\{"v":1.*\}$/gm)].map(([line]) => line);

describe("the page about messages and files", () => {
  test("has a signed message as it is signed", () => {
    const [, seed = ""] = /`(SU[A-Z2-7]{56})`/.exec(page) ?? [];
    const [, body = ""] = /the body `(\{.*?\})`/.exec(page) ?? [];
    const [, type = ""] = /For the type `(.*?)`/.exec(page) ?? [];
    const key = readNkey("user", seed);
    expect(type).toBe(QUESTION_TYPE);
    const [message = ""] = lines;
    expect(signedJson(type, JSON.parse(body) as object, (bytes) => key.sign(bytes)).toString()).toBe(message);
    const opened = openSigned(type, Buffer.from(message));
    expect(opened?.body.toString()).toBe(body);
    expect(opened?.message.toString()).toBe(`DSSEv1 ${type.length} ${type} ${body.length} ${body}`);
    expect(isSignedBy("user", key.public, opened?.message ?? Buffer.of(), opened?.signature ?? Buffer.of())).toBe(true);
  });

  test("has an answer as agents read it", () => {
    const answer = lines.find((line) => line.includes('"worker"')) ?? "";
    const { id, bundle } = JSON.parse(answer) as { id: string; bundle: string };
    expect(readAnswer(Buffer.from(answer), { id, bundle })).toMatchObject({ ok: true });
  });
});
