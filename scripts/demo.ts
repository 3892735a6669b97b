import { spawn } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { TraceLine } from "@hookline/runtime";
import { buildForTests } from "./build.ts";
import { commandLine } from "./command-line.ts";
import { root } from "./step.ts";

const PROMPT = "Fix add() in src/sum.js";
/** The path of the last run's recording. */
const RECORDING = ".cache/demo.jsonl";

interface Row {
  readonly hook: string;
  readonly dialect: string;
  runs: number;
  readonly effects: Map<string, number>;
}

/** Effects that must occur for the demo to succeed: part of a hook's id, and what it must have done. */
const EXPECTED: readonly (readonly [string, string])[] = [
  ["hooks.yaml#pre_send_message", "user_input"],
  ["hooks.yaml#stop", "retry_feedback"],
  ["no-find#pre_api_tools", "exclude"],
  ["no-root-delete.ts#tool_call", "block"],
  ["redact-keys.ts#tool_result", "content"],
  ["house-rules.ts#before_agent_start", "systemPrompt"],
  ["house-rules.ts#context", "messages"],
];

const { values } = commandLine({
  name: "demo",
  says: "Shows the main job, end to end, with a scripted model: hooks of four dialects act on one prompt.",
  options: {
    "no-build": { type: "boolean", says: "run the agent as it was built last" },
    page: { type: "string", value: "FILE", says: "also write the run as a page of the inspector that opens anywhere" },
  },
});
if (values["no-build"] !== true) await buildForTests();
const place = mkdtempSync(join(tmpdir(), "hookline-demo-"));
try {
  const project = join(place, "project");
  cpSync(join(root, "examples/demo"), project, { recursive: true });
  const trace = join(place, "trace.jsonl");
  const args = [
    "--trust-project",
    "--verbose",
    "--trace",
    trace,
    "--trace-payloads",
    "--record=all",
    "--record-dir",
    join(place, "recordings"),
    "--script",
    "script.yaml",
    "-p",
    PROMPT,
  ];
  process.stdout.write(
    `Hooks of four agents act on one prompt. Each line below is a moment, who acted, and what they did.\nThe project is a copy of examples/demo. What runs in it:\n\n  hookline --trust-project --verbose --script script.yaml -p "${PROMPT}"\n\n`,
  );
  const code = await run(args, project, join(place, "home"));
  const lines = readFileSync(trace, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as TraceLine);
  const rows = summarize(lines);
  process.stdout.write(`\n${table(rows)}\n`);
  const missing = EXPECTED.filter(
    ([hook, effect]) => !rows.some((row) => row.hook.includes(hook) && row.effects.has(effect)),
  );
  const fixed = readFileSync(join(project, "src/sum.js"), "utf8").includes("a + b");
  for (const [hook, effect] of missing) process.stderr.write(`${hook} did not change ${effect}.\n`);
  if (!fixed) process.stderr.write("src/sum.js was not fixed.\n");
  keepRecording(join(place, "recordings"));
  const { page } = values;
  if (page !== undefined) await run(["inspect", RECORDING, "--export", resolve(page)], root, join(place, "home"));
  process.stdout.write(
    `\nSee it in your browser, moment by moment (Ctrl+C ends it):\n\n  npx hookline inspect ${RECORDING}\n`,
  );
  process.exitCode = code === 0 && missing.length === 0 && fixed ? 0 : 1;
} finally {
  rmSync(place, { recursive: true, force: true });
}

/** Keeps the recording for the inspector, because the project and its home folder are removed. */
function keepRecording(folder: string): void {
  const [name] = readdirSync(folder).filter((file) => file.endsWith(".jsonl"));
  if (name === undefined) throw new Error(`There is no recording in ${folder}.`);
  const kept = join(root, RECORDING);
  mkdirSync(join(kept, ".."), { recursive: true });
  copyFileSync(join(folder, name), kept);
}

function run(args: readonly string[], cwd: string, home: string): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(root, "packages/hookline/bin/hookline.js"), ...args], {
      cwd,
      stdio: ["ignore", "inherit", "pipe"],
      env: { ...process.env, HOME: home, HOOKLINE_HOME: join(home, ".hookline") },
    });
    // stderr is written to stdout too, so that the order of the lines is kept.
    child.stderr.on("data", (chunk: Buffer) => process.stdout.write(chunk));
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

function summarize(lines: readonly TraceLine[]): Row[] {
  const rows = new Map<string, Row>();
  for (const line of lines) {
    for (const hook of line.hooks) {
      if (hook.status === "skipped" || hook.status === "not-reached") continue;
      const name = hook.id.slice(hook.id.indexOf(":") + 1);
      const row = rows.get(hook.id) ?? {
        hook: `${basename(name.slice(0, name.indexOf("#")))}${name.slice(name.indexOf("#"))}`.replace("[0]", ""),
        dialect: hook.lane,
        runs: 0,
        effects: new Map(),
      };
      rows.set(hook.id, row);
      row.runs += 1;
      const answered = Object.keys((hook.answer ?? {}) as object).filter(
        (field) => field !== "action" && field !== "reason",
      );
      const edited = line.edits.filter((edit) => edit.hook === hook.id).map((edit) => edit.field);
      for (const effect of new Set([...answered, ...edited]))
        row.effects.set(effect, (row.effects.get(effect) ?? 0) + 1);
    }
  }
  return [...rows.values()];
}

function table(rows: readonly Row[]): string {
  const cells = [
    ["hook", "dialect", "times run", "changed"],
    ...rows.map((row) => [
      row.hook,
      row.dialect,
      String(row.runs),
      [...row.effects].map(([what, n]) => `${what} ×${n}`).join(", ") || "nothing",
    ]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => (row[column] as string).length)));
  return cells
    .map((row) => row.map((cell, column) => (column < 3 ? cell.padEnd(widths[column] as number) : cell)).join("  "))
    .join("\n");
}
