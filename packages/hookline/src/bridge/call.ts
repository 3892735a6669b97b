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

/** The daemon answers this long before the host would give up, in ms. */
const MARGIN_MS = 2000;

/** The parsed command line of `hookline bridge call`. */
export interface CallWords {
  readonly host: string;
  readonly event: string;
  readonly origin: string;
  readonly oneShot: boolean;
  /** The time for the answer, in ms. Default: two seconds less than the host waits. */
  readonly deadlineMs?: number | undefined;
  /** Receives each dispatch. Only used with `oneShot`. */
  readonly trace?: SessionOptions["trace"] | undefined;
}

/** Answers a host's hook call. Reads the payload from stdin; returns output and exit code of the hook program. */
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
    const passes = event.guard ? goesOn(alone) : undefined;
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

/** Returns the answer if hooks cannot be asked: refuses an unknown event or one with guards. */
export async function unaskedCall([host = "", event = ""]: readonly string[], because: string): Promise<NativeAnswer> {
  const of = await ANSWERED[host]?.().then(({ events }) => events[event]);
  if (of === undefined) return { exit: 2, stdout: "", stderr: `${notReachable(because)}\n` };
  return of.refusal(notReachable(because));
}

/** Returns the command line that starts another process of this program. */
export function thisProgram(): [string, ...string[]] {
  return [process.execPath, process.argv[1] ?? ""];
}

/** Answers the call in this process instead of in the daemon: opens the hooks for it, then closes them. */
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

/** Reads the host's payload from stdin to its end. Throws if it is larger than 8 MiB. */
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
