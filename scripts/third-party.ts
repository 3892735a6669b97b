import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { parse } from "yaml";
import { peerFolder } from "../bench/peer.ts";
import { buildAgent, buildRuntime } from "./build.ts";
import { commandLine } from "./command-line.ts";
import { root } from "./step.ts";
import { type Listed, type Outcome, type Package, page } from "./third-party/page.ts";

/** The line that all of them are asked with; the model is a script. */
const PROMPTS = ["Say hello", "Once more"];
const SCRIPT = `replies:
  - text: "Let me look."
    toolCalls: [{ name: bash, arguments: { command: "echo hello" } }, { name: read, arguments: { path: "notes.txt" } }]
  - text: "Done."
    repeat: true
`;
const LIMIT_MS = 60_000;
const PAGE = "docs/reference/third-party.md";

const { values } = commandLine({
  name: "third-party",
  says: "Runs what other people have published, fetched by name and version.",
  options: {
    write: { type: "boolean", says: `writes ${PAGE}` },
    json: { type: "boolean", says: "the result as JSON" },
  },
});
await Promise.all([buildRuntime(), buildAgent()]);
const { packages } = parse(readFileSync(join(root, "third-party/list.yaml"), "utf8")) as {
  readonly packages: readonly Package[];
};
const alone = (await run(["unshare", "-n", "true"], tmpdir(), {})).code === 0;
const outcomes: Outcome[] = [];
for (const one of packages) {
  const folder = peerFolder(one.name, one.version);
  for (const listed of one.extensions) outcomes.push(await exercise(one, listed, folder));
}
const wrong = outcomes.filter(({ asListed }) => !asListed);
if (values.write) writeFileSync(join(root, PAGE), page(packages, outcomes));
if (values.json) process.stdout.write(`${JSON.stringify({ outcomes, wrong: wrong.length })}\n`);
else {
  for (const { path, state, heard, failed, asListed, problem = "" } of outcomes)
    process.stdout.write(
      `${asListed ? "ok    " : "FAILED"}  ${path.padEnd(52)} ${state.padEnd(8)} ${String(heard).padStart(3)} asked ${String(failed).padStart(2)} failed  ${problem}\n`,
    );
  process.stdout.write(`${outcomes.length - wrong.length} as listed, ${wrong.length} not\n`);
}
process.exitCode = wrong.length === 0 ? 0 : 1;

/** Loads one extension as it was published and takes it through two prompts, in a home of its own. */
async function exercise({ name }: Package, listed: Listed, folder: string): Promise<Outcome> {
  const home = mkdtempSync(join(tmpdir(), "hookline-third-"));
  try {
    const project = join(home, "project");
    mkdirSync(project);
    writeFileSync(join(project, "notes.txt"), "rivers\n");
    writeFileSync(join(home, "script.yaml"), SCRIPT);
    const path = join(folder, listed.path);
    const report = await hookline(["hooks", "list", "--json", "-e", path], project, home);
    const source = sourceOf(report.out, path);
    const trace = join(home, "trace.jsonl");
    const script = join(home, "script.yaml");
    const ran = await hookline(["--script", script, "-e", path, "--trace", trace, "-p", ...PROMPTS], project, home);
    const asked = asksIn(trace, path);
    const failed = asked.filter((status) => status === "failed" || status === "timed-out").length;
    const state = source?.state ?? "not found";
    const answered = ran.code === 0 && ran.out.includes("Done.");
    const problem =
      state !== "runs"
        ? source?.reason
        : !answered
          ? `the run ended with ${ran.code}: ${lastLine(ran.err)}`
          : undefined;
    const runs = state === "runs" && answered && failed === 0;
    return {
      package: name,
      path: listed.path,
      dialect: source?.lane ?? "",
      state,
      events: source?.events ?? [],
      heard: asked.length,
      failed,
      asListed: (listed.why === undefined) === runs,
      ...(problem !== undefined && { problem }),
      ...(listed.why !== undefined && { why: listed.why }),
    };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

interface Source {
  readonly lane: string;
  readonly path: string;
  readonly state: string;
  readonly reason?: string;
  readonly events: readonly string[];
}

function sourceOf(json: string, path: string): Source | undefined {
  try {
    const { sources } = JSON.parse(json) as { readonly sources: readonly Source[] };
    return sources.find((source) => source.path === path || source.path.startsWith(`${path}/`));
  } catch {
    return undefined;
  }
}

/** How each asking of the extension's hooks ended. */
function asksIn(trace: string, path: string): string[] {
  let text = "";
  try {
    text = readFileSync(trace, "utf8");
  } catch {
    return [];
  }
  return text
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => (JSON.parse(line) as { readonly hooks: readonly { id: string; status: string }[] }).hooks)
    .flatMap(({ id, status }) => (id.includes(path) && status !== "not-reached" ? [status] : []));
}

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Somebody else's code: without a network where that can be had, and with nothing of this machine's environment. */
function hookline(args: readonly string[], cwd: string, home: string): Promise<Ran> {
  const command = [process.execPath, join(root, "packages/hookline/bin/hookline.js"), ...args];
  return run(alone ? ["unshare", "-n", ...command] : command, cwd, {
    HOME: home,
    GIT_CEILING_DIRECTORIES: dirname(home),
  });
}

function run(command: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  const [program = "", ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: LIMIT_MS,
      env: { PATH: process.env["PATH"] ?? "", ...env },
    });
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
    child.on("error", (error) => resolve({ code: null, out, err: `${basename(program)}: ${error.message}` }));
    child.on("close", (code) => resolve({ code, out, err }));
  });
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
}
