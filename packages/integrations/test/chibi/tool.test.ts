import { describe, expect, test } from "vitest";
import type { Contribution } from "../../../runtime/src/hook/contribution.ts";
import type { HostServices, ToolDefinition } from "../../../runtime/src/port/host.ts";
import type { ProcessCall, ProcessTransport } from "../../../runtime/src/port/process.ts";
import { Bench, type Opening } from "./bench.ts";

async function tools(bench: Bench, about: Opening = {}) {
  const { session, diagnostics } = await bench.open(about);
  const all = session.contributions.all<ToolDefinition>("tool");
  const run = (name: string, args: unknown, signal?: AbortSignal) =>
    (all.get(name) as Contribution<ToolDefinition>).value.execute(
      "1",
      args as never,
      signal,
      undefined,
      undefined as never,
    );
  return { all, run, diagnostics };
}

const text = (content: string) => [{ type: "text", text: content }];
const failure = (problem: string) => ({ content: text(`Error: ${problem}`), isError: true });

describe("a plugin's tool", () => {
  test("is offered as its schema describes it [chibi.register.2, chibi.register.3]", async () => {
    const bench = new Bench();
    bench.plugin("mine", [], "");
    const { all } = await tools(bench);
    expect(all.get("mine")?.value).toMatchObject({
      name: "mine",
      description: "about mine",
      parameters: { type: "object", properties: {} },
      executionMode: "sequential",
    });
  });

  test("is started without arguments; what it prints is the result, untrimmed [chibi.sample.3]", async () => {
    const bench = new Bench();
    bench.plugin("mine", [], "", 'echo " $#|$CHIBI_TOOL_ARGS|$CHIBI_TOOL_NAME|$CHIBI_HOOK|$CHIBI_VERBOSE"');
    const { run } = await tools(bench, { env: { CHIBI_HOOK: "pre_tool", CHIBI_HOOK_DATA: "{}" } });
    expect(await run("mine", { a: "ü" })).toMatchObject({ content: text(' 0|{"a":"ü"}|mine||\n') });
  });

  test("is told to be verbose where the session is", async () => {
    const bench = new Bench();
    bench.plugin("mine", [], "", 'echo -n "$CHIBI_VERBOSE $CHIBI_TOOL_ARGS"');
    const { run } = await tools(bench, { scene: { verbose: true } });
    expect(await run("mine", {})).toMatchObject({ content: text("1 {}") });
  });

  test("of several tools knows which one is meant", async () => {
    const bench = new Bench();
    const entries = JSON.stringify(["one", "two"].map((name) => ({ name, description: "d" })));
    bench.write(
      "p",
      `#!/bin/bash\nif [[ "$1" == --schema ]]; then echo '${entries}'; exit; fi\necho -n "$CHIBI_TOOL_NAME"\n`,
    );
    const { run } = await tools(bench);
    expect([await run("one", {}), await run("two", {})]).toMatchObject([
      { content: text("one") },
      { content: text("two") },
    ]);
  });

  test("that takes its arguments from the environment finds nothing on stdin", async () => {
    const bench = new Bench();
    bench.plugin("mine", [], "", 'read -r answer; echo -n "$CHIBI_TOOL_ARGS [$answer]"');
    const { run } = await tools(bench);
    expect(await run("mine", {})).toMatchObject({ content: text("{} []") });
  });

  test("that does not mention the variable finds them on stdin, whatever their size", async () => {
    const bench = new Bench();
    bench.plugin("mine", [], "", "wc -c < /dev/stdin");
    const { run } = await tools(bench);
    expect(await run("mine", { a: "xyz" })).toMatchObject({ content: text("11\n") });
    expect(await run("mine", { a: "x".repeat(200_000) })).toMatchObject({ content: text("200008\n") });
  });

  test("whose arguments do not fit into the variable is not started", async () => {
    const bench = new Bench();
    bench.plugin("mine", [], "", 'echo "$CHIBI_TOOL_ARGS" > "$HOME/ran"');
    const { run } = await tools(bench);
    expect((await run("mine", { a: "x".repeat(200_000) })).content).toEqual(
      text("Error: The arguments of 'mine' have more than the 131055 bytes that CHIBI_TOOL_ARGS can hold"),
    );
    expect(() => bench.read("home/ran")).toThrow();
  });

  test.each([
    ["exit 2", "echo out; echo why >&2; exit 2", "Tool execution failed or was cancelled"],
    ["a signal", "kill -9 $$", "Tool execution failed or was cancelled"],
    ["invalid UTF-8", "printf '\\xff'", "Invalid UTF-8 in tool output"],
  ])("ends with %s: the model sees the program's text, what was printed is lost", async (_, does, problem) => {
    const bench = new Bench();
    bench.plugin("mine", [], "", does);
    const { run } = await tools(bench);
    expect(await run("mine", {})).toMatchObject(failure(problem));
  });

  test("keeps what a failing tool wrote on stderr beside the result", async () => {
    const bench = new Bench();
    bench.plugin("mine", [], "", "echo why >&2; exit 2");
    const { run } = await tools(bench);
    expect((await run("mine", {})).details).toEqual({ status: "exited", exitCode: 2, stderr: "why\n" });
  });

  test("that is gone says so", async () => {
    const bench = new Bench();
    const path = bench.plugin("mine", [], "");
    const { run } = await tools(bench);
    bench.write("mine", "", 0o644);
    expect((await run("mine", {})).content).toEqual(
      text(`Error: Failed to execute tool: The program ${path} may not be executed`),
    );
  });

  test("ends when its call is aborted", async () => {
    const bench = new Bench();
    bench.plugin("mine", [], "", "exec sleep 1000");
    const { run } = await tools(bench);
    const controller = new AbortController();
    const result = run("mine", {}, controller.signal);
    controller.abort();
    expect(await result).toMatchObject(failure("Tool execution failed or was cancelled"));
  });
});

describe("two tools of one name", () => {
  test("in two plugins: the first in order is used, the other is reported", async () => {
    const bench = new Bench();
    const same = (dir: string) =>
      `#!/bin/bash\nif [[ "$1" == --schema ]]; then echo '{"name":"t","description":"${dir}"}'; fi\n`;
    bench.write("a", same("a"));
    bench.write("b", same("b"));
    const { all, diagnostics } = await tools(bench);
    expect(all.get("t")?.value.description).toBe("a");
    expect(diagnostics).toMatchObject([{ code: "DUPLICATE", message: expect.stringContaining("plugins/b") }]);
  });

  test("in one plugin: the same", async () => {
    const bench = new Bench();
    const entries = JSON.stringify([1, 2].map((n) => ({ name: "t", description: `${n}` })));
    bench.write("p", `#!/bin/bash\necho '${entries}'\n`);
    const { all, diagnostics } = await tools(bench);
    expect(all.get("t")?.value.description).toBe("1");
    expect(diagnostics).toMatchObject([{ code: "DUPLICATE" }]);
  });
});

describe("the terminal", () => {
  const asked = async (services: HostServices, args = 'echo "$CHIBI_TOOL_ARGS"') => {
    const bench = new Bench();
    bench.plugin("mine", [], "", args);
    const real = bench.processes();
    const calls: ProcessCall[] = [];
    const process: ProcessTransport = {
      run: (call) => {
        if (!("args" in call.command) || call.command.args[0] !== "--schema") calls.push(call);
        return real.run(call.stdin === "inherit" ? { ...call, stdin: "" } : call);
      },
      open: (kept) => real.open(kept),
      close: () => real.close(),
    };
    const { run } = await tools(bench, { services, process });
    await run("mine", {});
    return calls;
  };

  test("is a tool's own in interactive mode, while the screen is suspended", async () => {
    const steps: string[] = [];
    const suspend = () => {
      steps.push("suspended");
      return {
        write: (chunk: Uint8Array) => steps.push(new TextDecoder().decode(chunk)),
        resume: () => steps.push("resumed"),
      };
    };
    const services = { mode: "tui" as const, ui: { screen: { suspend } } };
    const calls = await asked(services, 'echo "$CHIBI_TOOL_ARGS"; echo -n "sure?" >&2');
    expect(calls.map(({ stdin, terminal }) => [stdin, terminal])).toEqual([["inherit", undefined]]);
    expect(steps).toEqual(["suspended", "sure?", "resumed"]);
  });

  test("is there for a tool that reads its arguments from stdin too, to be opened by name", async () => {
    const lent: unknown[] = [];
    const suspend = (tool: string) => {
      lent.push(tool);
      return { resume: () => lent.push("resumed") };
    };
    const services: HostServices = { mode: "tui", ui: { screen: { suspend } } };
    const calls = await asked(services, "cat");
    expect(calls.map(({ stdin, terminal }) => [stdin, terminal])).toEqual([["{}", true]]);
    expect(lent).toEqual(["mine", "resumed"]);
    expect((await asked({ mode: "print" }, "cat")).map(({ terminal }) => terminal)).toEqual([undefined]);
  });

  test("is no hook's, and a plugin whose hooks mention it is named when it is loaded [chibi.edge.29]", async () => {
    const bench = new Bench();
    bench.plugin("guard", ["pre_tool", "on_start"], "read -r x </dev/tty || exit 1");
    bench.plugin("tool", [], "", "read -r x </dev/tty");
    bench.plugin("silent", ["pre_tool"], "");
    const { diagnostics } = await bench.open({
      services: { mode: "tui", ui: { screen: { suspend: () => ({ resume() {} }) } } },
    });
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ["NO_TERMINAL", expect.stringMatching(/plugins\/guard .*\(pre_tool, on_start\) run without a terminal/)],
    ]);
  });

  test("is nobody's in a print run, nor where the screen cannot be suspended", async () => {
    expect(
      (await asked({ mode: "print", ui: { screen: { suspend: () => ({ resume: () => {} }) } } }))[0]?.stdin,
    ).toBeUndefined();
    expect((await asked({ mode: "tui" }))[0]?.stdin).toBeUndefined();
  });
});
