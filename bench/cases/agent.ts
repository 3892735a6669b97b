import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { type BenchCase, type Measured, median, type Subjects, timed } from "../case.ts";
import { peerFolder } from "../peer.ts";
import {
  type AgentName,
  type AgentRun,
  type Ground,
  type GroundOptions,
  newHomes,
  openGround,
} from "../programs/agents.ts";
import { installedBin } from "../programs/installed.ts";
import { NO_NETWORK, PEER_AGENTS, type PeerAgent } from "../programs/peer-agents.ts";

const PI = { name: "@earendil-works/pi-coding-agent", version: "0.87.1" };
const PEER = `pi ${PI.version}`;

/** Another agent, with the bound of our time divided by its. */
type BoundAgent = PeerAgent & { readonly budget?: number };

/** The most of pi's peak memory that ours may be. */
const MEMORY_TO_PI = 0.5;

/** Runs the agents with the same project, home folder and model, and records the peak memory of each. */
export async function subjects(
  options: GroundOptions,
  turns: number,
  took: (run: AgentRun) => number,
  { toPi, others = [] }: { readonly toPi?: number; readonly others?: readonly BoundAgent[] } = {},
): Promise<Subjects> {
  const ground: Ground = await openGround(options);
  const peaks: Record<string, number> = {};
  const of =
    (agent: AgentName | PeerAgent, name: string): Measured =>
    async (n) => {
      const run = await ground.run(agent, turns);
      if (run.rss !== undefined) peaks[name] = Math.max(run.rss, peaks[name] ?? 0);
      return took(run) * n;
    };
  return {
    ours: of("hookline", "ours"),
    peers: [
      { name: PEER, measured: of("pi", PEER), ...(toPi !== undefined && { budget: toPi, memory: MEMORY_TO_PI }) },
      ...others.map(({ budget, ...agent }) => ({
        name: agent.name,
        measured: of(agent, agent.name),
        ...(budget !== undefined && { budget }),
      })),
    ],
    floor: of("bare", "floor"),
    rss: () => peaks,
    close: () => ground.close(),
  };
}

/** Options for a call that writes a file and arrives one token (four characters) at a time. */
const written = (characters: number): GroundOptions => ({ writes: { characters, pieces: 4 } });

/** Measures a call that arrives in pieces; the floor receives the same number of pieces of text, then a call. */
async function inPieces(characters: number): Promise<Subjects> {
  const whole = (run: AgentRun): number => run.whole;
  const pieces = await subjects(written(characters), 1, whole);
  const text = await subjects({ tokens: characters / 4 }, 1, whole);
  return {
    ours: pieces.ours,
    floor: text.ours,
    async close() {
      for (const each of [pieces, text]) await each.close?.();
    },
  };
}

/** The number of measured turns in a run. */
export const TURNS = 40;
const TOKENS = 20_000;

/** Returns the median turn of a run without its first quarter, in which code is still being compiled. */
export const steady = ({ turns }: AgentRun): number => median(turns.slice(turns.length >> 2));

/** The agents besides pi, of which one must not be quicker. */
function aheadOf(name: string): readonly BoundAgent[] {
  return PEER_AGENTS.map((agent) => (agent.name.startsWith(name) ? { ...agent, budget: 1 } : agent));
}

export const cases: readonly BenchCase[] = [
  {
    name: "launch",
    unit: "launch to the first request",
    budget: { maxRss: 120e6 },
    n: 1,
    rounds: 9,
    open: () => subjects({}, 0, ({ launch }) => launch, { toPi: 0.25, others: aheadOf("codex") }),
  },
  {
    name: "launch-50-hooks",
    unit: "launch to the first request",
    // The goal is at most 15 ms more than the case without hooks.
    budget: {},
    n: 1,
    rounds: 11,
    open: () => subjects({ hooks: 50 }, 0, ({ launch }) => launch, { toPi: 0.35 }),
  },
  {
    name: "launch-version",
    unit: "--version",
    budget: { toFloor: 1.36 },
    n: 1,
    rounds: 9,
    async open() {
      const bin = await installedBin();
      const pi = `${peerFolder(PI.name, PI.version)}/dist/cli.js`;
      const home = newHomes();
      const env = { ...process.env, ...NO_NETWORK, HOME: home };
      const run = (...[file = "", ...args]: readonly string[]) =>
        timed((n) => {
          for (let i = 0; i < n; i++) execFileSync(file, args, { stdio: "ignore", env });
        });
      const { execPath } = process;
      return {
        ours: run(execPath, bin, "--version"),
        peers: [
          { name: PEER, measured: run(execPath, pi, "--version"), budget: 0.15 },
          ...PEER_AGENTS.map((agent) => ({ name: agent.name, measured: run(...agent.command(), "--version") })),
        ],
        floor: run(execPath, "-e", "0"),
        close: async () => rmSync(home, { recursive: true, force: true }),
      };
    },
  },
  {
    name: "turn",
    unit: "end of a reply to the next request",
    budget: {},
    n: 1,
    rounds: 9,
    open: () => subjects({}, TURNS, steady, { toPi: 0.75, others: PEER_AGENTS }),
  },
  {
    name: "turn-1000-messages",
    unit: "end of a reply to the next request",
    budget: {},
    n: 1,
    rounds: 7,
    open: () => subjects({ messages: 1000, bytes: 3_000_000 }, TURNS / 2, steady, { toPi: 0.3 }),
  },
  {
    name: "turn-10000-messages",
    unit: "end of a reply to the next request",
    budget: {},
    n: 1,
    rounds: 5,
    open: () => subjects({ messages: 10_000, bytes: 27_000_000 }, TURNS / 4, steady, { toPi: 0.3 }),
  },
  {
    name: "stream",
    unit: `turn with ${TOKENS} tokens, nobody listening`,
    budget: {},
    n: 1,
    rounds: 7,
    open: () => subjects({ tokens: TOKENS }, 1, ({ whole }) => whole, { toPi: 1 }),
  },
  {
    name: "arguments-200k",
    unit: "turn with arguments of 200 KB in pieces of four characters; the floor: the same number of pieces of text",
    budget: { toFloor: 2 },
    n: 1,
    rounds: 7,
    open: () => inPieces(200_000),
  },
  {
    name: "arguments-50k",
    unit: "turn with arguments of 50 KB in pieces of four characters",
    budget: {},
    n: 1,
    rounds: 3,
    open: () => subjects(written(50_000), 1, ({ whole }) => whole, { toPi: 0.01 }),
  },
];
