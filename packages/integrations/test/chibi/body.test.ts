import { expect, test } from "vitest";
import { textOf } from "../../../runtime/src/catalog/message.ts";
import type { BodyLack, Scene } from "../../../runtime/src/hook/lane.ts";
import { Bench } from "./bench.ts";

const request = {
  model: { id: "m", provider: "p" },
  systemPrompt: "SYS",
  messages: [{ role: "user" as const, content: "hi", timestamp: 1 }],
  tools: [],
};

const stop: BodyLack = { sent: false, because: "the api has no field for it" };
const raw: BodyLack = { sent: true, because: "the api is sent it as it is" };

/** A provider without `stop`, which is sent `x` as it is, and which takes only messages that the request can hold. */
const lacks: NonNullable<Scene["lacks"]> = (key, _, held) => ({ stop, x: raw, messages: held ? undefined : stop })[key];

async function answer(body: object, scene: Partial<Scene> = { lacks }, times = 1) {
  const bench = new Bench();
  bench.plugin("p", ["pre_api_request"], `echo '${JSON.stringify({ request_body: body })}'`);
  const { session, diagnostics } = await bench.open({ scene });
  let outcome = await session.emit("model.request", { request });
  for (let i = 1; i < times; i++) outcome = await session.emit("model.request", { request });
  const hook = session.hooks()[0]?.hook;
  return { request: outcome.answer.request, diagnostics, edits: hook?.metrics.edits, runs: hook?.metrics.runs };
}

test("a key that the provider cannot be sent is left out, named, and counts as no edit [chibi.edge.27]", async () => {
  const { request: sent, diagnostics, edits } = await answer({ stop: ["HALT"] });
  expect(sent).toBeUndefined();
  expect(edits).toBe(0);
  expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
    [
      "HOOK_ODD_ANSWER",
      expect.stringMatching(/plugins\/p#.*request_body\.stop on pre_api_request.*the api has no field for it/),
    ],
  ]);
});

test("keys beside it count [chibi.edge.27]", async () => {
  const { request: sent, edits } = await answer({ stop: ["HALT"], top_p: 0.5 });
  expect(sent?.extra).toEqual({ top_p: 0.5 });
  expect(edits).toBe(1);
});

test("a key without a field of its own is sent, and this is reported once per session [chibi.edge.28]", async () => {
  const { request: sent, diagnostics, edits, runs } = await answer({ x: 7 }, { lacks }, 3);
  expect(sent?.extra).toEqual({ x: 7 });
  expect([runs, edits]).toEqual([3, 3]);
  expect(diagnostics.map(({ code }) => code)).toEqual(["HOOK_RAW_KEY"]);
});

test("a list that only chat completions can be sent is left out elsewhere; one that the request can hold is taken", async () => {
  const odd = await answer({ messages: [{ role: "user", name: "ann", content: "bye" }] });
  expect(odd.request).toBeUndefined();
  expect(odd.diagnostics.map(({ code }) => code)).toEqual(["HOOK_ODD_ANSWER"]);
  const plain = await answer({ messages: [{ role: "user", content: "bye" }] });
  expect(plain.request?.messages.map((message) => textOf((message as { content: string }).content))).toEqual(["bye"]);
  expect(plain.diagnostics).toEqual([]);
});

test("an existing value is not an edit, whatever the provider lacks", async () => {
  const { request: sent, diagnostics } = await answer({ model: "m" }, { lacks: () => stop });
  expect(sent).toBeUndefined();
  expect(diagnostics).toEqual([]);
});

test("a host that does not say what its provider lacks is sent every key", async () => {
  const { request: sent, diagnostics } = await answer({ stop: "HALT", x: 7 }, {});
  expect(sent?.extra).toEqual({ stop: "HALT", x: 7 });
  expect(diagnostics).toEqual([]);
});

test("a key that is not a name is not repeated", async () => {
  const { diagnostics } = await answer({ "a b\u001b[2J": 1 }, { lacks: () => stop });
  expect(diagnostics[0]?.message).toContain("a key of request_body");
});
