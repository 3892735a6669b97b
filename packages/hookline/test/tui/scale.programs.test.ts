import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import { Workplace } from "../support/cli.ts";
import { has } from "../support/seeds.ts";
import { Sitting } from "../support/sitting.ts";

const at = "2026-01-01T00:00:00.000Z";

/** A session of pairs of messages, each reply with so many lines. */
function longSession(pairs: number, lines: number): string {
  const rows: object[] = [{ type: "session", version: 3, id: "long", timestamp: at, cwd: "/" }];
  let parentId: string | null = null;
  const add = (id: string, message: object): void => {
    rows.push({ type: "message", id, parentId, timestamp: at, message: { timestamp: 1, ...message } });
    parentId = id;
  };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } };
  for (let i = 0; i < pairs; i++) {
    add(`u${i}`, { role: "user", content: `question ${i}` });
    const text = Array.from({ length: lines }, (_, line) => `reply ${i} line ${line}`).join("\n\n");
    const about = { api: "script", provider: "script", model: "script", usage, stopReason: "stop" };
    add(`a${i}`, { role: "assistant", content: [{ type: "text", text }], ...about });
  }
  return `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`;
}

test("a session of 50,000 lines can be scrolled, and a key costs a few of them", async () => {
  await using sitting = await Sitting.start({
    files: { "~/long.jsonl": longSession(1000, 24) },
    session: "long.jsonl",
    isEarly: true,
  });
  const { terminal } = sitting;
  await terminal.until("reply 999 line 23", 150_000);
  const history = (await terminal.history()).split("\n");
  expect(history.length).toBeGreaterThan(50_000);
  expect(history.some((line) => line.includes("reply 0 line 0"))).toBe(true);
  const before = terminal.writtenLength;
  terminal.type("typed");
  await terminal.until("typed");
  expect(terminal.writtenLength - before).toBeLessThan(10_000);
  sitting.say("");
  await terminal.until("Fine.");
  expect(terminal.writtenLength - before).toBeLessThan(40_000);
  const after = (await terminal.history()).split("\n");
  expect(after.some((line) => line.includes("reply 0 line 0"))).toBe(true);
});

test("a result of 10 MB is shown in part, and the session has it whole", async () => {
  const source = `export default function (pi) {
    pi.registerTool({ name: "flood", label: "flood", description: "floods", parameters: { type: "object", properties: {} },
      execute: async () => ({ content: [{ type: "text", text: ("y".repeat(99) + "\\n").repeat(100_000) }] }) });
  }`;
  await using sitting = await Sitting.start({
    files: {
      "~/.pi/agent/extensions/flood.ts": source,
      "~/.hookline/settings.json": JSON.stringify({ compaction: { enabled: false } }),
    },
    replies: [{ toolCalls: [{ name: "flood", arguments: {} }] }, { text: "That was much.", repeat: true }],
  });
  const { terminal } = sitting;
  const before = terminal.writtenLength;
  sitting.say("flood");
  await terminal.until("That was much.");
  expect(terminal.writtenLength - before).toBeLessThan(100_000);
  terminal.press("ctrl+o");
  await terminal.settled();
  expect(await terminal.history()).toContain("not shown; the session has all of it");
  expect(terminal.writtenLength - before).toBeLessThan(500_000);
});

/** pi-tui leaves 16 ms between two frames, and Node's timers may be early by one. */
const FRAME_MS = 15;
/** Frames that a key or a dialog does not wait for. */
const AT_ONCE = 20;

test("frames are drawn together: a reply of many pieces is drawn as often as its time has frames", async () => {
  const text = Array.from({ length: 2000 }, (_, i) => `word${i}`).join(" ");
  await using sitting = await Sitting.start({ replies: [{ text, tokensPerSecond: 100_000 }] });
  const { terminal } = sitting;
  const frames = (): number => terminal.written.split("\u001b[?2026h").length;
  const before = frames();
  const since = performance.now();
  sitting.say("many");
  await terminal.until("word1999");
  const drawn = frames() - before;
  expect(drawn).toBeGreaterThan(1);
  expect(drawn).toBeLessThan((performance.now() - since) / FRAME_MS + AT_ONCE);
});

test.skipIf(!has("python3"))(
  "a terminal that takes nothing does not stop the loop: hooks go on, and the process ends when it is told to",
  async () => {
    const place = new Workplace();
    try {
      const seen = join(place.top, "seen.txt");
      place.write(
        "~/.pi/agent/extensions/seen.ts",
        `import { appendFileSync } from "node:fs";
       export default function (pi) { pi.on("agent_end", () => appendFileSync(${JSON.stringify(seen)}, "ended")); }`,
      );
      const text = "x ".repeat(60_000);
      const script = place.write("~/script.json", JSON.stringify({ replies: [{ text }] }));
      const bin = fileURLToPath(new URL("../../bin/hookline.js", import.meta.url));
      // Nobody ever reads what this terminal is written.
      const program = `import os, pty, sys, time, signal
pid, fd = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
for _ in range(600):
    time.sleep(0.05)
    if os.path.exists(${JSON.stringify(seen)}): break
os.kill(pid, signal.SIGTERM)
for _ in range(400):
    time.sleep(0.05)
    done, status = os.waitpid(pid, os.WNOHANG)
    if done: print(os.waitstatus_to_exitcode(status)); break
else: os.kill(pid, signal.SIGKILL)`;
      const args = ["-c", program, process.execPath, bin, "--script", script, "go on"];
      const env = { ...CHILD_ENV, HOME: place.home, TERM: "xterm-256color" };
      const child = spawn("python3", args, { cwd: place.project, env, stdio: ["ignore", "pipe", "inherit"] });
      let out = "";
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
      await new Promise((done) => child.on("close", done));
      expect(existsSync(seen) && readFileSync(seen, "utf8")).toBe("ended");
      expect(out.trim()).toBe("143");
    } finally {
      place.remove();
    }
  },
);
