import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { transcripts } from "@hookline/integrations/transcripts";
import { recogniseSource } from "@hookline/runtime/replay";
import { afterAll, describe, expect, test } from "vitest";
import { peerFolder } from "../../../../bench/peer.ts";
import { startLoopback } from "../support/loopback.ts";
import { peer as omp } from "./omp/peer.ts";
import { peer as pi } from "./peer.ts";
import { hookline, MODEL, PROVIDER, type Program, realOmp, realPi } from "./programs.ts";

const top = mkdtempSync(join(tmpdir(), "hookline-written-"));
afterAll(() => rmSync(top, { recursive: true, force: true }));

const REPLIES = [
  {
    toolCalls: [
      { name: "bash", arguments: { command: "cat small.txt" } },
      { name: "read", arguments: { path: "small.txt" } },
    ],
  },
  { toolCalls: [{ name: "no_such_tool", arguments: { a: 1 } }] },
  { text: "done" },
  { text: "and again" },
];

/** Runs a program to its end in a home and a project of its own; gives the files that it wrote sessions to. */
async function written(
  name: string,
  files: Readonly<Record<string, string>>,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const home = join(top, name);
  const project = join(home, "project");
  for (const [path, text] of Object.entries({ "project/small.txt": "small\n", ...files })) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const dead = "http://127.0.0.1:9";
  const child = spawn(argv[0] as string, argv.slice(1), {
    cwd: project,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      TERM: "xterm",
      HTTP_PROXY: dead,
      HTTPS_PROXY: dead,
      NO_PROXY: "127.0.0.1",
      no_proxy: "127.0.0.1",
      ...env,
    },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect(code, said).toBe(0);
  const all = readdirSync(home, { recursive: true, encoding: "utf8" });
  return all.filter((path) => path.endsWith(".jsonl") && path.includes("sessions")).map((path) => join(home, path));
}

/** The moments by event, as hookline reads them. */
async function read(path: string): Promise<{ kind: string | undefined; counts: Record<string, number> }> {
  const source = recogniseSource(path, transcripts);
  const counts: Record<string, number> = {};
  for await (const { event, notAsked } of source?.reader.moments({ path, skip: () => {} }) ?? []) {
    const name = notAsked === undefined ? event : `${event} ${notAsked}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return { kind: source?.kind, counts };
}

/** The same counted by somebody else: grep over the lines of the file. */
function grepped(path: string, expression: string): number {
  const text = readFileSync(path, "utf8");
  return Number(
    execFileSync("sh", ["-c", `grep -oE '${expression}' | wc -l`], { input: text, encoding: "utf8" }).trim(),
  );
}

async function sessionOf(program: Program): Promise<string> {
  const server = await startLoopback(REPLIES);
  try {
    const model = {
      id: MODEL,
      name: MODEL,
      reasoning: false,
      input: ["text"],
      contextWindow: 100_000,
      maxTokens: 1000,
    };
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const provider = {
      baseUrl: `${server.url}/v1`,
      api: "openai-completions",
      apiKey: "k",
      models: [{ ...model, cost }],
    };
    const models = JSON.stringify({ providers: { [PROVIDER]: provider } });
    const argv = program.argv({ mode: "print", prompts: ["Look", "And again"], extensions: [], args: [] });
    const engine = program.engine ?? process.execPath;
    const path = `${program.settings}/${program.files?.models ?? "models.json"}`;
    const [file = ""] = await written(program.name, { [path]: models }, [engine, ...argv]);
    return file;
  } finally {
    await server.close();
  }
}

function describeProgram(name: string, absent: string | undefined, program: () => Program): void {
  test.skipIf(absent !== undefined)(`a session of ${name}${absent === undefined ? "" : ` (${absent})`}`, async () => {
    const path = await sessionOf(program());
    const { kind, counts } = await read(path);
    expect(kind).toBe(name);
    const calls = grepped(path, '"type":"toolCall","id"');
    const results = grepped(path, '"role":"toolResult"');
    const missing = grepped(path, '"text":"Tool no_such_tool not found"');
    expect({ calls, results, missing }).toEqual({ calls: 3, results: 3, missing: 1 });
    expect(counts).toEqual({
      "prompt.before": grepped(path, '"message":\\{"role":"user"'),
      "model.context": grepped(path, '"message":\\{"role":"assistant"'),
      "tool.before": calls - missing,
      "tool.before unknown-tool": missing,
      "tool.after": results - missing,
      "tool.after unknown-tool": missing,
    });
  });
}

describe("files that the programs write are read to the last moment", () => {
  describeProgram("hookline", undefined, () => hookline);
  describeProgram("pi", "absent" in pi ? pi.absent : undefined, () => realPi("folder" in pi ? pi.folder : ""));
  describeProgram("omp", "absent" in omp ? omp.absent : undefined, () => realOmp(omp as never));

  const codex = ((): { readonly path: string } | { readonly absent: string } => {
    try {
      return { path: join(peerFolder("@openai/codex", "0.169.0"), "bin/codex.js") };
    } catch (thrown) {
      return { absent: (thrown as Error).message };
    }
  })();

  test.skipIf("absent" in codex)(`a rollout of Codex${"absent" in codex ? ` (${codex.absent})` : ""}`, async () => {
    const server = await startLoopback([
      { toolCalls: [{ name: "exec_command", arguments: { cmd: "cat small.txt" } }] },
      { toolCalls: [{ name: "no_such_tool", arguments: { a: 1 } }] },
      { text: "done" },
    ]);
    try {
      const config = [
        'model = "m1"',
        'model_provider = "loop"',
        "check_for_update_on_startup = false",
        "[model_providers.loop]",
        'name = "loop"',
        `base_url = "${server.url}/v1"`,
        'wire_api = "responses"',
        'env_key = "LOOP_KEY"',
        "[analytics]",
        "enabled = false",
        "",
      ].join("\n");
      const argv = [process.execPath, "path" in codex ? codex.path : "", "exec", "--skip-git-repo-check"];
      const args = ["--sandbox", "danger-full-access", "Look at it"];
      const [path = ""] = await written("codex", { ".codex/config.toml": config }, [...argv, ...args], {
        LOOP_KEY: "k",
      });
      const { kind, counts } = await read(path);
      const missing = grepped(path, '"output":"unsupported call: no_such_tool"');
      const calls = grepped(path, '"type":"function_call",');
      expect({ kind, calls, missing }).toEqual({ kind: "codex", calls: 2, missing: 1 });
      expect(counts).toEqual({
        "prompt.before": grepped(path, '"item":\\{"type":"UserMessage"'),
        "tool.before": calls - missing,
        "tool.before unknown-tool": missing,
        "tool.after": grepped(path, '"type":"function_call_output"') - missing,
        "tool.after unknown-tool": missing,
      });
    } finally {
      await server.close();
    }
  });
});
