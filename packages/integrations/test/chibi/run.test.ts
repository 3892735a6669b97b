import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ProcessReport, ProcessTransport } from "../../../runtime/src/port/process.ts";
import { Bench, type Opening } from "./bench.ts";

const call = (command: string) => ({ toolCallId: "1", tool: "bash", args: { command } });

/** Sends a typed prompt with a plugin whose hook runs this code; `seen` is what the code left in `$HOME/seen`. */
async function prompted(hook: string, about: Opening = {}) {
  const bench = new Bench();
  bench.plugin("p", ["pre_message"], hook);
  const { session, diagnostics } = await bench.open(about);
  const { answer, hooks } = await session.emit("prompt.before", { text: "typed" });
  return { answer, hooks, codes: diagnostics.map(({ code }) => code), seen: () => bench.read("home/seen") };
}

const data = '{"prompt":"typed","context_name":"default","summary":""}';

describe("a hook call", () => {
  test("starts the program without arguments, with the point and the data in the environment [chibi.exec.1, chibi.exec.2, chibi.exec.3]", async () => {
    const { seen } = await prompted('echo "$#|$CHIBI_HOOK|$CHIBI_HOOK_DATA" > "$HOME/seen"');
    expect(seen()).toBe(`0|pre_message|${data}\n`);
  });

  test("has the same data on stdin, as one line [chibi.edge.15]", async () => {
    expect((await prompted('cat > "$HOME/seen"')).seen()).toBe(`${data}\n`);
  });

  test("is verbose only where the session is", async () => {
    const hook = 'echo "[$CHIBI_VERBOSE]" > "$HOME/seen"';
    expect((await prompted(hook)).seen()).toBe("[]\n");
    expect((await prompted(hook, { scene: { verbose: true } })).seen()).toBe("[1]\n");
  });

  test("knows nothing of the call that the host itself is part of [chibi.edge.16]", async () => {
    const env = { CHIBI_HOOK: "pre_tool", CHIBI_TOOL_ARGS: "{}", CHIBI_TOOL_NAME: "x", CHIBI_VERBOSE: "1" };
    const { seen } = await prompted('env | grep ^CHIBI_ | cut -d= -f1 | sort > "$HOME/seen"', { env });
    expect(seen()).toBe("CHIBI_HOOK\nCHIBI_HOOK_DATA\n");
  });

  test("runs in the session's working directory", async () => {
    expect((await prompted('pwd > "$HOME/seen"')).seen()).toMatch(/\/project\n$/);
  });

  test("keeps what it writes on stderr for the report", async () => {
    const { hooks } = await prompted(`echo careful >&2; echo '{"prompt":"x"}'`);
    expect(hooks).toMatchObject([{ stderr: "careful\n" }]);
  });
});

describe("what a plugin prints", () => {
  test.each([
    ["nothing", ":"],
    ["blanks", "printf ' \\n\\n'"],
    ["{}", "echo '{}'"],
    ["null", "echo null"],
  ])("%s is not an answer [chibi.edge.10]", async (_, hook) => {
    expect(await prompted(hook)).toMatchObject({ answer: {}, codes: [] });
  });

  test.each([
    ["a list", "echo '[]'"],
    ["a number", "echo 3"],
    ["plain text", "echo plain text"],
    ["two values", `echo '{"prompt":"a"}'; echo '{"prompt":"b"}'`],
    ["invalid UTF-8", `printf '{"prompt":"\\xff"}'`],
  ])("%s has no effect and is reported [chibi.edge.10]", async (_, hook) => {
    expect(await prompted(hook)).toMatchObject({ answer: {}, codes: ["HOOK_BAD_ANSWER", "FAILED_OPEN"] });
  });

  test("an answer may have blanks around it", async () => {
    expect((await prompted(`printf '\\n  {"prompt": "b"} \\n\\n'`)).answer).toEqual({ text: "b" });
  });

  test("a non-zero exit discards the answer, whatever was printed [chibi.edge.11]", async () => {
    const { answer, codes } = await prompted(`echo '{"prompt":"b"}'; exit 3`);
    expect(answer).toEqual({});
    expect(codes).toEqual(["HOOK_EXITED", "FAILED_OPEN"]);
  });

  test("a signal does as well", async () => {
    expect(await prompted("kill -SEGV $$")).toMatchObject({ answer: {}, codes: ["HOOK_EXITED", "FAILED_OPEN"] });
  });

  test("a point whose answers are ignored does not look at it", async () => {
    const bench = new Bench();
    bench.plugin("p", ["on_start"], "echo this is no JSON");
    const { session, diagnostics } = await bench.open();
    await session.emit("session.start", { reason: "startup" });
    expect(diagnostics).toEqual([]);
  });

  test("a hostile __proto__ decides nothing", async () => {
    const bench = new Bench();
    bench.plugin("p", ["pre_tool"], `echo '{"__proto__": {"block": true}}'`);
    const { session } = await bench.open();
    expect((await session.emit("tool.before", call("ls"))).answer).toEqual({});
    expect(({} as { block?: boolean }).block).toBeUndefined();
  });
});

describe("several plugins", () => {
  test("run in the order of their file names, all with the typed prompt", async () => {
    const bench = new Bench();
    const note = `grep -o '"prompt":"[^"]*"' <<< "$CHIBI_HOOK_DATA" >> "$HOME/seen"`;
    for (const name of ["b", "a"]) bench.plugin(name, ["pre_message"], `${note}; echo '{"prompt":"from ${name}"}'`);
    const { session } = await bench.open();
    const { answer, hooks } = await session.emit("prompt.before", { text: "typed" });
    expect(answer).toEqual({ text: "from b" });
    expect(bench.read("home/seen")).toBe('"prompt":"typed"\n"prompt":"typed"\n');
    expect(hooks.map(({ place }) => place.slice(-1))).toEqual(["a", "b"]);
  });

  test("one that names a point in two tools is started twice", async () => {
    const bench = new Bench();
    const entry = (name: string) => ({ name, description: "d", hooks: ["on_start"] });
    const text = JSON.stringify([entry("one"), entry("two")]);
    bench.write("p", `#!/bin/bash\nif [[ "$1" == --schema ]]; then echo '${text}'; exit; fi\necho x >> "$HOME/log"\n`);
    const { session } = await bench.open();
    await session.emit("session.start", { reason: "startup" });
    expect(bench.read("home/log")).toBe("x\nx\n");
  });

  test("a claim without a way goes by the name of the tool that made it [chibi.edge.19]", async () => {
    const bench = new Bench();
    const entries = JSON.stringify([
      { name: "first", description: "d", hooks: [] },
      { name: "xmpp_send", description: "d", hooks: ["pre_send_message"] },
    ]);
    bench.write(
      "p",
      `#!/bin/bash\nif [[ "$1" == --schema ]]; then echo '${entries}'; exit; fi\necho '{"delivered": true}'\n`,
    );
    const { session } = await bench.open();
    const letter = { from: "default", to: "xmpp:a@b", content: "hi" };
    expect((await session.emit("mail.before", letter)).answer).toEqual({ delivered: true, via: "xmpp_send" });
  });
});

describe("a guard that cannot judge", () => {
  const judged = async (hook: string, about: Opening = {}) => {
    const bench = new Bench();
    const path = bench.plugin("guard", ["pre_tool"], hook);
    const { session, diagnostics } = await bench.open(about);
    return { bench, path, session, diagnostics };
  };

  test.each(["exit 1", "echo not json", "kill -9 $$"])("%s allows the call and is shown", async (hook) => {
    const { session, diagnostics } = await judged(hook);
    expect((await session.emit("tool.before", call("ls"))).answer).toEqual({});
    expect(diagnostics.map(({ code }) => code)).toContain("FAILED_OPEN");
  });

  test.each(["exit 1", "echo not json", "echo '[]'", "kill -9 $$"])(
    "%s refuses with guardFailure closed",
    async (hook) => {
      const { session } = await judged(hook, { settings: { own: { chibi: { guardFailure: "closed" } } } });
      expect((await session.emit("tool.before", call("ls"))).answer.decision).toBe("deny");
    },
  );

  test("a guard that is gone since it was loaded refuses [chibi.edge.13]", async () => {
    const { session, path, diagnostics } = await judged("echo '{}'");
    rmSync(path);
    expect((await session.emit("tool.before", call("ls"))).answer.decision).toBe("deny");
    expect(diagnostics.map(({ code }) => code)).toEqual(["FILE_GONE", "FAILED_CLOSED"]);
  });

  test("a guard that may no longer be executed refuses", async () => {
    const { session, path, diagnostics } = await judged("echo '{}'");
    chmodSync(path, 0o644);
    expect((await session.emit("tool.before", call("ls"))).answer.decision).toBe("deny");
    expect(diagnostics.map(({ code }) => code)).toEqual(["START_FAILED", "FAILED_CLOSED"]);
  });

  test("a guard that prints without end refuses", async () => {
    const { session, diagnostics } = await judged("yes");
    expect((await session.emit("tool.before", call("ls"))).answer.decision).toBe("deny");
    expect(diagnostics.map(({ code }) => code)).toEqual(["OUTPUT_LIMIT", "FAILED_CLOSED"]);
  });

  test("an answer that is nested too deep to be read is the guard's own failure, and one that repeats the deepest call is read", async () => {
    const nested = (levels: number): string =>
      `printf '{"block":true,"arguments":'; printf '[%.0s' $(seq ${levels}); printf ']%.0s' $(seq ${levels}); echo '}'`;
    const deep = await judged(nested(256));
    expect((await deep.session.emit("tool.before", call("ls"))).answer).toEqual({});
    expect(deep.diagnostics.map(({ code }) => code)).toEqual(["HOOK_BAD_ANSWER", "FAILED_OPEN"]);
    const held = await judged(nested(248));
    expect((await held.session.emit("tool.before", call("ls"))).answer.decision).toBe("deny");
    expect(held.diagnostics).toEqual([]);
  });

  test("a guard that does not answer within its time refuses, other points continue [chibi.edge.12, chibi.edge.13]", async () => {
    const bench = new Bench();
    bench.plugin("p", ["pre_tool", "pre_message"], "echo '{}'");
    const limits: number[] = [];
    const process = slowAfterLoading(bench.processes(), limits);
    const { session, diagnostics } = await bench.open({ process });
    const { answer } = await session.emit("tool.before", call("ls"));
    expect(answer).toEqual({
      decision: "deny",
      reason: `Tool call blocked by hook: ${join(bench.plugins, "p")} failed (no answer within 30000 ms)`,
    });
    expect((await session.emit("prompt.before", { text: "t" })).answer).toEqual({});
    expect(limits).toEqual([30_000, 30_000]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["HOOK_TIMED_OUT", "HOOK_TIMED_OUT", "FAILED_OPEN"]);
  });

  test("an abort ends the plugin and refuses the call", async () => {
    const { session, bench } = await judged('echo started > "$HOME/started"; exec sleep 1000');
    const controller = new AbortController();
    const outcome = session.emit("tool.before", call("ls"), { signal: controller.signal });
    await until(() => bench.read("home/started"));
    controller.abort();
    expect((await outcome).answer.decision).toBe("deny");
  });

  test("a guard that is asked once more is told so", async () => {
    const bench = new Bench();
    bench.plugin("a", ["pre_tool"], '(printenv HOOKLINE_RECHECK || echo first) >> "$HOME/passes"');
    bench.plugin("b", ["pre_tool"], `echo '{"arguments": {"command": "pwd"}}'`);
    const { session } = await bench.open();
    expect((await session.emit("tool.before", call("ls"))).answer).toEqual({ args: { command: "pwd" } });
    expect(bench.read("home/passes")).toBe("first\n1\n");
  });
});

describe("names of tools", () => {
  test("hookline's shell goes by its own name where a plugin is called run_command [chibi.edge.17]", async () => {
    const bench = new Bench();
    bench.plugin("run_command", [], "");
    bench.plugin("guard", ["pre_tool"], 'echo "$CHIBI_HOOK_DATA" >> "$HOME/seen"');
    const { session } = await bench.open();
    await session.emit("tool.before", call("ls"));
    await session.emit("tool.before", { toolCallId: "2", tool: "run_command", args: { command: "x" } });
    expect(bench.read("home/seen").match(/"tool_name":"\w+"/g)).toEqual([
      '"tool_name":"bash"',
      '"tool_name":"run_command"',
    ]);
  });
});

/** The real transport for `--schema`; afterwards every plugin runs into its limit. */
function slowAfterLoading(real: ProcessTransport, limits: number[]): ProcessTransport {
  const nothing = { stdout: "", stdoutValid: true, stderr: "", survivors: [], queueMs: 0, runMs: 0 };
  return {
    run: async (asked): Promise<ProcessReport> => {
      if ("args" in asked.command && asked.command.args[0] === "--schema") return real.run(asked);
      limits.push(asked.timeoutMs);
      return { ...nothing, status: "timed-out" };
    },
    open: (kept) => real.open(kept),
    close: () => real.close(),
  };
}

async function until(ready: () => unknown): Promise<void> {
  for (;;) {
    try {
      ready();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
