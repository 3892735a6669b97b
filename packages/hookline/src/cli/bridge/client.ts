import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  type At,
  type BridgeHost,
  CLIENT,
  daemonPlace,
  installedIn,
  isOwnCommand,
  type NativeAnswer,
  realOf,
} from "@hookline/bridge";
import { messageOf } from "@hookline/ground";

/** Time limit in ms for one answer of a hook client. One that runs in Node needs 500 ms at most on an idle machine. */
const LIMIT_MS = 10_000;
const STEP_MS = 5;

/** The answer of a hook client to an event; if it gave none, `because` says why. */
interface Ended extends NativeAnswer {
  readonly because?: string;
}

/**
 * Tests the hook client of each given host that runs one. A daemon in this process refuses an event with a random text,
 * and the client must print this refusal in the host's own format. No hook is asked, and no other daemon is started.
 *
 * Returns the problem and its remedy for each host whose client fails, by the host's name.
 */
export async function clientProblems(
  among: readonly BridgeHost[],
  at: At,
  limitMs = LIMIT_MS,
): Promise<ReadonlyMap<string, { readonly problem: string; readonly remedy: string }>> {
  const { hooklineHome, env } = at;
  const client = join(realOf(hooklineHome), CLIENT);
  const hosts = (await Promise.all(among.map(async (host) => ((await runsClient(host, at)) ? [host] : [])))).flat();
  if (hosts.length === 0) return new Map();
  const { serveBridge } = await import("@hookline/bridge/daemon");
  const cwd = realOf(mkdtempSync(join(tmpdir(), "hookline-client-")));
  const place = daemonPlace(hooklineHome, cwd, env);
  const proof = randomUUID();
  const ended = new AbortController();
  let failed: string | undefined;
  const serving = serveBridge({
    ...{ place, cwd, hooklineHome, signal: ended.signal },
    hosts: Object.fromEntries(hosts.map((host) => [host.name, async () => refusing(host, proof)])),
    open: () => Promise.reject(new Error("no session is opened to try the client")),
  }).catch((thrown) => {
    failed = messageOf(thrown);
  });
  try {
    for (let ms = 0; ms < limitMs && !existsSync(place.socket) && failed === undefined; ms += STEP_MS)
      await wait(STEP_MS);
    if (failed !== undefined) {
      const problem = `no daemon can run, so guarded events are refused: ${failed}`;
      const remedy = `Make ${place.folder} usable: your own folder, writable, with room on the disk.`;
      return new Map(hosts.map(({ name }) => [name, { problem, remedy }]));
    }
    const tried = hosts.map(async (host) => {
      const [event, { refusal }] = guardOf(host);
      const answer = await asked([client, host.name, event], { cwd, env, limitMs });
      const wrong = problemOf(answer, refusal(`hookline: ${proof}`));
      const problem = `the client ${client} does not work: ${wrong}`;
      const remedy = `Remove it, then \`hookline bridge install ${host.name}\` puts a new one there.`;
      return wrong === undefined ? [] : [[host.name, { problem, remedy }] as const];
    });
    return new Map((await Promise.all(tried)).flat());
  } finally {
    ended.abort();
    await serving;
    if (failed === undefined) rmSync(place.log, { force: true });
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** Whether an entry in a host's files runs hookline's hook client. Some hosts load a module instead. */
async function runsClient(host: BridgeHost, at: At): Promise<boolean> {
  const { files } = installedIn(await host.adapter(), at);
  return files.some(({ entries }) => entries.some(({ command }) => isOwnCommand(command)));
}

function guardOf({ label, events }: BridgeHost): [name: string, event: BridgeHost["events"][string]] {
  const found = Object.entries(events).find(([, { guard }]) => guard);
  if (found === undefined) throw new Error(`${label} has no event that guards judge`);
  return found;
}

/** Returns a copy of the host with one difference: the first event with guards is refused, with the text `proof`. */
function refusing(host: BridgeHost, proof: string): BridgeHost {
  const [name, event] = guardOf(host);
  const read = (): never => {
    throw new Error(proof);
  };
  return { ...host, events: { ...host.events, [name]: { ...event, read } } };
}

function problemOf({ because, exit, stdout, stderr }: Ended, wanted: NativeAnswer): string | undefined {
  if (because !== undefined) return because;
  if (exit === wanted.exit && stdout === wanted.stdout && stderr === wanted.stderr) return undefined;
  const [said = ""] = (stderr.trim() || stdout.trim()).split("\n");
  return `it ended with ${exit} and ${said === "" ? "said nothing" : `"${said.slice(0, 300)}"`}, not with the refusal of the daemon`;
}

/** Runs a hook client as an agent would, and returns its answer. */
function asked(
  [program, ...words]: readonly [string, ...string[]],
  { cwd, env, limitMs }: Pick<At, "cwd" | "env"> & { readonly limitMs: number },
): Promise<Ended> {
  return new Promise((resolve) => {
    // The client's deadline is half of `limitMs`, so it reports a missing daemon before it is killed.
    const child = spawn(program, [...words, "--deadline", String(limitMs / 2)], { cwd, env, detached: true });
    let [stdout, stderr] = ["", ""];
    const end = (exit: number | null, because?: string): void => {
      clearTimeout(late);
      resolve({ exit: exit ?? -1, stdout, stderr, ...(because !== undefined && { because }) });
    };
    const late = setTimeout(() => {
      killGroup(child.pid);
      end(null, `it gave no answer within ${limitMs / 1000} s`);
    }, limitMs);
    child.stdout.setEncoding("utf8").on("data", (piece: string) => (stdout += piece));
    child.stderr.setEncoding("utf8").on("data", (piece: string) => (stderr += piece));
    child.stdin.on("error", () => {}).end("{}");
    child.on("error", ({ message }) => end(null, `it cannot be started (${message})`));
    child.on("close", (exit, signal) => end(exit, signal === null ? undefined : `it was ended by ${signal}`));
  });
}

/** Ends a program and the programs that it has started. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // The program has already ended.
  }
}
