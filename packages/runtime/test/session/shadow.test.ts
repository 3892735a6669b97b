import { expect, test } from "vitest";
import type { Dialect } from "../../src/dialect/dialect.ts";
import type { Instance } from "../../src/hook/instance.ts";
import type { TraceLine } from "../../src/run/trace.ts";
import { dialectOf, openWith } from "../laws/session.ts";

const CALL = { toolCallId: "c", tool: "bash", args: { command: "ls" } };

/** Lets everything run that can without the clock. */
const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
};

const guard = (id: string, load: (instance: Instance) => void): Dialect => dialectOf(id, "tool.before", load);

const deny = (instance: Instance): void =>
  void instance.on({ event: "tool.before", run: () => ({ decision: "deny", reason: "no" }) });

test("a hook in shadow is asked about the final call after the outcome, and decides nothing", async () => {
  const saw: unknown[] = [];
  const lines: TraceLine[] = [];
  const { session } = await openWith({
    dialects: [
      guard("a", (instance) => {
        instance.on({
          event: "tool.before",
          run: (event: { args: object }) => {
            saw.push(structuredClone(event.args));
            return { decision: "deny", reason: "no" };
          },
        });
      }),
      guard("b", (instance) => void instance.on({ event: "tool.before", run: () => ({ args: { command: "pwd" } }) })),
    ],
    settings: { shadow: ["/a"] },
    trace: { write: (line) => void lines.push(line), payloads: true },
  });
  const outcome = await session.emit("tool.before", CALL);
  expect(outcome.answer).toEqual({ args: { command: "pwd" } });
  expect(saw).toEqual([]);
  await settle();
  expect(saw).toEqual([{ command: "pwd" }]);
  const [hook] = session.hooks().filter(({ lane }) => lane === "a");
  expect(hook?.hook.metrics).toMatchObject({
    blocked: 0,
    shadow: { asked: 1, wouldDeny: 1, wouldAsk: 0, wouldEdit: 0, failed: 0, dropped: 0 },
  });
  const [, line] = lines;
  expect(line).toMatchObject({ event: "tool.before", edits: [], outcome: {}, hooks: [{ shadow: true, pass: 1 }] });
  expect(line?.hooks[0]?.answer).toEqual({ decision: "deny", reason: "no" });
  expect(session.report.sources.map(({ lane, shadow }) => [lane, shadow])).toEqual([
    ["a", true],
    ["b", undefined],
  ]);
  expect(session.explain("tool.before", CALL).others).toContainEqual(
    expect.objectContaining({ id: "a:/a#tool.before[0]", why: "shadow" }),
  );
  const fired = await session.fire("a", "tool.before", CALL);
  expect(fired.answer).toEqual({});
  expect(fired.hooks).toMatchObject([{ shadow: true, status: "answered" }]);
});

test("one handler of a file is in shadow by its id, the others guard", async () => {
  const { session } = await openWith({
    dialects: [
      guard("a", (instance) => {
        deny(instance);
        instance.on({ event: "tool.before", run: () => ({ additionalContext: "seen" }) });
      }),
    ],
    settings: { shadow: ["a:/a#tool.before[0]"] },
  });
  expect((await session.emit("tool.before", CALL)).answer).toEqual({ additionalContext: ["seen"] });
  expect(session.report.sources[0]).toMatchObject({ state: "runs", shadowHooks: ["a:/a#tool.before[0]"] });
});

test("what must run and is in shadow counts as absent", async () => {
  const { session } = await openWith({ dialects: [guard("a", deny)], settings: { shadow: ["/a"], required: ["/a"] } });
  const { answer } = await session.emit("tool.before", CALL);
  expect(answer.reason).toContain("in shadow");
  expect(session.missing().map(({ expected }) => expected.name)).toEqual(["/a"]);
});

test("a project puts nothing of a person's in shadow, and is told so", async () => {
  const { session } = await openWith({ dialects: [guard("a", deny)], settings: { project: { shadow: ["/a"] } } });
  expect((await session.emit("tool.before", CALL)).answer.decision).toBe("deny");
  expect(session.report.diagnostics.map(({ code }) => code)).toEqual(["SHADOW_VAIN"]);
});

test("what an administrator manages stays in force", async () => {
  const managed = guard("a", deny);
  const { session } = await openWith({
    dialects: [
      {
        ...managed,
        discover: async (scan) => {
          const found = await managed.discover(scan);
          return {
            ...found,
            candidates: found.candidates.map((one) => ({
              ...one,
              source: { ...one.source, tier: "managed" as const },
            })),
          };
        },
      },
    ],
    settings: { shadow: ["/a"] },
  });
  expect((await session.emit("tool.before", CALL)).answer.decision).toBe("deny");
  expect(session.report.diagnostics.map(({ message }) => message).join()).toContain("managed");
});

test("it takes effect at the next load, and comes back into force at one", async () => {
  const settings: { shadow: string[] } = { shadow: [] };
  const { session } = await openWith({ dialects: [guard("a", deny)], settings });
  const decision = async (): Promise<unknown> => (await session.emit("tool.before", CALL)).answer.decision;
  expect(await decision()).toBe("deny");
  settings.shadow.push("/a");
  expect(await decision()).toBe("deny");
  await session.load();
  expect(await decision()).toBeUndefined();
  settings.shadow.pop();
  await session.load();
  expect(await decision()).toBe("deny");
});

test("a hook in shadow that never answers costs the session's end a moment, and the rest is counted as dropped", async () => {
  const { session, clock } = await openWith({
    dialects: [guard("a", (instance) => void instance.on({ event: "tool.before", run: () => new Promise(() => {}) }))],
    settings: { shadow: ["/a"] },
  });
  for (let i = 0; i < 400; i++) expect((await session.emit("tool.before", CALL)).answer).toEqual({});
  await settle();
  const metrics = session.hooks()[0]?.hook.metrics;
  const closing = session.close();
  await settle();
  clock.advance(2000);
  await closing;
  await settle();
  expect(metrics?.shadow).toMatchObject({ asked: 0, dropped: 400 });
});
