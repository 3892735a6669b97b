import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bin, Workplace } from "../support/cli.ts";

const HARNESS = join(import.meta.dirname, "fixtures/harness.py");

const GUARD = `export default (pi) => {
  pi.on("tool_call", (event) => {
    const { command = "", path = "" } = event.input;
    if (event.toolName === "mcp__my_files__read") return { block: true, reason: "not that server" };
    if (command.includes("rm")) return { block: true, reason: "no rm" };
    if (command === "old") event.input.command = "new";
    if (command === "narrow") delete event.input.elevated;
    if (command === "crash") throw new Error("the token is sk-0123456789");
    if (path === "/secret") return { block: true, reason: "not there" };
  });
};
`;
const CLAUDE = {
  hooks: {
    PreToolUse: [
      {
        hooks: [
          {
            type: "command",
            command: `case "$(cat)" in
*ask-me*) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}';;
*end-it*) echo '{"continue":false,"stopReason":"enough"}';;
*tell-me*) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"by the way"}}';;
esac`,
          },
        ],
      },
    ],
    SessionStart: [{ hooks: [{ type: "command", command: "echo on branch main" }] }],
    UserPromptSubmit: [
      { hooks: [{ type: "command", command: `grep -q forbidden && { echo 'not this' >&2; exit 2; } || true` }] },
    ],
  },
};

/** All that hookline has an effect for. */
const ALL = {
  effects: ["deny", "ask", "modify", "flow", "inject"],
  modify: { input: { replace: true, merge: false } },
  flow: { operations: ["stop"], remainingContinuations: 0, continuationCount: 0 },
  inject: { context: { append: true, deliverAt: ["now"] } },
};
const ONLY_DENY = { effects: ["deny"] };

interface Told {
  readonly code: number;
  readonly err: string;
  readonly out?: string;
  readonly effects?: readonly Record<string, any>[];
  readonly error?: { readonly code: number; readonly data?: object };
}

let at: Workplace;
beforeAll(() => {
  at = new Workplace();
  at.write("~/.pi/agent/extensions/guard.ts", GUARD);
  at.write("~/.claude/settings.json", JSON.stringify(CLAUDE));
});
afterAll(async () => {
  await at.run(["bridge", "stop", "--all"]);
  at.remove();
});

/** Sends messages, and returns the answers as the harness reads them. */
function told(messages: readonly unknown[], flags: readonly string[] = ["--one-shot"]): Promise<Told[]> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: at.home, HOOKLINE_HOME: join(at.home, ".hookline") };
    const program = ["python3", [HARNESS, process.execPath, bin, "bridge", "call", "ahp", ...flags]] as const;
    const child = spawn(...program, { cwd: at.project, env });
    const [out, err]: [string[], string[]] = [[], []];
    child.stdout.on("data", (text) => out.push(String(text)));
    child.stderr.on("data", (text) => err.push(String(text)));
    child.on("close", (code) => {
      if (code !== 0) reject(new Error(err.join("")));
      else
        resolve(
          out
            .join("")
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line) as Told),
        );
    });
    child.stdin.end(JSON.stringify(messages));
  });
}

let count = 0;

function intercept(event: object, capabilities: object = ALL, protocolVersion = "draft"): Record<string, any> {
  const id = `event-${++count}`;
  const time = "2026-11-30T12:00:00Z";
  const whole = { id, source: "urn:uuid:0", time, session: { id: "s", cwd: at.project }, ...event };
  return { jsonrpc: "2.0", id, method: "hooks/intercept", params: { protocolVersion, event: whole, capabilities } };
}

const call = (command: string, more: object = {}) => ({
  type: "tool.before",
  call: { id: `call-${++count}` },
  path: "native",
  tool: { name: "Shell", origin: "native", kind: "shell", input: { command }, ...more },
});

const effectsOf = async (...messages: readonly unknown[]) => (await told(messages)).map(({ effects }) => effects);

test("CORE-003: unknown fields are ignored, and nothing of `native`, `extensions` or content is needed", async () => {
  const message = intercept({ ...call("rm x"), native: { provider: "x" }, extensions: { "org.x": 1 }, strange: true });
  const [effects] = await effectsOf({ ...message, params: { ...message["params"], more: 1 } });
  expect(effects).toMatchObject([{ type: "deny", reason: "no rm" }]);
});

test("RPC-001: each request has one answer with its id; what is no request has an error of JSON-RPC", async () => {
  const [fine, text, batch, method, id, bytes] = await told([
    intercept(call("ls")),
    "no json\n",
    `[${JSON.stringify(intercept(call("ls")))}]\n`,
    { ...intercept(call("ls")), method: "hooks/other" },
    { ...intercept(call("ls")), id: "another" },
    `${JSON.stringify({ ...intercept(call("ls")), jsonrpc: "1.0" })}\n`,
  ]);
  expect(fine?.effects).toEqual([]);
  const code = (one: Told | undefined) => one?.error?.code ?? JSON.parse(one?.out ?? "{}").error?.code;
  expect([text, batch, method, id, bytes].map(code)).toEqual([-32700, -32700, -32601, -32602, -32600]);
});

test("RPC-002: a notification is never answered, and neither is one that cannot be read", async () => {
  const { id: _, ...observed }: Record<string, unknown> = {
    ...intercept({ ...call("ls"), type: "tool.after", outcome: "ok" }),
    method: "hooks/observe",
  };
  const strange = { ...observed, params: { protocolVersion: "1999", event: { type: "x" } } };
  expect((await told([observed, strange])).map(({ out, code }) => [out, code])).toEqual([
    ["", 0],
    ["", 0],
  ]);
});

test("VER-001: every result has the request's version; another version is refused with those that there are", async () => {
  const [old, draft, strange] = await told([
    intercept(call("rm x"), ONLY_DENY, "0.1"),
    intercept(call("rm x"), ALL, "draft"),
    intercept(call("rm x"), ALL, "2027-01-01"),
  ]);
  expect(old?.effects).toMatchObject([{ type: "deny" }]);
  expect(draft?.effects).toMatchObject([{ type: "deny" }]);
  expect(strange?.error).toMatchObject({ code: -32001, data: { supported: ["0.1", "draft"] } });
});

test("EXT-001: names of hookline's own are reverse domain names", async () => {
  const [effects] = await effectsOf(intercept(call("rm x")));
  expect(effects?.[0]?.["code"]).toMatch(/^(?:[a-z][\w-]*\.)+[a-z][\w-]*$/);
});

test("TB-001: a call is judged by its final name and input, of the host's own tools and of a server's", async () => {
  const read = {
    type: "tool.before",
    call: { id: "r" },
    tool: { name: "View", kind: "file_read", input: { file_path: "/secret" } },
  };
  const unknown = {
    type: "tool.before",
    call: { id: "u" },
    tool: { name: "run_it", kind: "other", input: { cmd: "rm x" } },
  };
  expect(await effectsOf(intercept(read), intercept(unknown), intercept(call("ls")))).toMatchObject([
    [{ type: "deny", reason: "not there" }],
    [{ type: "deny", reason: "no rm" }],
    [],
  ]);
});

test("CAP-001: only effects that were advertised are answered; what they cannot carry refuses, or is told as lost", async () => {
  const [asks, edits, ends, tells] = await told([
    intercept(call("ask-me"), ONLY_DENY),
    intercept(call("old"), ONLY_DENY),
    intercept(call("end-it"), ONLY_DENY),
    intercept(call("tell-me"), ONLY_DENY),
  ]);
  expect(asks?.effects).toMatchObject([{ type: "deny", reason: "sure?" }]);
  expect(edits?.effects).toMatchObject([{ type: "deny", reason: expect.stringContaining("cannot be made") }]);
  expect(ends?.effects).toMatchObject([{ type: "deny" }]);
  expect(tells?.effects).toEqual([]);
  expect(tells?.err).toContain("a text for the model is lost");
});

test("DEC-001: deny, ask, an edit, a stop and context, each as the protocol has it", async () => {
  const [asks, ends, tells] = await effectsOf(
    intercept(call("ask-me")),
    intercept({ ...call("end-it"), session: { id: "another", cwd: at.project } }),
    intercept(call("tell-me")),
  );
  expect(asks).toEqual([{ type: "ask" }]);
  expect(ends).toContainEqual({ type: "flow", operation: "stop", reason: "enough" });
  expect(tells).toMatchObject([
    {
      type: "inject",
      target: "context",
      operation: "append",
      deliverAt: "now",
      value: [{ parts: [{ text: "by the way" }] }],
    },
  ]);
});

test("DEC-003: no opinion is an empty list, and never an allowance", async () => {
  const capabilities = { ...ALL, effects: [...ALL.effects, "allow"] };
  expect(await effectsOf(intercept(call("ls"), capabilities))).toEqual([[]]);
});

test("EDIT-001: an edit is the whole input, under the names that it came with", async () => {
  const [own, other] = await effectsOf(
    intercept(call("old", { input: { command: "old", timeout: 5 } })),
    intercept(call("old", { input: { cmd: "old" } })),
  );
  expect(own).toEqual([
    { type: "modify", target: "input", operation: "replace", value: { command: "new", timeout: 5 } },
  ]);
  expect(other?.[0]?.["value"]).toEqual({ cmd: "new" });
});

test("SEC-001, decoys: an input that gives one argument under two names is refused", async () => {
  const [twice, ordinary] = await told([
    intercept(call("", { input: { cmd: "rm -rf x", command: "ls" } })),
    intercept(call("", { input: { cmd: "ls" } })),
  ]);
  expect(twice?.effects).toMatchObject([{ type: "deny" }]);
  expect(ordinary?.effects).toEqual([]);
});

test("SEC-001, servers: a tool of a server has the name that guards know it by in every agent", async () => {
  const mcp = { server: { name: "my files" }, toolName: "read" };
  const [effects] = await effectsOf(
    intercept(call("", { name: "read", origin: "mcp", mcp, input: { cmd: "a", command: "b" } })),
  );
  expect(effects).toMatchObject([{ type: "deny", reason: "not that server" }]);
});

test("EDIT-001: an argument that a hook removes is not put back", async () => {
  const [effects] = await effectsOf(intercept(call("narrow", { input: { command: "narrow", elevated: true } })));
  expect(effects).toMatchObject([{ type: "modify", value: { command: "narrow" } }]);
  expect(effects?.[0]?.["value"]).not.toHaveProperty("elevated");
});

test("SEC-001, failures: what goes wrong refuses as an answer, so that no policy of the harness can let it pass", async () => {
  const broken = intercept({
    type: "tool.before",
    call: { id: "b" },
    tool: { name: "Shell", kind: "shell", input: "ls" },
  });
  const missing = intercept({
    type: "tool.before",
    call: { id: "m" },
    tool: { name: "Shell", kind: "shell", input: {} },
  });
  const [none, no, unheard] = await told([
    broken,
    missing,
    intercept({ type: "turn.start", items: "x" }, { effects: [] }),
  ]);
  expect(none?.effects).toMatchObject([{ type: "deny" }]);
  expect(no?.effects).toMatchObject([{ type: "deny" }]);
  expect(unheard?.effects).toEqual([]);
  const [refused] = await told([
    intercept({ type: "turn.start", items: [{ parts: [{ text: "forbidden" }] }] }, { effects: [] }),
  ]);
  expect(refused?.error?.code).toBe(-32004);
});

test("SEC-001, reasons: they leak nothing: no path, no id, no message of a failure", async () => {
  const [crash] = await told([intercept(call("crash"))]);
  expect(crash?.effects).toMatchObject([{ type: "deny", reason: "A required policy could not be evaluated." }]);
  expect(JSON.stringify(crash?.effects)).not.toMatch(/sk-|guard\.ts|\/tmp/);
});

test("CORE-004: a message that is sent again has the same answer, from the daemon too", async () => {
  const message = intercept(call("rm x"));
  const [first, second, fine] = await told([message, message, intercept(call("ls"))], []);
  expect(first?.effects).toMatchObject([{ type: "deny", reason: "no rm" }]);
  expect(second?.effects).toEqual(first?.effects);
  expect(fine?.effects).toEqual([]);
});

test("STDIO-001: stdout has one line of protocol and nothing else, and the exit code is 0 whatever is answered", async () => {
  const all = await told([intercept(call("rm x")), intercept(call("ls")), "x\n", intercept({ type: "strange" })]);
  expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(all[2]?.out?.trimEnd().split("\n")).toHaveLength(1);
  expect(all[3]?.error?.code).toBe(-32002);
});

test("the other events: a session's start adds context, a prompt is refused, a result is told", async () => {
  const [start, prompt, result, end] = await effectsOf(
    intercept({ type: "session.start", trigger: "startup" }),
    intercept({ type: "turn.start", items: [{ role: "user", parts: [{ kind: "text", text: "forbidden" }] }] }),
    intercept({ ...call("ls"), type: "tool.after", outcome: "ok", execution: { status: "executed" }, items: [] }),
    intercept({ type: "turn.start", items: [{ role: "user", parts: [{ kind: "text", text: "fine" }] }] }),
  );
  expect(start).toMatchObject([
    { type: "inject", value: [{ parts: [{ text: expect.stringContaining("on branch main") }] }] },
  ]);
  expect(prompt).toMatchObject([{ type: "deny", reason: expect.stringContaining("not this") }]);
  expect(result).toEqual([]);
  expect(end).toEqual([]);
});
