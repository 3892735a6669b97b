import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../../scripts/step.ts";
import { peerFolder } from "../peer.ts";
import { installedBin } from "./installed.ts";
import { NO_NETWORK, type PeerAgent } from "./peer-agents.ts";
import { startTimedProvider } from "./provider.ts";
import type { ToolCall } from "./wires.ts";

/** The times of one run of an agent, in nanoseconds. */
export interface AgentRun {
  /** Time from the agent's start to its first request. */
  readonly launch: number;
  /** Times from the end of each reply with a tool call to the next request, in order. */
  readonly turns: readonly number[];
  /** Time from the agent's first request to its second: a whole turn, including the reply. */
  readonly whole: number;
  /** From the end of its last reply to its exit. */
  readonly end: number;
  /** Peak memory of any of the agent's processes until its first request, in bytes; absent if the system hides it. */
  readonly rss?: number;
}

/** One project and home folder in which all agents run, with their provider. */
export interface Ground {
  /** Runs an agent; `more` are further environment variables. */
  run(agent: AgentName | PeerAgent, turns: number, more?: Readonly<Record<string, string>>): Promise<AgentRun>;
  readonly project: string;
  close(): Promise<void>;
}

/** Agents that use chat completions and read the same files in one home folder. */
export type AgentName = "hookline" | "pi" | "bare";

export interface GroundOptions {
  /** Prepares the folders before the first run, with the command line as installed. */
  prepare?(folders: { readonly home: string; readonly project: string; readonly bin: string }): void;
  /** Number of extensions in the home folder, where pi and hookline both find them. */
  readonly hooks?: number;
  /** Returns the source of an extension; by default, each has two handlers that answer nothing. */
  readonly extension?: (i: number) => string;
  /** Number of messages that the session already has, and their total size. */
  readonly messages?: number;
  readonly bytes?: number;
  /** Number of pieces of text at the start of each reply that calls a tool. */
  readonly tokens?: number;
  /**
   * Makes the model write a file of this many characters instead of reading one. The call arrives `pieces` characters
   * at a time.
   */
  readonly writes?: { readonly characters: number; readonly pieces?: number };
}

/** codex does less at its start if its home folder is in the system's temporary folder. */
const HOMES = join(root, ".cache/bench/homes");

const MODEL = "m1";
const PI = "@earendil-works/pi-coding-agent";

export async function openGround(options: GroundOptions = {}): Promise<Ground> {
  // On a real disk, so that a sync costs as much as for users.
  const top = newHomes();
  const home = join(top, "home");
  const project = join(top, "project");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "small.txt"), "a small file\n");
  const provider = await startTimedProvider();
  const models = [{ id: MODEL }];
  const about = { baseUrl: provider.url, api: "openai-completions", apiKey: "k", models };
  for (const folder of [".pi/agent", ".hookline"]) {
    mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(join(home, folder, "models.json"), JSON.stringify({ providers: { loop: about } }));
    writeFileSync(join(home, folder, "settings.json"), "{}");
  }
  const extensions = join(home, ".pi/agent/extensions");
  mkdirSync(extensions, { recursive: true });
  for (let i = 0; i < (options.hooks ?? 0); i++)
    writeFileSync(join(extensions, `hook-${i}.ts`), (options.extension ?? smallExtension)(i));
  const history = options.messages === undefined ? undefined : writeHistory(top, project, options);
  const bin = { hookline: await installedBin(), pi: join(peerFolder(PI, "0.87.1"), "dist/cli.js") };
  options.prepare?.({ home, project, bin: bin.hookline });
  let runs = 0;
  const settled = new Set<PeerAgent>();

  function own(agent: AgentName): Start {
    const { writes } = options;
    const call =
      writes === undefined
        ? { tool: "read", args: { path: "small.txt" } }
        : { tool: "write", args: { path: "long.txt", content: "a line of text\n".repeat(writes.characters / 15) } };
    const env = { HOME: home, PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" };
    if (agent === "bare") {
      const script = join(import.meta.dirname, "bare-agent.js");
      const talk = history === undefined ? [] : [history.chat];
      return { argv: [process.execPath, script, provider.url, "Read it", ...talk], env, call };
    }
    const session = history === undefined ? [] : ["--session", join(top, `${agent}-${runs++}.jsonl`)];
    if (history !== undefined) copyFileSync(history.session, session[1] as string);
    const model = agent === "pi" ? ["--provider", "loop", "--model", MODEL] : ["--model", `loop/${MODEL}`];
    return { argv: [process.execPath, bin[agent], ...model, ...session, "-p", "Read it"], env, call };
  }

  function other(agent: PeerAgent): Start {
    const place = join(top, agent.name.replace(" ", "-"));
    if (!settled.has(agent)) {
      settled.add(agent);
      for (const [path, text] of Object.entries(agent.files(provider.url))) {
        mkdirSync(dirname(join(place, path)), { recursive: true });
        writeFileSync(join(place, path), text);
      }
    }
    const env = { HOME: place, ...NO_NETWORK, ...agent.env(provider.url) };
    return { argv: [...agent.command(), ...agent.args, "Read it"], env, call: agent.call };
  }

  return {
    project,
    async run(agent, turns, more) {
      const { argv, env, call } = typeof agent === "string" ? own(agent) : other(agent);
      const name = typeof agent === "string" ? agent : agent.name;
      let rss: number | undefined;
      const times = provider.expect({
        turns,
        call,
        first: () => {
          rss = peakOf(child.pid);
        },
        ...(options.tokens !== undefined && { tokens: options.tokens }),
        ...(options.writes?.pieces !== undefined && { pieces: options.writes.pieces }),
      });
      const started = process.hrtime.bigint();
      const child = spawn(argv[0] as string, argv.slice(1), {
        cwd: project,
        env: { PATH: process.env["PATH"], ...env, ...more },
        stdio: ["ignore", "ignore", "pipe"],
      });
      const stderr: Buffer[] = [];
      child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
      const done = await Promise.race([times, ended]);
      if (typeof done !== "object" || done === null)
        throw new Error(`${name} ended with ${done}: ${Buffer.concat(stderr).toString("utf8").slice(0, 2000)}`);
      await ended;
      const end = process.hrtime.bigint();
      const { arrivals, ends } = done;
      return {
        launch: Number((arrivals[0] as bigint) - started),
        whole: Number((arrivals[1] ?? 0n) - (arrivals[0] as bigint)),
        turns: arrivals.slice(1).map((arrival, i) => Number(arrival - (ends[i] as bigint))),
        end: Number(end - (ends.at(-1) ?? end)),
        ...(rss !== undefined && { rss }),
      };
    },
    async close() {
      await provider.close();
      rmSync(top, { recursive: true, force: true });
    },
  };
}

/** The command that starts an agent, and the tool call that its model makes. */
interface Start {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly call: ToolCall;
}

/** Creates an empty folder for home folders. */
export function newHomes(): string {
  mkdirSync(HOMES, { recursive: true });
  return mkdtempSync(join(HOMES, "bench-"));
}

/**
 * Returns a small extension with the two features that such a file usually has: a type import, and a handler or two.
 */
export function smallExtension(i: number): string {
  return `import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

interface Seen { readonly count: number }

export default function hook${i}(pi: ExtensionAPI) {
  let seen: Seen = { count: 0 };
  pi.on("turn_start", async () => {
    seen = { count: seen.count + 1 };
  });
  pi.on("tool_call", async (event) => (event.toolName === "never-${i}" ? { block: true } : undefined));
}
`;
}

/** Writes the same conversation as a session file and as chat messages. */
function writeHistory(top: string, cwd: string, { messages = 0, bytes = 0 }: GroundOptions) {
  const text = "lorem ipsum ".repeat(Math.ceil(bytes / messages / 12)).slice(0, Math.floor(bytes / messages));
  const chat: object[] = [];
  const lines: object[] = [
    { type: "session", version: 3, id: "bench-session", timestamp: "2026-01-01T00:00:00.000Z", cwd },
  ];
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost };
  for (let i = 0; i < messages; i++) {
    const timestamp = 1_767_225_600_000 + i;
    const content = [{ type: "text", text: `${i} ${text}` }];
    const message =
      i % 2 === 0
        ? { role: "user", content, timestamp }
        : {
            role: "assistant",
            content,
            api: "openai-completions",
            provider: "loop",
            model: MODEL,
            usage,
            stopReason: "stop",
            timestamp,
          };
    const id = i.toString(16).padStart(8, "0");
    const parentId = i === 0 ? null : (i - 1).toString(16).padStart(8, "0");
    lines.push({ type: "message", id, parentId, timestamp: new Date(timestamp).toISOString(), message });
    chat.push({ role: message.role, content: content[0]?.text });
  }
  const session = join(top, "history.jsonl");
  const path = join(top, "history.json");
  writeFileSync(session, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  writeFileSync(path, JSON.stringify(chat));
  return { session, chat: path };
}

/**
 * Returns the peak memory of a process or of one that it has started, whichever is larger: some agents start as a small
 * wrapper process.
 */
export function peakOf(pid: number | undefined): number | undefined {
  try {
    const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    if (kib === undefined) return undefined;
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean),
    );
    return Math.max(Number(kib) * 1024, ...children.map((child) => peakOf(Number(child)) ?? 0));
  } catch {
    return undefined;
  }
}
