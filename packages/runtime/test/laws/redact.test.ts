import { describe, expect, onTestFinished, test } from "vitest";
import type { Dialect } from "../../src/dialect/dialect.ts";
import { HookFailure } from "../../src/run/failure.ts";
import type { SessionOptions } from "../../src/session/session-parts.ts";
import { type Handler, lanesOf, type Opened, openWith } from "./session.ts";

const SECRET = "sk-0123456789abcdef";
const RESULT = {
  toolCallId: "c",
  tool: "bash",
  args: {},
  content: [{ type: "text" as const, text: `key ${SECRET}` }],
  details: { raw: SECRET },
  isError: false,
  blocked: false,
};

async function opened(
  of: { dialects?: readonly Dialect[] } & Partial<SessionOptions> = {},
): Promise<Opened & { codes: string[] }> {
  const codes: string[] = [];
  const { onDiagnostic: _, ...rest } = of;
  const all = await openWith({ ...rest, onDiagnostic: ({ code }) => void codes.push(code) });
  onTestFinished(() => all.runtime.close());
  return { ...all, codes };
}

const breaks = (): never => {
  // Like parsers, this quotes the text that it could not read.
  throw new SyntaxError(`Unexpected token in "${SECRET}"`);
};

describe("a hook of the host that redacts and fails", () => {
  test.each([
    ["throws", breaks],
    ["rejects", () => Promise.reject(new Error(SECRET))],
    ["answers what is no answer", () => ({ content: SECRET }) as never],
    ["could not be run", () => Promise.reject(new HookFailure("engine", "no descriptor is left"))],
  ])("and %s keeps the result back, says so, and lets nobody bring it back", async (_, handler) => {
    const { session, codes } = await opened();
    const shown: unknown[] = [];
    session.on("tool.after", handler, { redact: true, name: "redactor" });
    session.on("tool.after", (event) => {
      shown.push(event);
      return { content: RESULT.content };
    });
    const { answer } = await session.emit("tool.after", RESULT);
    expect(answer.content?.[0]).toMatchObject({ type: "text", text: expect.stringContaining("library:redactor") });
    expect(JSON.stringify(answer)).not.toContain(SECRET);
    expect(answer.details).toEqual({});
    expect(shown).toEqual([]);
    expect(codes).toContain("WITHHELD");
    expect(codes).not.toContain("FAILED_OPEN");
    expect(session.hooks()[0]?.hook.metrics).toMatchObject({ failed: 1, failedOpen: 0, blocked: 1 });
  });

  test("withholds the result when it times out", async () => {
    const { session, clock } = await opened();
    session.on("tool.after", () => new Promise<never>(() => {}), { redact: true, timeoutMs: 100 });
    const outcome = session.emit("tool.after", RESULT);
    clock.advance(200);
    expect(JSON.stringify((await outcome).answer)).not.toContain(SECRET);
  });

  test("withholds the result when it is aborted before it has answered", async () => {
    const { session } = await opened();
    session.on("tool.after", () => new Promise<never>(() => {}), { redact: true });
    const abort = new AbortController();
    const outcome = session.emit("tool.after", RESULT, { signal: abort.signal });
    abort.abort();
    expect(JSON.stringify((await outcome).answer)).not.toContain(SECRET);
  });

  test("withholds what another hook has made of it", async () => {
    const { session } = await opened();
    session.on("tool.after", () => ({ content: [{ type: "text", text: `more ${SECRET}` }] }));
    session.on("tool.after", breaks, { redact: true });
    expect(JSON.stringify((await session.emit("tool.after", RESULT)).answer)).not.toContain(SECRET);
  });

  test("withholds a reply's text, and stops a prompt, a context, a request and its body", async () => {
    const { session } = await opened();
    const events = [
      "model.response",
      "input",
      "prompt.before",
      "model.context",
      "model.request",
      "model.wire",
    ] as const;
    for (const event of events) session.on(event, breaks as never, { redact: true });
    const { text } = (await session.emit("model.response", { text: SECRET })).answer;
    expect(text).toContain("was withheld");
    expect((await session.emit("input", { text: SECRET, source: "rpc" })).answer).toEqual({ stop: true });
    expect((await session.emit("prompt.before", { text: SECRET })).answer).toEqual({ stop: true });
    expect((await session.emit("model.context", { messages: [], systemPrompt: SECRET })).answer).toEqual({
      stop: true,
    });
    expect((await session.emit("model.request", { request: {} as never })).answer).toEqual({ stop: true });
    expect((await session.emit("model.wire", { body: SECRET })).answer).toEqual({ stop: true });
  });

  test("keeps only the calls of a message", async () => {
    const { session } = await opened();
    session.on("message.end", breaks as never, { redact: true });
    const call = { type: "toolCall" as const, id: "1", name: "ls", arguments: {} };
    const said = [{ type: "thinking" as const, thinking: SECRET }, { type: "text" as const, text: SECRET }, call];
    const message = { role: "assistant", content: said, stopReason: "toolUse" } as never;
    const kept = (await session.emit("message.end", { message })).answer.message;
    expect(kept).toMatchObject({ role: "assistant", stopReason: "toolUse", content: [{ type: "text" }, call] });
    expect(JSON.stringify(kept)).not.toContain(SECRET);
  });

  test("changes nothing as long as it works", async () => {
    const { session, codes } = await opened();
    session.on("tool.after", () => undefined, { redact: true });
    expect((await session.emit("tool.after", RESULT)).answer).toEqual({});
    expect(codes).toEqual([]);
  });

  test("is refused if there is nothing to withhold", async () => {
    const { session } = await opened();
    expect(() => session.on("turn.start", () => undefined, { redact: true })).toThrow(
      'redact for "turn.start" has no text that could be withheld',
    );
  });

  test("is explained", async () => {
    const { session } = await opened();
    session.on("tool.after", breaks, { redact: true });
    session.on("tool.after", breaks);
    expect(session.explain("tool.after", RESULT).plan.map(({ why }) => why.split("; ").at(-1))).toEqual([
      "a failure withholds what it redacts: fails closed",
      "a failure changes nothing: fails open",
    ]);
  });
});

describe("a hook that the settings name under failClosed", () => {
  const failing = (of: "tool.after" | "tool.before" | "turn.start") => lanesOf(["a", "b"], of, (): Handler => breaks);

  test("withholds what it redacts, if named by its file; its neighbour follows its own rule", async () => {
    const { session } = await opened({ dialects: failing("tool.after"), settings: { failClosed: ["/b"] } });
    const { answer } = await session.emit("tool.after", RESULT);
    expect(JSON.stringify(answer)).not.toContain(SECRET);
    expect(session.hooks().map(({ hook }) => hook.metrics.failedOpen)).toEqual([1, 0]);
    expect(session.report.sources.map(({ onFailure }) => onFailure ?? "")).toEqual([
      "",
      "failClosed: refuses what it guards, withholds what it redacts; else reported",
    ]);
    expect(session.explain("tool.after", RESULT).plan.map(({ why }) => why.endsWith("fails closed"))).toEqual([
      false,
      true,
    ]);
  });

  test("can be named by its id, or by a path from the working folder", async () => {
    for (const name of ["b:/b#tool.after[0]", "b"]) {
      const { session, codes } = await opened({ dialects: failing("tool.after"), settings: { failClosed: [name] } });
      expect(JSON.stringify((await session.emit("tool.after", RESULT)).answer)).not.toContain(SECRET);
      expect(codes).not.toContain("FAIL_CLOSED_VAIN");
    }
  });

  test("is reported if no hook has that name, or if there is nothing to close", async () => {
    const nobody = await opened({ dialects: failing("tool.after"), settings: { failClosed: ["c:/c#tool.after[0]"] } });
    expect(nobody.session.report.diagnostics.map(({ code }) => code)).toEqual(["FAIL_CLOSED_VAIN"]);
    const observer = await opened({ dialects: failing("turn.start"), settings: { failClosed: ["/a"] } });
    expect(observer.session.report.diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining("guards nothing and redacts nothing"),
    ]);
  });
});
