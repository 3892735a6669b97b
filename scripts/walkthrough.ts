import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { buildAgent } from "./build.ts";
import { commandLine } from "./command-line.ts";
import { steadyScreen } from "./steady-screen.ts";
import { root } from "./step.ts";

const PAGE = join(root, "docs/guide/terminal.md");
const BLOCK = /^```screen (\w+)\n[\s\S]*?^```$/gm;
const WAIT_MS = 15_000;

const GUARD = `export default function (pi) {
  pi.on("tool_call", (event) => {
    if (event.toolName !== "bash" || !/\\brm\\b/.test(event.input.command)) return;
    return { block: true, reason: "Nothing is deleted here; move it to /tmp." };
  });
}
`;

const REPLIES = [
  {
    text: "The folder `build` is in the way, so I remove it.",
    toolCalls: [{ name: "bash", arguments: { command: "rm -rf build" } }],
  },
  { text: "I was not allowed to delete it. Shall I **move** it to `/tmp` instead?" },
];

/** A terminal of 80×24 in tmux, for typing as a person and reading the screen. */
class Tmux {
  readonly #socket = `hookline-walkthrough-${process.pid}`;

  run(...args: readonly string[]): string {
    return execFileSync("tmux", ["-L", this.#socket, ...args], { encoding: "utf8" });
  }

  open(cwd: string, command: string): void {
    this.run("new-session", "-d", "-x", "80", "-y", "24", "-c", cwd, command);
  }

  press(...keys: readonly string[]): void {
    this.run("send-keys", ...keys);
  }

  type(text: string): void {
    this.run("send-keys", "-l", text);
  }

  /** Returns the screen once it shows a text and has stopped changing. */
  async until(wanted: string): Promise<string> {
    const end = performance.now() + WAIT_MS;
    for (let last = ""; performance.now() < end; ) {
      const screen = this.run("capture-pane", "-p");
      if (screen.includes(wanted) && screen === last) return screen.trimEnd();
      last = screen;
      await pause(150);
    }
    throw new Error(`The screen never showed "${wanted}". It shows:\n${this.run("capture-pane", "-p")}`);
  }

  close(): void {
    try {
      this.run("kill-server");
    } catch {
      // tmux has already ended with its last program.
    }
  }
}

const { values } = commandLine({
  name: "walkthrough",
  says: "Captures the screens of docs/guide/terminal.md again, from a session in tmux.",
  options: { check: { type: "boolean", says: "write nothing, and fail if a screen differs" } },
});
await buildAgent();
const top = realpathSync.native(mkdtempSync(join(tmpdir(), "hookline-walkthrough-")));
const [home, project] = [join(top, "home"), join(top, "project")];
const files = { "project/.pi/extensions/guard.ts": GUARD, "home/script.json": JSON.stringify({ replies: REPLIES }) };
for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(join(top, path)), { recursive: true });
  writeFileSync(join(top, path), text);
}
const tmux = new Tmux();
const shots = new Map<string, string>();
const shoot = async (name: string, wanted: string): Promise<void> => {
  const screen = await tmux.until(wanted);
  shots.set(name, screen.replaceAll(project, "/project").replaceAll(home, "/home"));
};
try {
  const bin = join(root, "packages/hookline/bin/hookline.js");
  const env = `env -i PATH='${process.env["PATH"]}' HOME='${home}' TERM=screen-256color`;
  tmux.open(project, `${env} '${process.execPath}' '${bin}' --script '${home}/script.json'; sleep 60`);
  await shoot("consent", "approve exactly this");
  tmux.type("y");
  await shoot("start", "1 hook source, all run");
  tmux.type("Make the build work");
  tmux.press("Enter");
  await shoot("blocked", "instead?");
  tmux.type("/hooks");
  tmux.press("Enter");
  await tmux.until("[Loaded]");
  tmux.press("Tab");
  await tmux.until("[Activity]");
  await shoot("activity", "refused it");
  tmux.press("Enter");
  await shoot("dispatch", "Nothing is deleted here");
  tmux.press("Escape");
  await tmux.until("[Activity]");
  tmux.press("Escape");
  await tmux.until("script/script");
  tmux.press("C-d");
  await shoot("end", "To continue this session");
} finally {
  tmux.close();
  rmSync(top, { recursive: true, force: true, maxRetries: 3 });
}
const page = readFileSync(PAGE, "utf8");
const named = new Set([...page.matchAll(BLOCK)].map(([, name]) => name));
const missing = [...shots.keys()].filter((name) => !named.has(name));
if (missing.length > 0) throw new Error(`${PAGE} has no place for ${missing.join(", ")}: add \`\`\`screen blocks.`);
if (values.check === true) {
  const stale = [...page.matchAll(BLOCK)].flatMap(([whole, name = ""]) =>
    steadyScreen(whole) === steadyScreen(blockOf(name)) ? [] : [name],
  );
  for (const name of stale) process.stdout.write(`The screen "${name}" is another one now:\n${blockOf(name)}\n`);
  process.stdout.write(`${shots.size} screens of docs/guide/terminal.md, ${stale.length} stale\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  writeFileSync(
    PAGE,
    page.replace(BLOCK, (_whole, name: string) => blockOf(name)),
  );
  process.stdout.write(`${shots.size} screens of a session in tmux are in docs/guide/terminal.md.\n`);
}

function blockOf(name: string): string {
  return `\`\`\`screen ${name}\n${shots.get(name) ?? ""}\n\`\`\``;
}
