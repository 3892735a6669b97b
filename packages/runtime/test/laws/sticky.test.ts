import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import type { Dialect } from "../../src/dialect/dialect.ts";
import { row } from "../../src/dialect/row.ts";
import { answerOnly, halt, last, record } from "../../src/fold/index.ts";
import { createHookRuntime } from "../../src/session/runtime.ts";
import { anyHooks, type Case, decisionOf, laneCase, run } from "./cases.ts";
import { reader } from "./reader.ts";
import type { Say, Script } from "./script.ts";
import { RUNS } from "./seed.ts";

const ranks = ["allow", "ask", "deny"];
const rank = (decision: string): number => ranks.indexOf(decision);

const guards = fc
  .array(laneCase("guard"), { minLength: 1, maxLength: 3 })
  .map((lanes): Case => ({ kind: "guard", ends: true, lanes }));

/** A handler that decides and edits nothing. */
const decider: fc.Arbitrary<Script> = fc.record({
  touch: fc.constant([]),
  say: fc.constantFrom<Say>(
    { what: "nothing" },
    { what: "echo" },
    { what: "throw", message: "boom" },
    { what: "bad" },
    { what: "hang" },
    { what: "answer", answer: { ask: true } },
    { what: "answer", answer: { block: true, reason: "no" } },
    { what: "answer", answer: { note: "n" } },
    { what: "answer", answer: {} },
  ),
  mode: fc.constantFrom<Script["mode"]>("sync", "async", "thenable", "twice"),
  ticks: fc.nat({ max: 5 }),
});

const withScripts = (of: Case, scripts: (own: readonly Script[], row: number) => readonly Script[]): Case => {
  let n = 0;
  const lanes = of.lanes.map((lane) => ({
    ...lane,
    rows: lane.rows.map((cells) => ({ ...cells, scripts: scripts(cells.scripts, n++) })),
  }));
  return { ...of, lanes };
};

describe("law 2: a denial is sticky", () => {
  test("one more handler never loosens a decision", async () => {
    await fc.assert(
      fc.asyncProperty(
        guards,
        fc.array(fc.array(decider, { maxLength: 4 }), { minLength: 6, maxLength: 6 }),
        decider,
        fc.nat(),
        fc.nat(),
        async (of, deciders, more, where, at) => {
          const base = withScripts(of, (_, i) => deciders[i] ?? []);
          const target = where % base.lanes.flatMap((lane) => lane.rows).length;
          const added = withScripts(base, (own, i) =>
            i === target ? [...own.slice(0, at % (own.length + 1)), more, ...own.slice(at % (own.length + 1))] : own,
          );
          const before = anyHooks(base) ? decisionOf((await run(base)).outcome) : "allow";
          expect(rank(decisionOf((await run(added)).outcome))).toBeGreaterThanOrEqual(rank(before));
        },
      ),
      RUNS,
    );
  });

  test("if any hook blocks, the call is denied, whatever the others do", async () => {
    await fc.assert(
      fc.asyncProperty(guards.filter(anyHooks), async (one) => {
        const { outcome } = await run(one);
        const blocked = outcome.hooks.some(({ answer }) => (answer as any)?.block === true);
        if (blocked) expect(decisionOf(outcome)).toBe("deny");
      }),
      RUNS,
    );
  });
});

// ---- all orders (R23)

type Kind = "block" | "allow" | "throw" | "edit" | "success";
const KINDS: readonly Kind[] = ["block", "allow", "throw", "edit", "success"];

/** A dialect with a closed guard over calls and a chain over results. */
function dialect(id: string, kinds: readonly Kind[]): Dialect {
  const before: Record<Kind, (event: any) => unknown> = {
    block: () => ({ block: true, reason: "blocked" }),
    allow: () => undefined,
    throw: () => {
      throw new Error("broken");
    },
    edit: (event) => {
      event.input.command += "!";
    },
    success: () => undefined,
  };
  return {
    id,
    lanes: [
      {
        id,
        isolate: true,
        live: false,
        rows: [
          row<"tool.before", any, any, any>({
            name: "tool_call",
            of: "tool.before",
            kind: "guard",
            schedule: "series",
            fold: halt<any, any>(
              { name: "block", by: (a) => Boolean(a.block), keep: answerOnly },
              record({ input: last() }),
            ),
            feeds: { input: "draft" },
            read: reader,
            failed: ({ message }) => ({ block: true, reason: message }),
            view: {
              get: (payload) => ({ type: "tool_call", input: payload.args }),
              put: (outcome) =>
                outcome.block ? { decision: "deny", reason: outcome.reason } : outcome.input && { args: outcome.input },
            },
          }),
          row<"tool.after", any, any, any>({
            name: "tool_result",
            of: "tool.after",
            kind: "redactor",
            schedule: "all",
            fold: record({ isError: last() }),
            feeds: { isError: "chain" },
            read: reader,
            view: { get: (payload) => ({ type: "tool_result", isError: payload.isError }), put: (outcome) => outcome },
          }),
        ],
      },
    ],
    discover: () => ({
      searched: [],
      diagnostics: [],
      candidates: [
        {
          lane: id,
          source: { path: `/${id}`, tier: "user", dialect: id },
          state: "runs",
          files: [],
          definition: undefined,
        },
      ],
    }),
    load: (_, instance) => {
      for (const kind of kinds) {
        instance.on({ event: "tool_call", run: before[kind] as never });
        if (kind === "success") instance.on({ event: "tool_result", run: () => ({ isError: false }) });
      }
    },
  };
}

describe("all orders of four hooks and five answers over two dialects", () => {
  test.each([0, 1, 2, 3, 4])("with %i of them in the first dialect", async (inFirst) => {
    for (let n = 0; n < KINDS.length ** 4; n++) {
      const kinds = [0, 1, 2, 3].map((i) => KINDS[Math.floor(n / KINDS.length ** i) % KINDS.length] as Kind);
      const dialects = [dialect("a", kinds.slice(0, inFirst)), dialect("b", kinds.slice(inFirst))];
      const session = await createHookRuntime({ dialects, home: NO_HOME }).open({
        scene: { sessionId: "s", cwd: "/" },
      });
      let ran: unknown;
      const result = await session.wrap({ tool: "bash", toolCallId: "1", args: { command: "ls" } }, (args) => {
        ran = args["command"];
        return "done";
      });
      const refused = kinds.some((kind) => kind === "block" || kind === "throw");
      const edits = kinds.filter((kind) => kind === "edit").length;
      expect([kinds.join(), ran]).toEqual([kinds.join(), refused ? undefined : `ls${"!".repeat(edits)}`]);
      expect([result.blocked, result.isError]).toEqual([refused, refused]);
    }
  });
});
