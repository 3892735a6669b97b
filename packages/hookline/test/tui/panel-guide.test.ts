import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { steadyScreen } from "../../../../scripts/steady-screen.ts";
import { addPanel } from "../../src/tui/panel/commands.ts";
import { themeNamed, useTheme } from "../../src/tui/theme/current.ts";
import { GUARDED_REPLIES, guardedProject } from "../support/guarded-project.ts";
import { runAgent } from "../support/running.ts";
import { Shown } from "../support/shown.ts";

const path = fileURLToPath(new URL("../../../../docs/guide/hooks-panel.md", import.meta.url));
/** Set to write the screens into the guide. */
const WRITES = process.env["HOOKLINE_WRITE_GUIDE"] === "1";

const BLOCK = /^```screen (\w+)\n([\s\S]*?)^```$/gm;

test("the screens in the guide are what the panel shows", async () => {
  useTheme(themeNamed("dark") as never);
  const desk = guardedProject();
  await using running = await runAgent(desk, { replies: GUARDED_REPLIES, args: ["--allow-broken-hooks"] });
  using screen = new Shown();
  const { assembled, activity, env } = running;
  const { agent } = assembled;
  addPanel(assembled, { show: screen.show, quit() {}, activity, env });
  await agent.prompt("go");
  void agent.prompt("/hooks");
  while (screen.dialogs.length === 0) await new Promise(setImmediate);
  const { last } = screen;
  const { terminal } = last;
  const shots = new Map<string, string>();
  const shoot = async (name: string): Promise<void> => {
    const text = (await last.shows()).replaceAll(desk.cwd, "/project").replaceAll(desk.home, "/home");
    shots.set(name, text);
  };
  await shoot("loaded");
  terminal.type("a");
  await terminal.until("not approved yet");
  await shoot("review");
  terminal.press("escape", "tab");
  terminal.type("h");
  await terminal.until("changed input");
  await shoot("activity");
  terminal.press("down", "enter");
  await shoot("dispatch");
  terminal.press("escape", "tab");
  terminal.type("sss");
  await terminal.until("by failed");
  terminal.press("home");
  await shoot("metrics");
  terminal.press("tab");
  terminal.type("tool.before");
  terminal.press("enter");
  await terminal.until("would be asked");
  await shoot("event");

  const guide = readFileSync(path, "utf8");
  if (WRITES)
    writeFileSync(
      path,
      guide.replace(BLOCK, (_whole, name: string) => `\`\`\`screen ${name}\n${shots.get(name)}\n\`\`\``),
    );
  const shown = new Map(
    [...readFileSync(path, "utf8").matchAll(BLOCK)].map(([, name = "", text = ""]) => [name, text]),
  );
  expect([...shown.keys()]).toEqual([...shots.keys()]);
  for (const [name, text] of shots) expect(steadyScreen(shown.get(name) ?? "")).toBe(`${steadyScreen(text)}\n`);
});
