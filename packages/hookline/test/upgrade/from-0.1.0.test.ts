import { chmodSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { directoryName } from "../../src/session/directory.ts";
import { Desk, type Ran } from "../authors/desk.ts";
import files from "./files-of-0.1.0.json" with { type: "json" };

/** A home and a project as 0.1.0 left them; `{TOP}` stands for the folder that both lie in. */
const FILES: Readonly<Record<string, { readonly text: string; readonly mode?: string }>> = files;

const SESSIONS = { tools: "01a20462-eb7e", compacted: "01a20462-ef93" };
const GUARDS = [".hookline/plugins/guard", ".jcli/hooks.yaml", ".omp/hooks/pre/guard.ts", ".pi/extensions/guard.ts"];

let desk: Desk;
let top: string;

beforeEach(() => {
  desk = new Desk();
  top = realpathSync(desk.top);
  desk.cwd = join(top, "project");
  for (const [path, { text, mode }] of Object.entries(FILES)) {
    const full = join(top, path.replace("{SESSIONS}", directoryName(desk.cwd)));
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text.replaceAll("{TOP}", top));
    if (mode !== undefined) chmodSync(full, Number.parseInt(mode, 8));
  }
});

afterEach(() => desk.remove());

/** Runs a prompt to which the model answers with these replies. */
function prompt(replies: readonly object[], ...flags: readonly string[]): Promise<Ran> {
  const script = desk.write("~/script.json", JSON.stringify({ replies }));
  return desk.hookline(["--script", script, ...flags, "-p", "Go on"]);
}

const FORCED = { toolCalls: [{ name: "bash", arguments: { command: "rm -rf kept" } }] };

function toolResults(): string {
  const folder = join(top, "home/.hookline/sessions", directoryName(desk.cwd));
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .flatMap((text) => text.split("\n").filter((line) => line.includes('"toolResult"')))
    .join("\n");
}

describe("what 0.1.0 has written is read", () => {
  test("approvals count, unless the hook was changed since", async () => {
    const { code, json } = await desk.hookline(["hooks", "list", "--strict", "--json"]);
    expect(json.sources.map(({ state }: { state: string }) => state)).toEqual(Array(5).fill("runs"));
    expect(json.diagnostics).toEqual([]);
    expect(code).toBe(0);
    const approved = await desk.hookline(["trust", "list"]);
    for (const guard of GUARDS) expect(approved.out).toContain(guard);
    desk.write(".pi/extensions/guard.ts", `${desk.read(".pi/extensions/guard.ts")}// one line more\n`);
    const changed = await desk.hookline(["trust", "approve"], { types: "n" });
    expect(changed.out).toContain("+ // one line more");
    expect((await desk.hookline(["hooks", "list", "--strict"])).code).toBe(1);
  });

  test("the lock holds: what it lists must run, and nothing else may", async () => {
    const { out, code } = await prompt([FORCED, { text: "I was refused." }], "--frozen");
    expect([out.trim(), code]).toEqual(["I was refused.", 0]);
    expect(toolResults()).toContain("not allowed here");
    desk.write(".omp/hooks/pre/guard.ts", "export default () => {};\n");
    const broken = await prompt([{ text: "Never asked." }], "--frozen");
    expect(broken.code).toBe(1);
    expect(broken.err).toContain("guard.ts");
  });

  test("settings hold", async () => {
    const { out } = await desk.hookline(["hooks", "list", "--verbose"]);
    expect(out).toContain("failClosed: refuses");
    expect((await desk.hookline(["doctor"])).out).not.toMatch(/settings.*(unknown|broken)/i);
  });

  test("the counters of hooks go on", async () => {
    const runs = async (): Promise<number> => {
      const { json } = await desk.hookline(["hooks", "stats", "--json"]);
      return json.hooks.find(({ event }: { event: string }) => event === "input").runs;
    };
    const before = await runs();
    expect(before).toBe(6);
    await prompt([{ text: "Counted." }]);
    expect(await runs()).toBe(before + 1);
  });

  test("sessions are listed, shown and gone on with, a compacted one too", async () => {
    const { json } = await desk.hookline(["sessions", "--json"]);
    expect(json.sessions).toHaveLength(3);
    expect(json.sessions.map(({ name }: { name?: string }) => name)).toContain("from 0.1.0");
    const shown = await desk.hookline(["sessions", "show", SESSIONS.tools]);
    for (const text of ["Remove build, please", "I remove it.", "rm -rf build", "It is still kept."])
      expect(shown.out).toContain(text);
    for (const id of Object.values(SESSIONS)) {
      const { out, err, code } = await prompt([{ text: `Went on with ${id}.` }], "--resume", id);
      expect([out.trim(), err, code]).toEqual([`Went on with ${id}.`, "", 0]);
      const after = await desk.hookline(["sessions", "show", id]);
      expect(after.out).toContain("Go on, please");
      expect(after.out).toContain(`Went on with ${id}.`);
    }
  });

  test("a named context is continued", async () => {
    const { out, code } = await prompt([{ text: "Still here." }], "--context", "work");
    expect([out.trim(), code]).toEqual(["Still here.", 0]);
    const transcript = desk.read("~/.chibi/contexts/work/transcript/active.jsonl");
    expect(transcript).toContain("In a context, please");
    expect(transcript).toContain("Still here.");
  });
});
