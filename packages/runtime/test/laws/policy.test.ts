import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Diagnostic } from "../../../ground/src/error/diagnostic.ts";
import { dialects } from "../../../integrations/src/index.ts";
import type { Cause, Kind } from "../../src/catalog/row.ts";
import type { Hook } from "../../src/hook/hook.ts";
import { createHookRuntime } from "../../src/session/runtime.ts";

const OWN: readonly Cause[] = ["threw", "timeout", "bad", "exited", "chain"];

/** The failures of a hook's own that refuse a call, by the lane of the guard; `on_error` is j-cli's. */
const CLOSES: Readonly<Record<string, (cause: Cause, onError: string | undefined) => boolean>> = {
  pi: () => true,
  omp: () => true,
  "omp-hooks": () => true,
  jcli: (_, onError) => onError === "abort",
  chibi: (cause) => cause === "timeout",
  claude: (_, onError) => onError === "abort",
};

/** Claude Code's events that can be blocked: `onFailure: block` counts as exit code 2 there. Source: spec/claude.md 7. */
const BLOCKABLE = new Set(
  [
    "UserPromptExpansion",
    "UserPromptSubmit",
    "PostToolBatch",
    "Stop",
    "SubagentStop",
    "TaskCreated",
    "TaskCompleted",
    "PreCompact",
    "PreModelSwitch",
    "ConfigChange",
    "Elicitation",
    "ElicitationResult",
  ].map((name) => `claude ${name}`),
);

/** Rows that are no guards, and yet have an answer to a failure: pi runs no command that a hook was to carry out. */
function alsoCloses(name: string, cause: Cause): boolean {
  return name === "pi user_bash" || (cause === "bad" && /^(?:pi|omp|omp-hooks) tool_result/.test(name));
}

const ROWS = dialects.flatMap(({ lanes }) => lanes.flatMap((lane) => lane.rows.map((row) => ({ lane: lane.id, row }))));

/** Whether a row's cells make an answer of a failure. */
function answers(row: (typeof ROWS)[number]["row"], cause: Cause, onError: string | undefined): boolean {
  const hook = { id: "h", onError, source: { path: "p", tier: "user" } } as unknown as Hook;
  return row.failed({ cause, message: "it failed" }, hook) !== undefined;
}

/** Claude Code's events on which hookline's `onFailure` is ignored: a hook that fails there would send the agent on. */
const ALWAYS_OPEN = new Set(["claude Stop", "claude SubagentStop", "claude TaskCompleted", "claude TeammateIdle"]);

describe("what a failure counts as", () => {
  test.each(ROWS.map(({ lane, row }) => ({ name: `${lane} ${row.name}`, kind: row.kind, lane, row })))(
    "$name ($kind) is what the table of kinds says",
    ({ name, kind, lane, row }) => {
      for (const onError of ["skip", "abort"]) {
        for (const cause of OWN) {
          const closes = CLOSES[lane]?.(cause, ALWAYS_OPEN.has(name) ? "skip" : onError) ?? false;
          const quiet: readonly Kind[] = ["observe", "shutdown"];
          // j-cli's `abort` ends whatever the hook stands at; elsewhere only guards have a refusal to give.
          const expected = quiet.includes(kind)
            ? false
            : kind === "guard" || lane === "jcli" || BLOCKABLE.has(name) || name === "chibi pre_spawn_agent"
              ? closes
              : alsoCloses(name, cause);
          // To chibi it is its own option for guards that fail.
          if (lane === "chibi" && onError === "abort") continue;
          expect(answers(row, cause, onError), `${name}, ${cause}, on_error ${onError}`).toBe(expected);
        }
      }
    },
  );

  test("only tool calls are guarded, in every lane", () => {
    const guards = ROWS.filter(({ row }) => row.kind === "guard");
    expect(new Set(guards.map(({ row }) => row.of))).toEqual(new Set(["tool.before"]));
    expect(new Set(guards.map(({ lane }) => lane))).toEqual(new Set(Object.keys(CLOSES)));
  });
});

describe("a hook of the host that fails", () => {
  async function opened() {
    const home = mkdtempSync(join(tmpdir(), "hookline-policy-"));
    const runtime = createHookRuntime({ home, env: {} });
    const told: Diagnostic[] = [];
    onTestFinished(async () => {
      await runtime.close();
      rmSync(home, { recursive: true });
    });
    const scene = { sessionId: "s", cwd: home };
    const session = await runtime.open({ scene, onDiagnostic: (diagnostic) => told.push(diagnostic) });
    return { session, told, codes: () => told.map(({ code }) => code) };
  }
  const fails = (): never => {
    throw new Error("broken");
  };
  const CALL = { toolCallId: "c", tool: "bash", args: {} };

  test("refuses a tool call each time, and is never turned off", async () => {
    const { session, codes } = await opened();
    session.on("tool.before", fails);
    for (let round = 0; round < 20; round++)
      expect((await session.emit("tool.before", CALL)).answer).toMatchObject({ decision: "deny" });
    expect(codes()).toEqual(["HOOK_THREW"]);
    expect(session.hooks()[0]?.hook.metrics).toMatchObject({ runs: 20, failed: 20, blocked: 20, failedOpen: 0 });
  });

  test("lets what it could have changed continue, counts that each time, and is reported once", async () => {
    const { session, codes } = await opened();
    session.on("prompt.before", fails);
    session.on("agent.stop", fails);
    for (let round = 0; round < 3; round++) {
      expect((await session.emit("prompt.before", { text: "x" })).answer).toEqual({});
      const stop = { prompt: "x", reply: "y", messages: [], retryCount: 0, stopHookActive: false };
      expect((await session.emit("agent.stop", stop)).answer).toEqual({});
    }
    expect(codes()).toEqual(["HOOK_THREW", "FAILED_OPEN", "HOOK_THREW", "FAILED_OPEN"]);
    expect(session.hooks().map(({ hook }) => hook.metrics.failedOpen)).toEqual([3, 3]);
  });

  test("is only reported if it observes", async () => {
    const { session, codes } = await opened();
    session.on("turn.start", fails);
    await session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
    expect(codes()).toEqual(["HOOK_THREW"]);
    expect(session.hooks()[0]?.hook.metrics).toMatchObject({ failed: 1, failedOpen: 0 });
  });
});
