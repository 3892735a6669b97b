import {
  Away,
  allowedEnvironment,
  allowedNames,
  askDaemon,
  type BridgeRequest,
  daemonPlace,
  GRACE_MS,
  goesOn,
  MOST_INPUT,
  type NativeAnswer,
  notReachable,
  realOf,
  SILENCE,
  startDaemon,
} from "@hookline/bridge";
import { messageOf } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { divertStdout, wrongUse } from "@hookline/ground/system";
import { ANSWERED, hostNamed } from "@hookline/integrations/hosts";
import type { SessionOptions } from "@hookline/runtime";
import { hooklineHomeOf, personHome } from "@hookline/runtime/session";

/** How much earlier than the host gives up the daemon answers, in ms. */
const MARGIN_MS = 2000;

/** The command line of a call. */
export interface CallWords {
  readonly host: string;
  readonly event: string;
  readonly origin: string;
  readonly oneShot: boolean;
  /** Default: two seconds less than the host waits. */
  readonly deadlineMs?: number | undefined;
  /** Receives each dispatch; with `oneShot` alone. */
  readonly trace?: SessionOptions["trace"] | undefined;
}

/** Answers one native hook call: the payload on stdin, the host's answer as what a hook program gives back. */
export async function bridgeCall(words: CallWords, io: Io): Promise<NativeAnswer> {
  const host = await hostNamed(words.host, ANSWERED);
  const event = host.events[words.event];
  if (event === undefined || !Object.hasOwn(host.events, words.event))
    throw wrongUse(
      "EVENT",
      `${host.label} has no event "${words.event}"`,
      `There are: ${Object.keys(host.events).join(", ")}.`,
    );
  const deadlineMs = words.deadlineMs ?? Math.max(1, event.timeoutMs - MARGIN_MS);
  const home = personHome(io.env);
  const hooklineHome = hooklineHomeOf(io.env, home, io.cwd);
  const env = allowedEnvironment({ ...io.env, HOME: home }, allowedNames(host));
  const place = daemonPlace(hooklineHome, io.cwd, io.env);
  const away = (because: string): NativeAnswer => {
    const alone = { place, host: host.name, event: words.event, home: realOf(hooklineHome), env };
    const passes = event.guard ? goesOn(alone) : {};
    if (passes === undefined) return event.refusal(notReachable(because));
    return passes.note === undefined ? SILENCE : { ...SILENCE, stderr: `${passes.note}\n` };
  };
  try {
    const input = await readInput(io);
    const { event: name, origin } = words;
    const request = {
      host: host.name,
      event: name,
      origin,
      cwd: io.cwd,
      deadlineMs,
      detach: event.ends === true,
      parent: process.ppid,
      env,
      input,
    };
    if (words.oneShot) return await answerHere(request, hooklineHome, words.trace);
    const start = (): void => void startDaemon({ place, cwd: io.cwd, env, program: thisProgram() });
    return await askDaemon({ place, request, timeoutMs: deadlineMs + GRACE_MS, start });
  } catch (thrown) {
    return away(thrown instanceof Away ? thrown.message : messageOf(thrown));
  }
}

/** The answer to a call if no hook can be asked: a guard refuses. */
export async function unaskedCall([host = "", event = ""]: readonly string[], because: string): Promise<NativeAnswer> {
  const of = await ANSWERED[host]?.().then(({ events }) => events[event]);
  if (of === undefined) return { exit: 2, stdout: "", stderr: `${notReachable(because)}\n` };
  return of.guard ? of.refusal(notReachable(because)) : SILENCE;
}

/** The program that this process runs, to be started again. */
export function thisProgram(): [string, ...string[]] {
  return [process.execPath, process.argv[1] ?? ""];
}

/** Asks the hooks in this process, which has them for this one call. */
async function answerHere(
  request: BridgeRequest,
  hooklineHome: string,
  trace: CallWords["trace"],
): Promise<NativeAnswer> {
  const [{ answerCall, Caller, Sessions }, { openSession }] = await Promise.all([
    import("@hookline/bridge/daemon"),
    import("./open.ts"),
  ]);
  const restore = divertStdout();
  const log = (line: string): void => void process.stderr.write(`hookline: ${line}\n`);
  const sessions = new Sessions({ open: (parts) => openSession({ ...parts, trace }), log });
  try {
    return await answerCall(request, new Caller(), { hosts: ANSWERED, sessions, hooklineHome, log });
  } finally {
    await sessions.closeAll();
    restore();
  }
}

/** Reads what the host writes, to its end. Throws for more than a payload may have. */
export async function readInput({ input }: Io): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of input ?? []) {
    size += piece.length;
    if (size > MOST_INPUT) throw new Away("the host sent more than 8 MiB");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
