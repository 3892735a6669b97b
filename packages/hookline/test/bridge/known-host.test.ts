import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HOSTS } from "../../../integrations/src/hosts.ts";
import { statsLines } from "../../src/cli/stats.ts";
import { Desk } from "./at-desk.ts";
import { opened } from "./support/opened.ts";

const GUARD = `export default (pi) => pi.on("tool_call", ({ input }) =>
  input.command.includes("rm") ? { block: true, reason: "no rm" } : undefined);
`;

/** Returns Codex's payload before a call. */
const call = (command: string): string =>
  JSON.stringify({
    session_id: "s",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: `call ${command}`,
  });

test("counters know the agent, and `hooks stats --host` counts its sessions alone", async () => {
  const codex = await (HOSTS["codex"] as NonNullable<(typeof HOSTS)["codex"]>)();
  const at = opened(codex);
  at.write("~/.pi/agent/extensions/guard.ts", GUARD);
  for (const command of ["ls", "rm x"]) await at.ask("PreToolUse", call(command));
  await at.sessions.closeAll();
  const home = join(at.home, ".hookline");
  const counted = (host: string): number[] =>
    statsLines(home, { host }).flatMap(({ runs, blocked }) => [runs, blocked]);
  expect([counted("codex"), counted("gemini"), counted("hookline")]).toEqual([[2, 1], [], []]);
  const statsOf = (...args: string[]): Promise<string> => at.run("hooks", "stats", ...args);
  expect(JSON.parse(await statsOf("--host", "codex", "--json"))).toMatchObject({
    host: "codex",
    hooks: [{ runs: 2, blocked: 1 }],
  });
  expect(await statsOf("--host", "pi")).toBe("No hook run matches these options.\n");
  expect(await statsOf("--reset", "--host", "codex")).toBe(
    "Cleared the counters of 1 hook on this machine for codex.\n",
  );
  expect(await statsOf("--host", "codex")).toContain("No hook run matches");
});

test.each([
  ["--host", ["hooks", "stats", "--host", "codx"]],
  ["HOST", ["bridge", "report", "codx"]],
  ["HOST", ["bridge", "status", "codx"]],
])("an agent that there is not is refused with the names there are: %s of %j", async (what, words) => {
  using desk = new Desk();
  const { code, err } = await desk.run(...words);
  expect(code).not.toBe(0);
  expect(err).toContain(`${what} is not an agent that hookline knows: codx`);
  expect(err).toContain("codex");
});

test("a call that is answered by itself writes a trace that names the agent; a daemon's call writes none", async () => {
  using desk = new Desk();
  desk.write("~/.pi/agent/extensions/guard.ts", GUARD);
  const words = ["bridge", "call", "codex", "PreToolUse", "--trace", desk.at("trace.jsonl")];
  expect((await desk.say(call("rm x"), ...words)).err).toContain("--trace needs --one-shot");
  const { code, out } = await desk.say(call("rm x"), ...words, "--one-shot");
  expect([code, JSON.parse(out)]).toMatchObject([0, { hookSpecificOutput: { permissionDecisionReason: "no rm" } }]);
  const lines = readFileSync(desk.at("trace.jsonl"), "utf8").trim().split("\n");
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ v: 1, host: "codex", session: "s" });
  expect(lines.join("\n")).toContain('"event":"tool.before"');
});
