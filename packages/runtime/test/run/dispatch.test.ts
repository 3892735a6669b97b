import { describe, expect, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { truthy } from "../../src/catalog/read.ts";
import type { Dialect } from "../../src/dialect/dialect.ts";
import { row } from "../../src/dialect/row.ts";
import { answerOnly, halt, last, record } from "../../src/fold/index.ts";
import { createHookRuntime } from "../../src/session/runtime.ts";
import type { HookSession } from "../../src/session/session.ts";

type Handler = (event: any, call: any) => unknown;

/** A lane with an in-place guard, enough to show the loop without a real dialect. */
function guardDialect(id: string, handlers: readonly Handler[], feed: "draft" | "original" = "draft"): Dialect {
  const lane = {
    id,
    isolate: true,
    live: false,
    rows: [
      row<"tool.before", any, any, any>({
        name: "tool_call",
        of: "tool.before",
        kind: "guard",
        schedule: feed === "draft" ? "series" : "all",
        fold: halt<any, any>(
          { name: "block", by: (a) => Boolean(a.block), keep: answerOnly },
          record({ input: last() }),
        ),
        feeds: { input: feed },
        read: truthy(),
        failed: (failure) => ({ block: true, reason: failure.message }),
        view: {
          get: (payload) => ({ type: "tool_call", toolName: payload.tool, input: payload.args }),
          put: (outcome) =>
            outcome.block
              ? { decision: "deny", reason: outcome.reason ?? "blocked" }
              : outcome.input === undefined
                ? undefined
                : { args: outcome.input },
        },
      }),
    ],
  };
  return {
    id,
    lanes: [lane],
    discover: () => ({
      searched: [],
      candidates: [
        {
          lane: id,
          source: { path: `/${id}`, tier: "user", dialect: id },
          state: "runs",
          files: [],
          definition: undefined,
        },
      ],
      diagnostics: [],
    }),
    load: (_, instance) => {
      for (const run of handlers) instance.on({ event: "tool_call", run: run as never });
    },
  };
}

const call = (command: string) => ({ toolCallId: "1", tool: "bash", args: { command } });

async function open(...dialects: Dialect[]): Promise<HookSession> {
  return createHookRuntime({ dialects, home: NO_HOME }).open({ scene: { sessionId: "s", cwd: "/" } });
}

describe("dispatch", () => {
  test("an event without listeners gives the shared empty outcome synchronously", async () => {
    const session = await open();
    const outcome = session.emit("agent.start", {});
    expect(outcome).toBe(session.emit("turn.start", { turnIndex: 0, timestamp: 0 }));
    expect(outcome).toMatchObject({ answer: {}, hooks: [] });
  });

  test("synchronous handlers settle without a promise", async () => {
    const session = await open(guardDialect("a", [() => ({ block: true, reason: "no" })]));
    expect(session.emit("tool.before", call("ls"))).toMatchObject({ answer: { decision: "deny", reason: "no" } });
  });

  test("an in-place edit counts, re-assignment does not, and the payload stays as it was", async () => {
    const session = await open(
      guardDialect("a", [
        (event) => {
          event.input.command = "edited";
        },
        (event) => {
          event.input = { command: "re-assigned" };
        },
      ]),
    );
    const payload = call("ls");
    const outcome = await session.emit("tool.before", payload);
    expect(outcome.answer.args).toEqual({ command: "edited" });
    expect(payload.args.command).toBe("ls");
    expect(outcome.edits).toMatchObject([
      { hook: "a:/a#tool_call[0]", field: "input", from: { command: "ls" }, to: { command: "edited" } },
    ]);
  });

  test("a throwing guard refuses with the dialect's text", async () => {
    const session = await open(
      guardDialect("a", [
        async () => {
          throw new Error("boom");
        },
      ]),
    );
    expect((await session.emit("tool.before", call("ls"))).answer).toEqual({ decision: "deny", reason: "boom" });
  });

  test("a denial ends the dispatch: later lanes are not asked", async () => {
    let asked = 0;
    const session = await open(guardDialect("a", [() => ({ block: true })]), guardDialect("b", [() => void asked++]));
    await session.emit("tool.before", call("ls"));
    expect(asked).toBe(0);
  });

  test("a guard that saw another call than the final one is asked once more and may refuse", async () => {
    const saw: string[] = [];
    const guard: Handler = (event) => {
      saw.push(event.input.command);
      return /rm/.test(event.input.command) ? { block: true, reason: "rm" } : undefined;
    };
    const session = await open(
      guardDialect("a", [guard]),
      guardDialect("b", [() => ({ input: { command: "rm -rf x" } })]),
    );
    expect((await session.emit("tool.before", call("ls"))).answer).toMatchObject({ decision: "deny", reason: "rm" });
    expect(saw).toEqual(["ls", "rm -rf x"]);
  });

  test("a guard that would rewrite the final call when asked again refuses it", async () => {
    const tidy: Handler = (event) => (event.input.command.includes("/etc") ? { input: { command: "ls" } } : undefined);
    const session = await open(
      guardDialect("a", [tidy], "original"),
      guardDialect("b", [() => ({ input: { command: "cat /etc/passwd" } })]),
    );
    const { answer } = await session.emit("tool.before", call("ls"));
    expect(answer.decision).toBe("deny");
    expect(answer.reason).toMatch(/did not agree to the final call/);
  });

  test("a dialog that was answered in the first pass is not asked again", async () => {
    const seen: boolean[] = [];
    const guard: Handler = (_, handed) => {
      seen.push(handed.dialogs.has("k"));
      handed.dialogs.set("k", true);
    };
    const session = await open(guardDialect("a", [guard]), guardDialect("b", [() => ({ input: { command: "pwd" } })]));
    await session.emit("tool.before", call("ls"));
    expect(seen).toEqual([false, true]);
  });

  test("an abort refuses the call and drops the late answer", async () => {
    const controller = new AbortController();
    let finish: (() => void) | undefined;
    const session = await open(guardDialect("a", [() => new Promise<void>((resolve) => (finish = resolve))]));
    const outcome = session.emit("tool.before", call("ls"), { signal: controller.signal });
    controller.abort();
    expect((await outcome).answer.decision).toBe("deny");
    finish?.();
  });

  test("library handlers answer strictly: an unknown field is a failure, and a guard's failure refuses", async () => {
    const session = await open();
    session.on("tool.before", (() => ({ descision: "allow" })) as never);
    expect((await session.emit("tool.before", call("ls"))).answer.decision).toBe("deny");
  });

  test("a guard's handler that exceeds its time refuses", async () => {
    const session = await open();
    session.on("tool.before", () => new Promise(() => {}), { timeoutMs: 5 });
    const outcome = await session.emit("tool.before", call("ls"));
    expect(outcome.answer.decision).toBe("deny");
    expect(outcome.hooks).toMatchObject([{ status: "timed-out" }]);
  });

  test("observers run in parallel, and no failure affects the others", async () => {
    const session = await open();
    const order: string[] = [];
    session.on("agent.start", async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      order.push("slow");
    });
    session.on("agent.start", () => {
      throw new Error("x");
    });
    session.on("agent.start", () => void order.push("quick"));
    const outcome = await session.emit("agent.start", {});
    expect(order).toEqual(["quick", "slow"]);
    expect(outcome.diagnostics).toMatchObject([{ code: "HOOK_THREW" }]);
  });
});
