import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { storedIn } from "../../packages/fleet/src/audit/read.ts";
import { Verifier } from "../../packages/fleet/src/audit/verify.ts";
import { busOf } from "../../packages/fleet/src/link/bus.ts";
import { makeStream } from "../../packages/fleet/src/spool/make-stream.ts";
import { writerPlace, writersIn } from "../../packages/fleet/src/spool/place.ts";
import { ackedOf, SpoolReader } from "../../packages/fleet/src/spool/reader.ts";
import { recoverSpool } from "../../packages/fleet/src/spool/recover.ts";
import { shipWriter } from "../../packages/fleet/src/spool/ship.ts";
import { BareServer } from "../../packages/fleet/test/support/bare-server.ts";
import { CHILD_ENV } from "../../scripts/child-env.ts";
import { type Dice, mixedDice } from "../stage/dice.ts";
import { FLEET, KEY, late, MACHINE, spoolIn } from "./machine.ts";

const program = join(import.meta.dirname, "host.ts");

/** The outcome of one schedule of faults. */
export interface Ran {
  readonly problem: string | undefined;
  readonly batches: number;
  readonly decisions: number;
  readonly faults: readonly string[];
}

/** An agent, with the last decision of each writer that it has reported to be on disk. */
class Agent {
  readonly #child: ChildProcess;
  #out = "";

  constructor(options: object, wrapper: readonly string[]) {
    const args = [
      "--conditions=hookline-source",
      "--disable-warning=ExperimentalWarning",
      program,
      JSON.stringify(options),
    ];
    const [file = "", ...rest] = [...wrapper, process.execPath, ...args];
    this.#child = spawn(file, rest, { stdio: ["ignore", "pipe", "ignore"], env: CHILD_ENV });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#out += text;
    });
  }

  /** Resolves when the agent has reported something, or has ended. */
  async speaks(): Promise<void> {
    if (this.#out === "" && this.#child.exitCode === null)
      await Promise.race([once(this.#child.stdout as never, "data"), once(this.#child, "exit")]);
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await closed;
  }

  kept(): Map<string, number> {
    const lines = this.#out
      .slice(0, this.#out.lastIndexOf("\n") + 1)
      .split("\n")
      .filter(Boolean);
    return new Map(lines.map((line) => [line.split(" ")[0] as string, Number(line.split(" ")[1])]));
  }
}

/**
 * Causes faults in an order that the seed decides, then sends everything, and returns what is wrong with the stream.
 */
export async function runSchedule(seed: number): Promise<Ran> {
  const chance = mixedDice(seed);
  await using server = new BareServer();
  const folder = mkdtempSync(join(tmpdir(), "hookline-prove-audit-"));
  const agents: Agent[] = [];
  const faults: string[] = [];
  try {
    await server.start();
    const windowMs = 100 + chance.below(200);
    await prepare(server, windowMs);
    const start = async (): Promise<Agent> => {
      const isLimited = chance.chance(0.3);
      const bytes = 2000 + chance.below(30_000);
      if (isLimited) faults.push(`no file over ${bytes} bytes`);
      const share = chance.pick([0, 0, 0.2, 0.5]);
      const options = { folder, url: server.url, seed: chance.below(2 ** 31), share };
      const agent = new Agent(options, isLimited ? ["prlimit", `--fsize=${bytes}`] : []);
      agents.push(agent);
      await agent.speaks();
      return agent;
    };
    let agent = await start();
    for (let left = 2 + chance.below(4); left > 0; left--) {
      await sleep(chance.below(120));
      const fault = chance.pick(["agent killed", "server killed", "server away", "reconnect storm", "a second agent"]);
      faults.push(fault);
      if (fault === "agent killed") {
        await agent.kill();
        agent = await start();
      } else if (fault === "a second agent") await start();
      else await serverFault(fault, server, { chance, windowMs });
    }
    await sleep(chance.below(100));
    for (const one of agents) await one.kill();
    if (chance.chance(0.5)) await sleep(windowMs + 50);
    return { ...(await settled(server, { folder, agents, windowMs })), faults };
  } finally {
    for (const one of agents) await one.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function serverFault(
  fault: string,
  server: BareServer,
  { chance, windowMs }: { readonly chance: Dice; readonly windowMs: number },
): Promise<void> {
  const times = fault === "reconnect storm" ? 3 : 1;
  for (let i = 0; i < times; i++) {
    await server.kill();
    await sleep(fault === "server away" ? windowMs + chance.below(200) : chance.below(40));
    await server.start();
    if (i + 1 < times) await sleep(chance.below(60));
  }
}

async function prepare(server: BareServer, windowMs: number): Promise<void> {
  const connection = await server.connect();
  await makeStream(connection, { fleet: FLEET, windowMs });
  await connection.close();
}

/** Sends the rest of the spool, and compares the stream with the spool and with the decisions that agents reported. */
async function settled(
  server: BareServer,
  {
    folder,
    agents,
    windowMs,
  }: { readonly folder: string; readonly agents: readonly Agent[]; readonly windowMs: number },
) {
  const connection = await server.connect();
  const verifier = new Verifier(FLEET, () => KEY);
  const contents = new Map<string, Buffer[]>();
  const problems: string[] = [];
  try {
    const options = spoolIn(folder);
    recoverSpool(options);
    const bus = await busOf(connection, 2000);
    for (const writer of writersIn(folder)) {
      const reader = new SpoolReader(writerPlace(folder, writer));
      const acked = ackedOf(reader.place).at(-1)?.n ?? 0;
      const to = { fleet: FLEET, machine: MACHINE, token: options.token, clock: options.clock };
      const [sent] = await Promise.all([
        shipWriter(reader, { ...to, bus }),
        shipWriter(new SpoolReader(reader.place), { ...to, bus: late(bus, windowMs) }),
      ]);
      if (sent.problem !== undefined) problems.push(`what is left of ${writer} cannot be sent: ${sent.problem}`);
      if (sent.acked !== sent.sealed || sent.acked < acked)
        problems.push(
          `of ${writer}, ${sent.acked} of ${sent.sealed} batches are in the stream, ${acked} were acknowledged`,
        );
    }
    for await (const stored of storedIn(bus, FLEET)) {
      const batch = verifier.take(stored);
      if (batch !== undefined)
        contents.set(batch.seal.writer, [...(contents.get(batch.seal.writer) ?? []), batch.content]);
    }
  } finally {
    await connection.close();
  }
  problems.push(...verifier.faults.map(({ kind, message }) => `${kind}: ${message}`));
  const texts = new Map([...contents].map(([writer, parts]) => [writer, Buffer.concat(parts).toString()]));
  for (const writer of writersIn(folder)) {
    const recorded = readFileSync(writerPlace(folder, writer).recording, "utf8");
    if ((texts.get(writer) ?? "") !== recorded.slice(0, recorded.lastIndexOf("\n") + 1))
      problems.push(`what the stream has of ${writer} is not what it recorded`);
  }
  for (const [writer, n] of agents.flatMap((agent) => [...agent.kept()]))
    if (!(texts.get(writer) ?? "").includes(`"writer":"${writer}","n":${n},`))
      problems.push(`decision ${n} of ${writer} was on disk, and is not in the stream`);
  const decisions = [...texts.values()].reduce((sum, text) => sum + text.split("\n").length - 1, 0);
  return { problem: problems[0], batches: verifier.batches, decisions };
}
