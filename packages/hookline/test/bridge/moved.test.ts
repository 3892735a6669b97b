import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { answerCall } from "../../../bridge/src/daemon/answer.ts";
import { Caller } from "../../../bridge/src/daemon/caller.ts";
import { Sessions } from "../../../bridge/src/daemon/sessions.ts";
import { HOSTS } from "../../../integrations/src/hosts.ts";
import { openSession } from "../../src/bridge/open.ts";
import { Desk } from "./at-desk.ts";

interface Recorded {
  readonly host: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const path = join(import.meta.dirname, "../../../integrations/test/hosts/recorded/models.json");
/** A shell command as Codex 0.171.0 told of it. */
const shell = (JSON.parse(readFileSync(path, "utf8")) as readonly Recorded[]).find(
  ({ host, payload }) => host === "codex 0.171.0" && payload["tool_name"] === "Bash",
)?.payload as Recorded["payload"];

/** A Codex of this version on a person's path, whose calls a daemon answers. */
function codexAt(desk: Desk, version: string) {
  const manifest = { name: "@openai/codex", version, bin: { codex: "bin/codex.js" } };
  desk.write("~/codex/package.json", JSON.stringify(manifest));
  const program = desk.write("~/codex/bin/codex.js", "");
  mkdirSync(desk.at("~/../bin"), { recursive: true });
  symlinkSync(program, join(desk.top, "bin", "codex"));
  const log = (): void => {};
  const hooklineHome = desk.at("~/.hookline");
  const sessions = new Sessions({ open: openSession, log });
  onTestFinished(() => sessions.closeAll());
  return async (session: string, event: string, payload: object): Promise<string> => {
    const request = {
      ...{ host: "codex", event, origin: "", cwd: desk.project, deadlineMs: 100_000, detach: false },
      env: { HOME: desk.home, HOOKLINE_HOME: hooklineHome, PATH: `${join(desk.top, "bin")}:${process.env["PATH"]}` },
      input: Buffer.from(JSON.stringify({ ...payload, session_id: session })),
    };
    const { stdout } = await answerCall(request, new Caller(), { hosts: HOSTS, sessions, hooklineHome, log });
    return stdout === "" ? "" : String((JSON.parse(stdout) as { readonly systemMessage?: string }).systemMessage ?? "");
  };
}

const START = { hook_event_name: "SessionStart", source: "startup", cwd: "/", model: "m1", permission_mode: "default" };

test("a field, an argument, an event and a tool that are new are told in one line, once, and named by status and doctor", async () => {
  using desk = new Desk();
  await desk.run("bridge", "install", "codex", "--yes");
  const ask = codexAt(desk, "0.172.0");
  expect(await ask("old", "PreToolUse", shell)).not.toContain("has moved");
  const changed = { ...shell, sandbox_id: "SECRET-VALUE", tool_input: { command: "ls", escalate: "SECRET-VALUE" } };
  await ask("new", "PreToolUse", changed);
  await ask("new", "PreFetch", { hook_event_name: "PreFetch" });
  await ask("new", "PreToolUse", { ...shell, tool_name: "run_thing", tool_input: { command: "SECRET-VALUE" } });
  await ask("new", "PreToolUse", { ...shell, tool_name: "mcp__rig__echo", tool_input: { text: "x" } });
  const line =
    "hookline: Codex 0.172.0 has moved: 1 new field, 1 new argument, 1 new event, 1 new tool; `hookline bridge status codex` names them. " +
    "Guards judge calls of run_thing (takes a command) by that alone, as a shell, a write or a patch.";
  expect(await ask("next", "SessionStart", START)).toContain(line);
  expect(await ask("after", "SessionStart", START)).not.toContain("has moved");
  const { out } = await desk.run("bridge", "status", "codex");
  for (const named of [
    "fields that hookline does not know: PreToolUse.sandbox_id",
    "arguments that hookline does not know: Bash.escalate",
    "events that hookline does not know: PreFetch",
    "tools that hookline does not know: run_thing (takes a command)",
  ])
    expect(out).toContain(`Codex: version 0.172.0 has ${named}\n`);
  expect(out).toContain("version 0.172.0 is on your path, which was not tried");
  expect((await desk.run("doctor")).out).toContain(line.slice("hookline: ".length));
  const kept = readFileSync(desk.at("~/.hookline/bridge/moved/codex.json"), "utf8");
  expect(kept).not.toContain("SECRET-VALUE");
  expect(kept).not.toContain("mcp__rig");
});

test("at most 500 names are kept, each cleaned and cut", async () => {
  using desk = new Desk();
  const ask = codexAt(desk, "0.172.0");
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`\u001b[31m${at} ${"x".repeat(300)}`, 1]));
  await ask("s", "PreToolUse", { ...shell, ...many });
  const { data } = { data: JSON.parse((await desk.run("bridge", "status", "codex", "--json")).out) };
  const { names } = data.hosts[0].moved[0] as { readonly names: readonly { readonly name: string }[] };
  expect(names).toHaveLength(500);
  for (const { name } of names) expect([name.length <= 80, name.includes("\u001b")]).toEqual([true, false]);
});
