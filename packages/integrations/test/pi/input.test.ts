import { describe, expect, test } from "vitest";
import { openWith, type TestFactory } from "./kit.ts";

const image = { type: "image" as const, data: "AA==", mimeType: "image/png" };
const other = { type: "image" as const, data: "BB==", mimeType: "image/png" };
const hi = { text: "hi", source: "interactive" as const };

const on =
  (handler: (event: any, ctx: any) => unknown): TestFactory =>
  (pi) =>
    pi.on("input", handler);
const adding = (suffix: string): TestFactory => on((event) => ({ action: "transform", text: event.text + suffix }));

describe("input", () => {
  test("each handler sees the text that the one before it made [pi.input.3, pi.order.3]", async () => {
    await using opened = await openWith([adding("-A"), adding("-B")]);
    const { answer } = await opened.session.emit("input", hi);
    expect(answer).toEqual({ text: "hi-A-B" });
  });

  test("`handled` ends the chain and takes nothing along [pi.input.4, pi.order.4]", async () => {
    const seen: string[] = [];
    await using opened = await openWith([
      adding("-A"),
      on(() => ({ action: "handled" })),
      on((event) => void seen.push(event.text)),
    ]);
    const { answer } = await opened.session.emit("input", hi);
    expect(answer).toEqual({ handled: true });
    expect(seen).toEqual([]);
  });

  test("the event has text, images and source, and how it is queued while the agent runs [pi.input.5]", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([on((event) => void seen.push(event))]);
    await opened.session.emit("input", { ...hi, images: [image], source: "rpc", streaming: "steer" });
    await opened.session.emit("input", hi);
    expect(seen).toEqual([
      { type: "input", text: "hi", images: [image], source: "rpc", streamingBehavior: "steer" },
      { type: "input", text: "hi", source: "interactive" },
    ]);
  });

  test.each([undefined, null, false, "", 0, { action: "continue" }])(
    "%j passes the text through [pi.input.6]",
    async (raw) => {
      await using opened = await openWith([on(() => raw)]);
      const outcome = await opened.session.emit("input", hi);
      expect(outcome.answer).toEqual({});
      expect(opened.diagnostics).toEqual([]);
    },
  );

  test("a transform replaces text and images [pi.input.7, pi.input.10]", async () => {
    await using opened = await openWith([on(() => ({ action: "transform", text: "new", images: [other] }))]);
    const { answer } = await opened.session.emit("input", { ...hi, images: [image] });
    expect(answer).toEqual({ text: "new", images: [other] });
  });

  test("a transform without images keeps the original ones for the next handler and the host [pi.input.10]", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([adding("!"), on((event) => void seen.push(event.images))]);
    const { answer } = await opened.session.emit("input", { ...hi, images: [image] });
    expect(seen).toEqual([[image]]);
    expect(answer).toEqual({ text: "hi!" });
  });

  test("an echo is not an edit", async () => {
    await using opened = await openWith([
      on((event) => ({ action: "transform", text: event.text, images: event.images })),
    ]);
    expect((await opened.session.emit("input", { ...hi, images: [image] })).answer).toEqual({});
  });

  test("a transform without a text is a failure of its hook and leaves the text as it was", async () => {
    await using opened = await openWith([adding("-A"), on(() => ({ action: "transform" })), adding("-B")]);
    const { answer } = await opened.session.emit("input", hi);
    expect(answer).toEqual({ text: "hi-A-B" });
    expect(opened.codes()).toEqual(["HOOK_BAD_ANSWER", "FAILED_OPEN"]);
  });

  test("unknown actions have no effect and are reported", async () => {
    await using opened = await openWith([on(() => ({ action: "tranform", text: "x" })), on(() => "text")]);
    expect((await opened.session.emit("input", hi)).answer).toEqual({});
    expect(opened.codes()).toEqual(["HOOK_ODD_ANSWER", "HOOK_ODD_ANSWER"]);
    expect(opened.diagnostics.map(({ message }) => message)).toEqual([
      expect.stringMatching(/ returned action on input, .*: it is none of continue, handled, transform$/),
      expect.stringMatching(/ returned a string on input, .*: an answer is an object$/),
    ]);
  });

  test("a handler that throws is reported, and the next ones run", async () => {
    await using opened = await openWith([
      on(() => {
        throw new Error("boom");
      }),
      adding("-B"),
    ]);
    expect((await opened.session.emit("input", hi)).answer).toEqual({ text: "hi-B" });
    expect(opened.codes()).toEqual(["HOOK_THREW", "FAILED_OPEN"]);
  });

  test("changing the event in place changes nothing", async () => {
    const seen: string[] = [];
    await using opened = await openWith([
      on((event) => {
        event.text = "changed";
      }),
      on((event) => void seen.push(event.text)),
    ]);
    expect((await opened.session.emit("input", hi)).answer).toEqual({});
    expect(seen).toEqual(["hi"]);
  });
});
