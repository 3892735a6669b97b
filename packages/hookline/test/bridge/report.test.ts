import { basename } from "node:path";
import { isLoaded } from "@hookline/runtime/session";
import { describe, expect, it } from "vitest";
import { writeHooks } from "../../../../scripts/hosts/guards.ts";
import { HOSTS } from "../../../integrations/src/hosts.ts";
import { Desk } from "./at-desk.ts";

interface Reported {
  readonly source: string;
  readonly state: string;
  readonly native?: true;
  readonly losses: readonly { readonly field: string; readonly why: string }[];
}

async function report(desk: Desk, host: string): Promise<readonly Reported[]> {
  const { code, out } = await desk.run("bridge", "report", host, "--json");
  expect(code).toBe(0);
  return JSON.parse(out).hooks;
}

describe("bridge report", () => {
  it("has one entry for each definition that runs, with a reason for everything that is lost", async () => {
    using desk = new Desk();
    writeHooks(desk.home);
    desk.write("~/.omp/agent/extensions/broken.ts", "export default (");
    const listed = JSON.parse((await desk.run("hooks", "list", "--json")).out);
    for (const host of Object.keys(HOSTS)) {
      const hooks = await report(desk, host);
      expect(hooks).toHaveLength(listed.sources.filter(isLoaded).length);
      for (const { state, losses } of hooks) {
        expect(["runs", "loss", "absent"]).toContain(state);
        expect(losses.length > 0).toBe(state !== "runs");
        for (const { field, why } of losses) expect([field, why]).not.toContain("");
      }
    }
  });

  it("names what is lost by the field that a hook of this dialect can answer or see, and nothing else", async () => {
    using desk = new Desk();
    writeHooks(desk.home);
    const hooks = await report(desk, "codex");
    const of = (name: string): Reported => hooks.find(({ source }) => source.endsWith(name)) as Reported;
    // chibi's guards cannot ask, so nothing is lost by it.
    expect(of("plugins/guard").losses.map(({ field }) => field)).not.toContain("decision:ask");
    // It may be asked about a file of a patch, and never about what is typed into a running shell.
    expect(of("rewrite.ts").losses.map(({ field }) => field)).toEqual(["args", "tool"]);
    expect(of("redact.ts").losses.map(({ field }) => field)).toContain("content");
    expect(of("redact.ts").losses.map(({ field }) => field)).not.toContain("blocked");
    const own = (await report(desk, "pi")).find(({ source }) => source.endsWith("redact.ts"));
    expect(own).toMatchObject({ state: "runs", native: true });
  });

  it("says which hooks no tool of the host can start, and which cannot rewrite a patch", async () => {
    using desk = new Desk();
    const hook = { hooks: [{ type: "command", command: "true" }] };
    const groups = ["Bash", "Edit|Write", "NotebookRead", "apply_patch"].map((matcher) => ({ matcher, ...hook }));
    desk.write("~/.claude/settings.json", JSON.stringify({ hooks: { PreToolUse: groups } }, null, 1));
    const told = async (host: string): Promise<unknown[]> =>
      (await report(desk, host)).map(({ state, losses }) => [
        state,
        losses.flatMap(({ field, why }) => (field === "tool" || /patch/.test(why) ? [field] : [])),
      ]);
    expect(await told("codex")).toEqual([
      ["loss", ["tool"]],
      ["loss", ["args"]],
      ["absent", ["tool"]],
      ["loss", ["args"]],
    ]);
    expect(await told("gemini")).toEqual([
      ["loss", []],
      ["loss", []],
      ["absent", ["tool"]],
      ["absent", ["tool"]],
    ]);
  });

  it("says of hooks for the shell and for sub-agents which tools do something that they are not asked about", async () => {
    using desk = new Desk();
    const groups = ["Bash", "Write", "Agent"].map((matcher) => ({
      matcher,
      hooks: [{ type: "command", command: "true" }],
    }));
    desk.write("~/.claude/settings.json", JSON.stringify({ hooks: { PreToolUse: groups } }, null, 1));
    const told = async (host: string): Promise<unknown[]> =>
      (await report(desk, host)).map(({ losses }) => losses.find(({ field }) => field === "tool")?.why);
    expect(await told("codex")).toEqual([expect.stringContaining("`write_stdin`"), undefined, undefined]);
    const inCode = expect.stringContaining("`eval`");
    expect(await told("omp")).toEqual([inCode, undefined, inCode]);
    expect(await told("gemini")).toEqual([undefined, undefined, undefined]);
  });

  it("leaves to a host only what the host itself finds", async () => {
    using desk = new Desk();
    const guard = 'export default (pi) => { pi.on("tool_call", () => undefined); };\n';
    const omp = `import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";\n${guard}`;
    desk.write("~/.pi/agent/extensions/own.ts", guard);
    desk.write("~/.hookline/extensions/here.ts", guard);
    desk.write("~/.omp/agent/extensions/own-omp.ts", guard);
    desk.write("~/.hookline/extensions/here-omp.ts", omp);
    const native = async (host: string): Promise<string[]> =>
      (await report(desk, host)).flatMap(({ source, native }) => (native ? [basename(source)] : []));
    expect(await native("pi")).toEqual(["own.ts"]);
    expect(await native("omp")).toEqual(["own-omp.ts"]);
    expect(await native("codex")).toEqual([]);
  });

  it("says which hooks a host never asks, and why", async () => {
    using desk = new Desk();
    desk.write("~/.omp/agent/extensions/c.ts", 'export default (pi) => { pi.on("context", () => undefined); };\n');
    desk.write(
      "~/.claude/settings.json",
      JSON.stringify({ hooks: { PostToolUseFailure: [{ hooks: [{ type: "command", command: "true" }] }] } }),
    );
    const hooks = await report(desk, "codex");
    expect(hooks.map(({ state }) => state)).toEqual(["absent", "absent"]);
    const whys = hooks.flatMap(({ losses }) => losses.map(({ why }) => why)).join("\n");
    expect(whys).toContain("Codex shows hooks no messages");
    expect(whys).toContain("whether a call has failed");
    expect((await desk.run("bridge", "report", "codex")).out).toContain("Your hooks in Codex: 2 never run.");
  });

  it("fits 28 hooks on a screen in every agent, lost guards first, then what a hook is known to use", async () => {
    using desk = new Desk();
    writeHooks(desk.home);
    // Three more than those of the matrix: Codex shows hooks no messages.
    for (const name of ["a", "b", "c"])
      desk.write(
        `~/.omp/agent/extensions/${name}.ts`,
        'export default (pi) => { pi.on("context", () => undefined); };\n',
      );
    for (const host of Object.keys(HOSTS)) {
      expect(await report(desk, host)).toHaveLength(28);
      const { out } = await desk.run("bridge", "report", host);
      const rows = out
        .trimEnd()
        .split("\n")
        .map((line) => Math.ceil(line.length / 80));
      expect([host, rows.reduce((sum, row) => sum + row, 0) <= 24]).toEqual([host, true]);
    }
    const { out } = await desk.run("bridge", "report", "codex");
    expect(out.split("\n").slice(0, 9)).toEqual([
      "Your hooks in Codex: 11 work, 7 work except for something, 10 never run (7 guards).",
      expect.stringMatching(/^never runs {4}jcli {4}~\/\.hookline\/hooks\.yaml:5 \(guard\)$/),
      expect.stringMatching(/hooks\.yaml:6 \(guard\)$/),
      "              and 5 more",
      "              tool: Codex has no tool that its filter matches",
      expect.stringMatching(/^never runs {4}omp {5}~\/\.omp\/agent\/extensions\/a\.ts$/),
      expect.stringMatching(/b\.ts$/),
      "              and 1 more",
      "              context: Codex shows hooks no messages and no requests",
    ]);
    const all = (await desk.run("bridge", "report", "codex", "--all")).out;
    expect(all).toContain("decision:ask: becomes a refusal");
    expect(out).not.toContain("decision:ask");
  });

  it("counts as used what a hook was seen to answer", async () => {
    using desk = new Desk();
    const ask = JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" } });
    const entry = (command: string) => ({ matcher: "Write", hooks: [{ type: "command", command }] });
    const PreToolUse = [entry(`echo '${ask}'`), entry("true")];
    desk.write("~/.claude/settings.json", JSON.stringify({ hooks: { PreToolUse } }, null, 1));
    const said = async (): Promise<string> => (await desk.run("bridge", "report", "codex")).out;
    expect(await said()).toContain("Your hooks in Codex: 2 work.\n");
    const call = { session_id: "s", tool_name: "apply_patch", tool_use_id: "1" };
    const patch = { command: "*** Begin Patch\n*** Add File: x\n+x\n*** End Patch" };
    await desk.say(
      JSON.stringify({ ...call, tool_input: patch }),
      "bridge",
      "call",
      "codex",
      "PreToolUse",
      "--one-shot",
    );
    expect(await said()).toMatch(
      /works except {2}claude .*\n {14}decision:ask: becomes a refusal: nobody can be asked/,
    );
    expect(await said()).toContain("1 works, 1 works except for something.");
  });
});
