import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Message, TrustStore } from "@hookline/runtime";
import { openSession } from "../packages/hookline/src/session/session.ts";
import { assistant } from "../packages/hookline/test/session/talk.ts";
import { Place } from "./agent/program.ts";
import type { Claim } from "./claim.ts";
import { afterCut, type Files } from "./power-cut/disk.ts";
import { type Op, record } from "./power-cut/record.ts";
import { wholeLines } from "./sessions/sample.ts";
import { SCRIPT, toldMessages } from "./sessions/scripted.ts";
import { type Dice, dice } from "./stage/dice.ts";
import { type Experiment, findingOf, type Tally } from "./stage/experiment.ts";
import { folder, works } from "./stage/ground.ts";
import { newSeed } from "./stage/seed.ts";

const SESSION = "home/session.jsonl";
const STORE = "home/.hookline/trust.json";

/** A recorded run: the files before it, its operations, and a check that must succeed wherever the power is cut. */
interface Recorded {
  readonly before: Files;
  readonly ops: readonly Op[];
  /** Returns the fault of the disk at `top` after the first operations of the run. */
  problem(top: string, done: readonly Op[]): string | undefined;
}

/** Records a session: a new or a continued one, synced at each turn or with each entry. */
async function session(durability: "turn" | "entry", isNew: boolean): Promise<Recorded> {
  using place = new Place();
  place.write("~/.hookline/settings.json", JSON.stringify({ durability }));
  place.write("script.json", SCRIPT);
  const args = ["--script", "script.json", "--session", join(place.top, SESSION), "--mode", "json", "go"];
  if (!isNew) await record(place, args);
  const before = filesOf(place.top);
  const earlier = messagesIn(before.get(SESSION)?.toString() ?? "");
  const ops = (await record(place, args)).map((op) => below(op, place.top));
  return {
    before,
    ops,
    problem: (top, done) => lost(join(top, SESSION), [...earlier, ...durableIn(done, durability)]),
  };
}

/** Records an approval: the first in a home folder, or one beside others. */
async function approval(isFirst: boolean): Promise<Recorded> {
  using place = new Place();
  place.write(".jcli/hooks.yaml", "stop:\n  - command: cat\n");
  if (!isFirst) await record(place, ["trust", "approve", "--yes"]);
  place.write(".jcli/hooks.yaml", "stop:\n  - command: cat\n  - command: true\n");
  const before = filesOf(place.top);
  const ops = (await record(place, ["trust", "approve", "--yes"])).map((op) => below(op, place.top));
  const states = [before.get(STORE)?.toString(), readFileSync(join(place.top, STORE), "utf8")];
  return {
    before,
    ops,
    problem(top) {
      const path = join(top, STORE);
      const now = existsSync(path) ? readFileSync(path, "utf8") : undefined;
      if (!states.includes(now)) return `the trust store holds ${JSON.stringify(now?.slice(0, 40))}`;
      return new TrustStore(dirname(path)).problem?.problem;
    },
  };
}

/**
 * Returns the messages that must survive: those of the turns before the last tool call; after the end of the run, all;
 * and if each entry is synced, all that were reported.
 */
function durableIn(done: readonly Op[], durability: "turn" | "entry"): readonly Message[] {
  const told = done.map((op) => (op.kind === "tell" ? op.text : "")).join("");
  const call = told.lastIndexOf('\n{"type":"tool_execution_start"');
  const turn = told.slice(0, Math.max(call, 0)).lastIndexOf('\n{"type":"turn_end"');
  const isOver = durability === "entry" || told.includes('\n{"type":"agent_settled"');
  const messages = toldMessages(isOver ? told : told.slice(0, turn + 1));
  // A session is only stored once it has a reply.
  return messages.some(({ role }) => role === "assistant") ? messages : [];
}

/** Returns the fault of a session that must hold these messages, when it is opened and continued. */
function lost(path: string, wanted: readonly Message[]): string | undefined {
  if (!existsSync(path)) return wanted.length === 0 ? undefined : "there is no session file";
  const lacks = (text: string): string | undefined => {
    const kept = messagesIn(text).map((message) => JSON.stringify(message));
    const at = wanted.findIndex((message) => !kept.includes(JSON.stringify(message)));
    return at === -1 ? undefined : `message ${at + 1} of ${wanted.length} that were synced is lost`;
  };
  const problem = lacks(readFileSync(path, "utf8"));
  if (problem !== undefined) return problem;
  const opened = openSession({ kind: "file", path }, { cwd: "/project" });
  if (opened.state !== "open") return wanted.length === 0 ? undefined : `it does not open again: ${opened.state}`;
  opened.session.appendMessage(assistant("after the cut"));
  opened.session.close();
  const after = readFileSync(path, "utf8");
  if (!after.endsWith("\n") || !messagesIn(after).some((message) => JSON.stringify(message).includes("after the cut")))
    return "what was written after the cut is not a line of its own";
  return lacks(after);
}

function messagesIn(text: string): Message[] {
  return wholeLines(text).flatMap((line) => (JSON.parse(line) as { readonly message?: Message }).message ?? []);
}

/** Returns every file in a folder, by relative path. */
function filesOf(top: string): Files {
  const names = readdirSync(top, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => name !== "calls.txt" && statSync(join(top, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(top, name))]));
}

function below(op: Op, top: string): Op {
  if (op.kind === "tell") return op;
  const short = (path: string): string => path.slice(top.length + 1);
  return { ...op, path: short(op.path), ...("to" in op && { to: short(op.to) }) };
}

/** Matches reports that the agent makes only after syncing the turn. */
const WAITS = /"type":"(?:tool_execution_start|agent_settled)"/;

const RUNS: Readonly<Record<string, () => Promise<Recorded>>> = {
  "a new session": () => session("turn", true),
  "a session that is gone on with": () => session("turn", false),
  "a session with every entry synced": () => session("entry", true),
  "the first approval": () => approval(true),
  "another approval": () => approval(false),
};

/** Cuts the power after an operation of a run, and checks what is left. */
function cut({ before, ops, problem }: Recorded, at: number, chance: Dice): string | undefined {
  using disk = folder();
  const done = ops.slice(0, at);
  for (const [path, bytes] of afterCut(before, done, chance)) {
    const full = join(disk.path, path);
    mkdirSync(dirname(full), { recursive: true, mode: 0o700 });
    writeFileSync(full, bytes, { mode: 0o600 });
  }
  return problem(disk.path, done);
}

async function cuts(tally: Tally, full: boolean): Promise<void> {
  if (!works("strace", "-V")) {
    tally.skip("strace is not installed");
    return;
  }
  const seed = newSeed();
  const chance = dice(seed);
  for (const [name, run] of Object.entries(RUNS)) {
    const recorded = await run();
    const { ops } = recorded;
    // Cuts come after every operation except reports without a sync. That includes the moments between a write and the
    // end of its sync, and just after a tool call or the end was reported.
    const changing = ops.flatMap((op, at) => (op.kind === "tell" && !WAITS.test(op.text) ? [] : [at + 1]));
    for (let n = 0; n < (full ? 1000 : 60); n++) {
      // First after every operation in turn, then at random with different surviving bytes.
      const at = changing[n] ?? chance.below(ops.length + 1);
      const problem = cut(recorded, at, chance);
      tally.trial(problem && `${name}, cut after ${at} of ${ops.length} operations: ${problem}`);
    }
  }
  tally.figure(`${Object.keys(RUNS).length} runs, recorded by strace; seed ${seed}`);
}

const everyRun: Experiment = { id: "R52", run: (tally, { full }) => cuts(tally, full) };

export const claim: Claim = {
  name: "power-cut",
  says: "what was synced survives a power cut, in a session that opens again, and no approval is ever half written (R52)",
  run: (size) => findingOf([everyRun], size),
};
