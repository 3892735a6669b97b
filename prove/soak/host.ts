// Runs many agents in one process until the time is up, and prints measurements as JSON lines.
import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { textOf } from "@hookline/runtime";
import { loadSession } from "../../packages/hookline/src/session/load.ts";
import { readArguments } from "../../packages/hookline/src/start/args.ts";
import { type Assembled, assemble } from "../../packages/hookline/src/start/assemble.ts";
import type { SoakOrder } from "./place.ts";

const order = JSON.parse(process.argv[2] ?? "{}") as SoakOrder;
const { home, project, sessions, seconds, restMs, sampleMs } = order;
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const WRONG = ["throws", "rejects", "never settles", "throws late", "answers junk"];
let inProcess = 0;
/** Returns what the next in-process hook does wrong; nothing in 99 of 100 cases. */
const dice = (ways: readonly string[] = WRONG): string | undefined => {
  if (Math.random() >= 0.01) return undefined;
  inProcess += 1;
  return ways[Math.floor(Math.random() * ways.length)];
};
Object.assign(globalThis, { soakDice: dice });

const env = { HOME: home, HOOKLINE_HOME: `${home}/.hookline`, PATH: process.env["PATH"] };
const io = {
  env,
  cwd: project,
  stdinIsTerminal: false,
  stdoutIsTerminal: false,
  out: () => {},
  err: () => {},
  readStdin: async () => "",
};
const tally = { prompts: 0, answered: 0, reloads: 0, switches: 0, files: 0, kept: 0, outages: 0, notices: 0 };
const lost: string[] = [];
let ended = false;

/** One agent: what it has reported as stored, and whether its file can currently be written. */
class Worker {
  readonly #assembled: Assembled;
  /** Texts of the session's messages, in the order in which they were reported. */
  #told: string[] = [];
  #failing = false;

  constructor(assembled: Assembled) {
    this.#assembled = assembled;
    assembled.agent.listen((event) => {
      if (event.type === "message_end") this.#told.push(textOf((event.message as { content: string }).content));
      if (event.type !== "notice") return;
      tally.notices += 1;
      if (event.text.includes("could not be")) {
        this.#failing = true;
        tally.outages += 1;
      } else if (event.text.includes("can be written again")) this.#failing = false;
    });
  }

  async run(): Promise<void> {
    const { agent } = this.#assembled;
    for (let turn = 1; !ended; turn++) {
      tally.prompts += 1;
      const result = await agent.prompt(`prompt ${turn}`);
      if (result.kind === "answered") tally.answered += 1;
      await agent.waitForIdle();
      if (turn % 7 === 0) {
        await agent.prompt("/reload");
        tally.reloads += 1;
      }
      // A session that is closed while the disk is full cannot be written any more.
      if (turn % 12 === 0 && !this.#failing) {
        await this.#check();
        await agent.prompt("/new");
        this.#told = [];
        tally.switches += 1;
      }
      for (let rest = restMs * (0.5 + Math.random()); rest > 0 && !ended; rest -= 500) await sleep(Math.min(500, rest));
    }
  }

  async close(): Promise<void> {
    await this.#check();
    await this.#assembled.close();
  }

  /** Checks that every reported message is in the file, in order. */
  async #check(): Promise<void> {
    const { store } = this.#assembled.agent.core;
    const path = store.getSessionFile();
    if (!(await store.flush())) lost.push(`${path} could not be written at its end`);
    if (path === undefined || this.#told.length === 0) return;
    const loaded = loadSession(path);
    if (loaded.state !== "session") {
      lost.push(`${path} is no session`);
      return;
    }
    tally.files += 1;
    const { badLines, torn, headerMissing } = loaded.damage;
    if (badLines > 0 || torn || headerMissing) lost.push(`${path} is damaged`);
    let at = 0;
    const stored = store.getEntries().flatMap((entry) => (entry.type === "message" ? [textOf(contentOf(entry))] : []));
    for (const text of this.#told) {
      at = stored.indexOf(text, at) + 1;
      if (at === 0) {
        lost.push(`${path} lacks what was told`);
        return;
      }
      tally.kept += 1;
    }
  }
}

function contentOf(entry: { readonly message: unknown }): string {
  return (entry.message as { content: string }).content;
}

function sample(): void {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const fds = readdirSync("/proc/self/fd").length;
  say({ sample: { ms: Math.round(performance.now()), wall: Date.now(), rss, heapUsed, fds, inProcess, ...tally } });
}

const workers: Worker[] = [];
for (let index = 0; index < sessions; index++) {
  const args = readArguments(["--model", "loop/model", "--trust-project"]);
  workers.push(new Worker(await assemble(args, io, { mode: "print", ui: undefined, onDiagnostic: () => {} })));
}
const sampling = setInterval(sample, sampleMs);
setTimeout(() => (ended = true), seconds * 1000);
sample();
await Promise.all(workers.map((worker) => worker.run()));
clearInterval(sampling);
sample();
for (const worker of workers) await worker.close();
say({ end: { lost, inProcess, ...tally } });
process.exit(0);
