import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { SessionManager } from "../packages/hookline/src/session/session.ts";
import { assistant } from "../packages/hookline/test/session/talk.ts";
import { CHILD_ENV } from "../scripts/child-env.ts";
import { builtProgram, Place, runAgent } from "./agent/program.ts";
import type { Claim } from "./claim.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";

const MASKS = ["000", "022", "077"];
const STATES = ["fresh", "loose", "linked"] as const;
/** Files that the agent writes: the session, its lock, a torn end that is moved aside, a log, the trust store. */
const TARGETS = ["session", "lock", "temporary", "log", "trust"] as const;
type Target = (typeof TARGETS)[number];
const SECRET = "precious";

/** Returns the paths of one trial's files. */
function pathsOf(place: Place): Record<Target, string> {
  const session = join(place.hookline, "sessions/mine/s.jsonl");
  return {
    session,
    lock: `${session}.lock`,
    temporary: `${session}.bak`,
    log: join(place.hookline, "trace.jsonl"),
    trust: join(place.hookline, "trust.json"),
  };
}

/** Prepares a path: nothing, a file that others may read, or a link to another user's file. */
function prepare(place: Place, target: Target, state: (typeof STATES)[number]): string | undefined {
  const path = pathsOf(place)[target];
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (state === "linked") {
    const victim = join(place.top, `victim-${target}`);
    if (target === "lock") mkdirSync(victim);
    else writeFileSync(victim, SECRET, { mode: 0o644 });
    symlinkSync(victim, path);
    return victim;
  }
  if (state === "loose") {
    if (target === "session") return undefined;
    if (target === "lock") mkdirSync(path);
    else writeFileSync(path, target === "trust" ? '{"version":1,"entries":[]}' : "");
    chmodSync(path, target === "lock" ? 0o755 : 0o644);
  }
  return undefined;
}

/** Writes a session with a torn end, as a crash leaves it. */
function torn(path: string, mode: number): void {
  const session = SessionManager.open(path, undefined, "/project");
  session.appendMessage(assistant("one"));
  session.close();
  appendFileSync(path, '{"torn');
  chmodSync(path, mode);
}

/**
 * Makes the agent write all of them under a umask, and kills it while it holds its lock. Then reads the trust store and
 * writes it: `read` says whether others had access to it after the reading, `trusted` whether it could be written.
 */
async function write(place: Place, mask: string): Promise<{ readonly read: boolean; readonly trusted: boolean }> {
  const { session, log } = pathsOf(place);
  const masked = ["sh", "-c", `umask ${mask}; exec "$@"`, "sh"];
  const args = ["--script", place.path("script.json"), "--session", session, "--trace", log, "--mode", "json", "go"];
  let sent = false;
  await runAgent(place, args, {
    wrapper: masked,
    watch(child, out) {
      if (sent || !out.includes("tool_execution_start")) return;
      sent = true;
      setTimeout(() => child.kill("SIGKILL"), 100);
    },
  });
  const read = !loose(place).includes("trust.json");
  const approve = [...masked.slice(1), process.execPath, builtProgram(), "trust", "approve", "--yes"];
  const env = { ...CHILD_ENV, HOME: place.home };
  const { status } = spawnSync("sh", approve, { cwd: place.project, env, stdio: "ignore" });
  return { read, trusted: status === 0 };
}

/** Returns hookline's own files that others can access. */
function loose(place: Place): string[] {
  if (!existsSync(place.hookline)) return [];
  const names = readdirSync(place.hookline, { recursive: true, encoding: "utf8" });
  return names.filter((name) => {
    const stat = lstatSync(join(place.hookline, name));
    return !stat.isSymbolicLink() && (stat.mode & 0o077) !== 0;
  });
}

/** Returns the fault of one target after a trial. */
function problemOf(place: Place, target: Target, victim: string | undefined): string | undefined {
  const path = pathsOf(place)[target];
  if (victim === undefined) {
    if (!existsSync(path)) return "it was not written";
    const name = path.slice(place.hookline.length + 1);
    const found = loose(place).filter((one) => one === name || one.startsWith(`${name}/`));
    return found.length === 0 ? undefined : `others may read ${found.join(", ")}`;
  }
  if (target === "lock") return readdirSync(victim).length === 0 ? undefined : "a lock was made through a link";
  const kept = readFileSync(victim, "utf8") === SECRET;
  // The person chooses the log's path, which may be a device; the target of a link must still be private.
  if (target === "log") return kept || (statSync(victim).mode & 0o077) === 0 ? undefined : "others may read the log";
  return kept ? undefined : "somebody else's file was written through a link";
}

const everyCombination: Experiment = {
  id: "R51",
  async run(tally, { full }) {
    for (const mask of full ? MASKS : MASKS.slice(0, 1)) {
      for (const state of STATES) {
        for (const targets of state === "linked" ? TARGETS.map((one) => [one]) : [TARGETS]) {
          using place = new Place();
          // The folder exists already, as the person's shell would have created it.
          mkdirSync(place.hookline, { mode: 0o700 });
          place.write(
            "script.json",
            JSON.stringify({ replies: [{ toolCalls: [{ name: "bash", arguments: { command: "sleep 5" } }] }] }),
          );
          place.write(".jcli/hooks.yaml", "stop:\n  - command: cat\n");
          if (state !== "linked" || targets[0] !== "session")
            torn(pathsOf(place).session, state === "loose" ? 0o644 : 0o600);
          const victims = new Map(targets.map((target) => [target, prepare(place, target, state)]));
          const { read, trusted } = await write(place, mask);
          if (state === "loose") tally.trial(read ? undefined : `others may read the trust store, umask ${mask}`);
          for (const target of targets) {
            const problem = problemOf(place, target, victims.get(target));
            const refused =
              target === "trust" && state === "linked" && trusted ? "a linked trust store was used" : undefined;
            tally.trial((problem ?? refused) && `${target}, ${state}, umask ${mask}: ${problem ?? refused}`);
          }
          const others = loose(place);
          if (others.length > 0) tally.trial(`${state}, umask ${mask}: others may read ${others.join(", ")}`);
        }
      }
    }
  },
};

export const claim: Claim = {
  name: "private",
  says: "whatever the umask and whatever existed before, only their owner can read the files, and none is written through a link",
  run: (size) => findingOf([everyCombination], size),
};
