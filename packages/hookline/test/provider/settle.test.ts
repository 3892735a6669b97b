import { describe, expect, test } from "vitest";
import { collect as garbage } from "../../../runtime/test/heap.ts";
import { emptyMessage } from "../../src/provider/message.ts";
import type { Provider, StreamEvent } from "../../src/provider/provider.ts";
import { classifyFailure } from "../../src/provider/retry.ts";
import { settled } from "../../src/provider/settle.ts";
import { ask, collect, said, testModel } from "./collect.ts";

const model = testModel();
const start: StreamEvent = { type: "start", partial: emptyMessage(model) };

function partial(text: string): StreamEvent {
  const message = { ...emptyMessage(model), content: [{ type: "text" as const, text }] };
  return { type: "text_delta", contentIndex: 0, delta: text, partial: message };
}

/** A provider over a source that may break the contract. */
function over(source: () => AsyncIterable<StreamEvent> | Promise<AsyncIterable<StreamEvent>>): Provider {
  return { name: "over", stream: (_request, call) => settled(source, model, call.signal, 10) };
}

describe("a source that breaks the contract still ends with one error", () => {
  const cases: readonly (readonly [
    string,
    () => AsyncIterable<StreamEvent> | Promise<AsyncIterable<StreamEvent>>,
    string,
  ])[] = [
    [
      "one that cannot be opened",
      () => {
        throw new Error("no key");
      },
      "no key",
    ],
    ["one that is refused later", () => Promise.reject(new Error("refused")), "refused"],
    [
      "one that throws in the middle",
      async function* () {
        yield start;
        yield partial("some");
        throw new Error("broke");
      },
      "broke",
    ],
    [
      "one that just stops",
      async function* () {
        yield start;
        yield partial("some");
      },
      "The stream of test/test-1 ended without a result",
    ],
  ];
  test.each(cases)("%s", async (_what, source, text) => {
    const { message, ended } = await collect(over(source), ask());
    expect(ended).toBe("error");
    expect(message).toMatchObject({ stopReason: "error", errorMessage: text });
    expect(["", "some"]).toContain(said(message));
  });

  test("nothing after the end is passed on", async () => {
    const source = async function* (): AsyncGenerator<StreamEvent> {
      yield start;
      yield { type: "done", reason: "stop", message: emptyMessage(model) };
      yield partial("late");
    };
    expect((await collect(over(source), ask())).types).toEqual(["start", "done"]);
  });
});

describe("an abort", () => {
  test("a source that ignores it is abandoned, keeping what had arrived", async () => {
    const controller = new AbortController();
    const source = async function* (): AsyncGenerator<StreamEvent> {
      yield start;
      yield partial("some");
      controller.abort();
      await new Promise(() => undefined);
    };
    const { message } = await collect(over(source), ask(), { signal: controller.signal });
    expect(message.stopReason).toBe("aborted");
    expect(said(message)).toBe("some");
  });

  test("a source that keeps sending is abandoned too", async () => {
    const controller = new AbortController();
    const source = async function* (): AsyncGenerator<StreamEvent> {
      yield start;
      controller.abort();
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        yield partial("more");
      }
    };
    const { message } = await collect(over(source), ask(), { signal: controller.signal });
    expect(message.stopReason).toBe("aborted");
  });

  test("a source that says how it ended is believed", async () => {
    const controller = new AbortController();
    const source = async function* (): AsyncGenerator<StreamEvent> {
      yield start;
      controller.abort();
      yield { type: "done", reason: "stop", message: { ...emptyMessage(model), stopReason: "stop" } };
    };
    expect((await collect(over(source), ask(), { signal: controller.signal })).ended).toBe("done");
  });
});

test("a reader that stops early closes the source", async () => {
  let closed = false;
  const source = async function* (): AsyncGenerator<StreamEvent> {
    try {
      yield start;
      yield partial("some");
    } finally {
      closed = true;
    }
  };
  for await (const event of settled(source, model)) if (event.type === "start") break;
  await Promise.resolve();
  expect(closed).toBe(true);
});

test("a reply with too many parts is ended with what had arrived, and its source is told", async () => {
  const content = Array.from({ length: 5000 }, () => ({ type: "text" as const, text: "x" }));
  let told: AbortSignal | undefined;
  const source = async function* (signal: AbortSignal): AsyncGenerator<StreamEvent> {
    told = signal;
    yield start;
    yield { type: "text_start", contentIndex: 0, partial: { ...emptyMessage(model), content } };
    yield { type: "done", reason: "stop", message: emptyMessage(model) };
  };
  const provider: Provider = { name: "over", stream: () => settled(source, model) };
  const { message, ended } = await collect(provider, ask());
  expect(ended).toBe("error");
  expect(message).toMatchObject({ stopReason: "error", errorMessage: expect.stringContaining("or 4096 parts") });
  expect(classifyFailure(message)).toBe("final");
  expect(message.content).toHaveLength(5000);
  expect(told?.aborted).toBe(true);
});

test("what has not streamed counts as well", async () => {
  const content = [{ type: "text" as const, text: "x".repeat((32 << 20) + 1) }];
  const source = async function* (): AsyncGenerator<StreamEvent> {
    yield { type: "done", reason: "stop", message: { ...emptyMessage(model), content } };
  };
  expect((await collect(over(source), ask())).ended).toBe("error");
});

test("what a client leaves at its signal is not kept once the stream has ended", async () => {
  const run = new AbortController();
  const left: WeakRef<AbortSignal>[] = [];
  for (let n = 0; n < 20; n++) {
    const either = AbortSignal.any([run.signal, new AbortController().signal]);
    const open = async function* (signal: AbortSignal): AsyncGenerator<StreamEvent> {
      signal.addEventListener("abort", () => {}, { once: true });
      left.push(new WeakRef(signal), new WeakRef(either));
      yield start;
      yield { type: "done", reason: "stop", message: emptyMessage(model) };
    };
    for await (const _ of settled(open, model, either));
  }
  await garbage();
  expect(left.filter((one) => one.deref() !== undefined).length).toBeLessThanOrEqual(2);
});

test.each([
  [
    "thrown",
    () => {
      throw new Error("x".repeat(100_000));
    },
  ],
  [
    "told",
    async function* (): AsyncGenerator<StreamEvent> {
      const error = { ...emptyMessage(model), stopReason: "error" as const, errorMessage: "x".repeat(100_000) };
      yield { type: "error", reason: "error", error };
    },
  ],
])("an error that is as long as a page is cut when it is %s", async (_, source) => {
  const { message } = await collect(over(source), ask("hi", { model }));
  expect(message.errorMessage).toMatch(/^x+… \(100000 characters\)$/);
  expect(message.errorMessage?.length).toBeLessThan(5000);
});
