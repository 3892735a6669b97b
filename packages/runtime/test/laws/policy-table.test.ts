import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../../ground/src/error/diagnostic.ts";
import { dialects } from "../../../integrations/src/index.ts";
import { catalog } from "../../src/catalog/catalog.ts";
import type { Cause } from "../../src/catalog/row.ts";
import { Instance } from "../../src/hook/instance.ts";
import type { Lane, LaneRow, Plan } from "../../src/hook/lane.ts";
import { Registry } from "../../src/hook/registry.ts";
import { Deadlines } from "../../src/run/deadline.ts";
import { dispatch } from "../../src/run/dispatch.ts";
import { HookFailure } from "../../src/run/failure.ts";
import { libraryLane } from "../../src/run/library.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import { samplePayload } from "../../src/testing/sample.ts";
import { ManualClock } from "./clock.ts";
import { scene } from "./reference.ts";

const CAUSES: readonly Cause[] = ["threw", "timeout", "bad", "exited", "chain", "engine"];
type OnError = "skip" | "abort" | undefined;

/** The effect of a hook's failure: it refuses, withholds, is answered by its dialect, or changes nothing. */
type Fate = "refused" | "withheld" | "answered" | "open" | "reported";

/** Lanes in which a guard's own failure refuses, whatever it is; and the two with rules of their own. */
const GUARDS: Readonly<Record<string, (cause: Cause, onError: OnError) => boolean>> = {
  library: () => true,
  pi: () => true,
  omp: () => true,
  "omp-hooks": () => true,
  // To chibi, `abort` is what its setting `guardFailure: closed` makes of a plugin.
  chibi: (cause, onError) => cause === "timeout" || onError === "abort",
};

/** Events of which a text can be kept back, or the session refused. */
const CARRIES_TEXT = new Set([
  "session.start",
  "input",
  "prompt.before",
  "model.context",
  "model.request",
  "model.wire",
  "model.response",
  "reply.before",
  "message.end",
  "tool.after",
]);

/** Table 2.0 of the guarantees, cell by cell. */
function fate(
  lane: string,
  { kind, name, of }: LaneRow,
  why: { readonly cause: Cause; readonly onError: OnError; readonly failClosed: boolean },
): Fate {
  const { cause, onError, failClosed } = why;
  if (kind === "observe" || kind === "shutdown") return "reported";
  if (kind === "guard") {
    if (cause === "engine" || failClosed) return "refused";
    // j-cli's `abort` answers as its own word does: `stop`, which refuses this call and those behind it.
    if (lane === "jcli") return onError === "abort" ? "answered" : "open";
    return GUARDS[lane]?.(cause, onError) ? "refused" : "open";
  }
  // A reply that is handed over is judged last, so no failure opens it.
  if ((failClosed || of === "reply.before") && CARRIES_TEXT.has(of)) return "withheld";
  if (lane === "jcli" && onError === "abort") return "answered";
  // chibi starts no sub-agent past a hook that failed so.
  if (lane === "chibi" && name === "pre_spawn_agent" && GUARDS["chibi"]?.(cause, onError)) return "answered";
  // A text that a hook was to replace is not shown because the hook's own could not be used.
  if (cause === "bad" && name.startsWith("tool_result")) return "answered";
  // A command that a hook was to carry out elsewhere does not run here instead.
  if (lane === "pi" && name === "user_bash") return "answered";
  return "open";
}

interface Failed {
  readonly outcome: Outcome;
  readonly codes: readonly string[];
  readonly failedOpen: number;
  readonly plan: Plan;
}

/** One hook of one row that fails, and another behind it that would undo what it can. */
async function fails(
  lane: Lane,
  cells: LaneRow,
  why: { readonly cause: Cause; readonly onError: OnError; readonly failClosed: boolean },
  payload: object,
): Promise<Failed> {
  const { when: _, ...row } = cells;
  const told: Diagnostic[] = [];
  const registry = new Registry([{ ...lane, rows: [row] }], catalog, (diagnostic) => told.push(diagnostic));
  const instance = new Instance(lane.id, { path: "/hooks/one", tier: "user" }, registry);
  const { cause, onError, failClosed } = why;
  instance.on({
    event: row.name,
    run: () => {
      throw new HookFailure(cause, "it failed");
    },
    failClosed,
    ...(onError !== undefined && { onError }),
  });
  const clock = new ManualClock();
  const plan = registry.plan(row.of) as Plan;
  const outcome = await dispatch(plan, payload, {
    scene,
    clock,
    deadlines: new Deadlines(clock),
    signal: undefined,
    trace: false,
    report: (diagnostic) => told.push(diagnostic),
  });
  const failedOpen = instance.hooks[0]?.metrics.failedOpen ?? -1;
  return { outcome, codes: told.map(({ code }) => code), failedOpen, plan };
}

const LANES = [...dialects.flatMap(({ lanes }) => lanes), libraryLane(catalog)];
const ROWS = LANES.flatMap((lane) =>
  lane.rows.map((row) => ({ name: `${lane.id} ${row.name}`, kind: row.kind, lane, row })),
);

describe("the effect of a failure, for each row, cause and policy", () => {
  test.each(ROWS)("$name ($kind)", async ({ lane, row }) => {
    for (const cause of CAUSES) {
      for (const onError of lane.id === "jcli" || lane.id === "chibi" ? (["skip", "abort"] as const) : [undefined]) {
        for (const failClosed of [false, true]) {
          const why = { cause, onError, failClosed };
          const payload = samplePayload(row.of as never) as Readonly<Record<string, unknown>>;
          const { outcome, codes, failedOpen, plan } = await fails(lane, row, why, payload);
          const about = JSON.stringify(why);
          const expected = fate(lane.id, row, why);
          const { guard, withhold } = plan.row;
          // A failure is never silent, and what it opens is counted and told.
          expect(codes.length, about).toBeGreaterThan(0);
          expect(failedOpen, about).toBe(expected === "open" ? 1 : 0);
          expect(codes.includes("FAILED_OPEN"), about).toBe(expected === "open");
          if (expected === "open" || expected === "reported") expect(outcome.answer, about).toEqual({});
          if (expected === "refused") expect(guard?.refused(outcome.answer), about).toBe(true);
          if (expected === "withheld") {
            const because = outcome.diagnostics.find(({ code }) => code === "WITHHELD")?.message ?? "";
            expect(because, about).not.toBe("");
            expect(outcome.answer, about).toEqual(withhold?.(payload, because));
          }
          if (expected === "answered") expect(codes, about).not.toContain("FAILED_CLOSED");
        }
      }
    }
  });

  test("the kinds with special treatment are where the table has them", () => {
    const kinds = (kind: string): string[] => ROWS.filter((one) => one.kind === kind).map(({ name }) => name);
    expect(kinds("guard")).toEqual([
      "jcli pre_tool_execution",
      "chibi pre_tool",
      "chibi pre_file_write",
      "chibi pre_shell_exec",
      "chibi pre_file_read",
      "claude PreToolUse",
      "omp-hooks tool_call",
      "omp tool_call",
      "pi tool_call",
      "library tool.before",
    ]);
    expect(kinds("redactor")).toEqual([
      "jcli post_llm_response",
      "jcli post_tool_execution",
      "jcli post_tool_execution_failure",
      "chibi pre_tool_output",
      "claude PostToolUse",
      "claude PostToolUseFailure",
      "omp-hooks tool_result",
      "omp-hooks tool_result (mergeOverrides)",
      "omp tool_result",
      "pi tool_result",
      "library model.response",
      "library reply.before",
      "library tool.after",
    ]);
    const withhold = [...catalog.values()].filter((row) => row.withhold !== undefined).map(({ name }) => name);
    expect(new Set(withhold)).toEqual(CARRIES_TEXT);
  });
});
