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

  it("says of hooks for the shell which tools run something that they are not asked about", async () => {
    using desk = new Desk();
    const groups = ["Bash", "Write"].map((matcher) => ({ matcher, hooks: [{ type: "command", command: "true" }] }));
    desk.write("~/.claude/settings.json", JSON.stringify({ hooks: { PreToolUse: groups } }, null, 1));
    const told = async (host: string): Promise<unknown[]> =>
      (await report(desk, host)).map(({ losses }) => losses.find(({ field }) => field === "tool")?.why);
    expect(await told("codex")).toEqual([expect.stringContaining("`write_stdin`"), undefined]);
    expect(await told("omp")).toEqual([expect.stringContaining("`eval`"), undefined]);
    expect(await told("gemini")).toEqual([undefined, undefined]);
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
    expect((await desk.run("bridge", "report", "codex")).out).toContain("0 runs, 0 runs with loss, 2 not here");
  });
});
