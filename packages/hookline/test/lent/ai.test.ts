import * as compat from "@earendil-works/pi-ai/compat";
import { expect, test } from "vitest";
import type { Model } from "../../src/provider/provider.ts";
import { startLoopback } from "../support/loopback.ts";
import { lentPlace } from "./lent.ts";

const question = { messages: [{ role: "user", content: "hey", timestamp: 1 }] };
const textOf = (message: any): string => message.content.map((block: any) => block.text).join("");

/** A model of the loopback server, reached by a client that everybody has. */
const served = (url: string, more: Partial<Model> = {}): Model => ({
  id: "m1",
  name: "m1",
  api: "openai-completions",
  provider: "loop",
  baseUrl: `${url}/v1`,
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000,
  maxTokens: 100,
  ...more,
});

test("an extension asks the model of a script as it asks any other", async () => {
  await using place = lentPlace([{ text: "one" }, { text: "two" }]);
  const { complete, streamSimple } = await place.use("pi-ai");
  expect(textOf(await complete(place.model, question))).toBe("one");
  const stream = streamSimple(place.model, question);
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  expect([types[0], types.at(-1)]).toEqual(["start", "done"]);
  expect(textOf(await stream.result())).toBe("two");
});

test("a hosted model is asked by the bundled client itself, with the key that is given", async () => {
  await using place = lentPlace();
  const server = await startLoopback([{ text: "served" }]);
  try {
    const { complete } = await place.use("pi-ai/compat");
    expect(textOf(await complete(served(server.url), question, { apiKey: "secret" }))).toBe("served");
    expect(server.requests[0]?.headers.authorization).toBe("Bearer secret");
  } finally {
    await server.close();
  }
});

test("a wire protocol that an extension registers is used for the agent's own requests until it is removed", async () => {
  await using place = lentPlace();
  const ai = await place.use("pi-ai", "registerApiProvider");
  const answer = (): any => {
    const stream = ai.createAssistantMessageEventStream?.() ?? compat.createAssistantMessageEventStream();
    const message: any = compat.fauxAssistantMessage("of my own");
    stream.push({ type: "start", partial: message });
    stream.push({ type: "done", reason: "stop", message });
    return stream;
  };
  ai.registerApiProvider({ api: "my-api", stream: answer, streamSimple: answer }, "mine");
  const model = served("http://127.0.0.1:1", { api: "my-api" });
  const reply = await place.lent.registry.complete(model, question as never);
  expect(textOf(reply)).toBe("of my own");
  ai.unregisterApiProviders("mine");
  const after = await place.lent.registry.complete(model, question as never);
  expect(after.stopReason).toBe("error");
  expect(after.errorMessage).toContain('"my-api"');
});

test("a model of a provider that an extension brings is asked through it", async () => {
  await using place = lentPlace();
  place.lent.registry.registerProvider("own", {
    api: "own-api",
    baseUrl: "http://127.0.0.1:1",
    apiKey: "k",
    models: [{ id: "m" }],
    streamSimple: () => {
      const stream = compat.createAssistantMessageEventStream();
      stream.push({ type: "done", reason: "stop", message: compat.fauxAssistantMessage("by the provider") as never });
      return stream;
    },
  } as never);
  const { complete } = await place.use("pi-ai");
  expect(textOf(await complete(place.lent.registry.find("own", "m"), question))).toBe("by the provider");
});

test("the package's own functions are provided unchanged", async () => {
  await using place = lentPlace();
  const ai = await place.use("pi-ai");
  expect(ai.getModel).toBe(compat.getModel);
  expect(ai.createAssistantMessageEventStream).toBe(compat.createAssistantMessageEventStream);
  expect(ai.getModel("anthropic", "claude-sonnet-4-5")).toMatchObject({ provider: "anthropic" });
});

test("a module gets the parts that it mentions, and everything when none can be seen", async () => {
  await using place = lentPlace();
  expect(Object.keys(await place.use("pi-ai", "uuidv7"))).toEqual(["uuidv7"]);
  expect(Object.keys(await place.use("pi-ai", "StringEnum"))).toEqual([]);
  expect(Object.keys(await place.use("pi-ai", "complete"))).toContain("getModel");
  expect(Object.keys(await place.use("pi-ai", "nothing", "of", "it"))).toContain("getModel");
  expect(Object.keys(await place.use("pi-coding-agent", "keyHint"))).toEqual(["keyHint", "keyText", "rawKeyHint"]);
});
