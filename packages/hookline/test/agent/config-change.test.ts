import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Payload } from "@hookline/runtime";
import { describe, expect, test } from "vitest";
import { type Bench, startBench } from "./bench.ts";

const GUARD = 'export default (pi) => pi.on("tool_call", () => ({ block: true, reason: "guard one" }));';
const CHANGED = GUARD.replace("one", "two");

async function bench(): Promise<Bench & { readonly guard: string; readonly heard: Payload<"config.change">[] }> {
  const started = await startBench({
    files: { ".pi/extensions/guard.ts": GUARD, "~/.hookline/extensions/mine.ts": "export default () => {};" },
    replies: [{ toolCalls: [{ name: "ls" }] }, { text: "ok" }, { toolCalls: [{ name: "ls" }] }, { text: "ok" }],
  });
  const heard: Payload<"config.change">[] = [];
  started.hooks.on("config.change", (event) => {
    heard.push(event);
    return undefined;
  });
  // From here on it is known what the hooks were loaded from.
  await started.agent.prompt("/reload");
  return { ...started, heard, guard: join(started.project, ".pi/extensions/guard.ts") };
}

const results = ({ agent }: Bench): string => JSON.stringify(agent.core.store.buildSessionContext().messages);

describe("at a reload", () => {
  test("hooks are told of each file that was changed, added or removed, and of nothing else", async () => {
    const { agent, guard, heard, home, project } = await bench();
    await agent.prompt("/reload");
    expect(heard).toEqual([]);
    const fresh = join(project, ".pi/extensions/fresh.ts");
    const mine = join(home, ".hookline/extensions/mine.ts");
    writeFileSync(guard, CHANGED);
    writeFileSync(fresh, "export default () => {};");
    rmSync(mine);
    await agent.prompt("/reload");
    expect([...heard].sort((a, b) => (a.path ?? "").localeCompare(b.path ?? ""))).toEqual(
      [
        { source: "user_settings", path: mine },
        { source: "project_settings", path: fresh },
        { source: "project_settings", path: guard },
      ].sort((a, b) => a.path.localeCompare(b.path)),
    );
    await agent.prompt("/reload");
    expect(heard).toHaveLength(3);
  });

  test("a pipe in place of a file is not waited for", async () => {
    const { agent, project } = await bench();
    mkdirSync(join(project, ".claude"));
    execFileSync("mkfifo", [join(project, ".claude/settings.json")]);
    expect(await agent.prompt("/reload")).toMatchObject({ kind: expect.any(String) });
  });

  test("a hook rejects a change: the previous hooks stay, the person is told, and the next reload asks again", async () => {
    const started = await bench();
    const { agent, hooks, guard } = started;
    const off = hooks.on("config.change", () => ({ cancel: true, reason: "not during the audit" }));
    writeFileSync(guard, CHANGED);
    const kept = await agent.prompt("/reload");
    expect(kept).toMatchObject({ kind: "failed", error: expect.stringMatching(/guard\.ts: not during the audit/) });
    await agent.prompt("Look");
    expect(results(started)).toContain("guard one");
    expect(await agent.prompt("/reload")).toMatchObject({ kind: "failed" });
    off();
    expect(await agent.prompt("/reload")).toMatchObject({ kind: "command" });
    await agent.prompt("Look again");
    expect(results(started)).toContain("guard two");
  });
});
