import fc from "fast-check";
import { expect, test } from "vitest";
import { pathTo, projectPath } from "../../src/session/context.ts";
import { SessionManager } from "../../src/session/session.ts";

const usage = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

type Step = (session: SessionManager, n: number) => unknown;

/** Something of the session, chosen by a number; before the first entry there is nothing. */
const some = (session: SessionManager, n: number) => session.getEntries()[n % (session.getEntries().length || 1)]?.id;

const steps: Readonly<Record<string, Step>> = {
  user: (session, n) => session.appendMessage({ role: "user", content: `u${n}`, timestamp: n }),
  reply: (session, n) =>
    session.appendMessage({
      role: "assistant",
      content: [{ type: "text", text: `a${n}` }],
      api: "x",
      provider: "p",
      model: `m${n % 3}`,
      usage,
      stopReason: "stop",
      timestamp: n,
    }),
  system: (session) => session.appendMessage({ role: "system", content: "s" } as never),
  custom: (session, n) => session.appendCustomMessageEntry("c", `c${n}`, true),
  note: (session, n) => session.appendCustomEntry("note", n),
  model: (session, n) => session.appendModelChange("q", `m${n % 3}`),
  thinking: (session, n) => session.appendThinkingLevelChange(n % 2 === 0 ? "low" : "high"),
  name: (session, n) => session.appendSessionInfo(`n${n}`),
  compaction: (session, n) => session.appendCompaction(`sum${n}`, some(session, n) ?? null, 10),
  edit(session, n) {
    const messages = session.getBranch().filter(({ type }) => type === "custom_message");
    const target = messages[n % (messages.length || 1)];
    if (target !== undefined) session.appendContextEdit(target.id, n % 2 === 0 ? null : { content: `e${n}` });
  },
  branch(session, n) {
    const id = some(session, n);
    if (id !== undefined) session.branch(id);
  },
  root: (session) => session.resetLeaf(),
  summary: (session, n) => session.branchWithSummary(some(session, n) ?? null, `left${n}`),
};

test("a session's state follows from its path, whatever was added and read in between", () => {
  const step = fc.record({ name: fc.constantFrom(...Object.keys(steps)), n: fc.nat(50), look: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (sequence) => {
      const session = SessionManager.inMemory("/p");
      for (const { name, n, look } of sequence) {
        steps[name]?.(session, n);
        if (look) session.sharedProjection();
      }
      const leaf = session.getLeafEntry();
      const expected = projectPath(pathTo(leaf, (id) => session.getEntry(id)));
      expect(session.buildSessionProjection()).toEqual(expected);
      const { entries: _, ...context } = expected;
      expect(session.buildSessionContext()).toEqual(context);
    }),
  );
});

test("what was asked for stays as it is when more is added", () => {
  const session = SessionManager.inMemory("/p");
  session.appendMessage({ role: "user", content: "one", timestamp: 1 });
  const { messages } = session.buildSessionContext();
  const projection = session.buildSessionProjection();
  session.appendMessage({ role: "user", content: "two", timestamp: 2 });
  expect(messages).toHaveLength(1);
  expect(projection.entries).toHaveLength(1);
  expect(session.buildSessionContext().messages).toHaveLength(2);
});
