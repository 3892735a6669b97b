import {
  allowedEnvironment,
  allowedNames,
  daemonAt,
  daemonPlace,
  daemonsIn,
  endDaemon,
  type FoundDaemon,
  realOf,
  refreshLauncher,
  runFolder,
  startDaemon,
} from "@hookline/bridge";
import { EXIT, type Io, plain, wrongUse } from "@hookline/ground/system";
import { hooklineHomeOf, personHome } from "@hookline/runtime/session";
import { bridgeCall, thisProgram } from "../bridge/call.ts";
import type { Trace } from "../mode/trace.ts";
import { type Arguments, textFlag } from "../start/args.ts";

/** `bridge call ahp` serves any host that speaks the Agent Hooks Protocol. Its messages name the event. */
const AHP = "ahp";

/** `hookline bridge call HOST EVENT`: another agent (the host) runs this as its hook. It asks hookline's hooks. */
export async function callBridge(args: Arguments, io: Io): Promise<number> {
  const [host = "", event = ""] = args.words;
  const oneShot = args.flags["one-shot"] === true;
  const trace = textFlag(args, "trace") === undefined ? undefined : await traceOf(args, io, oneShot);
  if (host === AHP) {
    const { answerAhp } = await import("../bridge/ahp.ts");
    io.out(
      await answerAhp({ origin: textFlag(args, "origin") ?? "", oneShot, deadlineMs: deadlineOf(args), trace }, io),
    );
    return trace === undefined ? EXIT.fine : trace.close(EXIT.fine);
  }
  const { exit, stdout, stderr } = await bridgeCall(
    { host, event, origin: textFlag(args, "origin") ?? "", oneShot, deadlineMs: deadlineOf(args), trace },
    io,
  );
  if (stdout !== "") io.out(stdout);
  if (stderr !== "") io.err(stderr);
  return trace === undefined ? exit : trace.close(exit);
}

async function traceOf(args: Arguments, io: Io, oneShot: boolean): Promise<Trace | undefined> {
  if (!oneShot)
    throw wrongUse(
      "--trace",
      "needs --one-shot, since the daemon serves many calls",
      "Add --one-shot; the setting `record` keeps what the daemon's sessions do.",
    );
  const [{ openTrace }, { personOf }] = await Promise.all([import("../mode/trace.ts"), import("../mode/person.ts")]);
  return openTrace({ args, io }, personOf(io));
}

function deadlineOf(args: Arguments): number | undefined {
  const text = textFlag(args, "deadline");
  if (text === undefined) return undefined;
  const ms = Number(text);
  if (Number.isSafeInteger(ms) && ms > 0 && ms < 2 ** 31) return ms;
  throw wrongUse("--deadline", `is not a number of milliseconds: ${text}`, "Give a whole number, such as 58000.");
}

/** `hookline bridge daemon`: serves this folder until it is idle. Clients start it; nobody has to run it by hand. */
export async function runDaemon(_: Arguments, io: Io): Promise<number> {
  const [{ serveBridge }, { openSession }, { ANSWERED, HOSTS }] = await Promise.all([
    import("@hookline/bridge/daemon"),
    import("../bridge/open.ts"),
    import("@hookline/integrations/hosts"),
  ]);
  const ended = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => ended.abort());
  process.on("SIGHUP", () => {});
  const hooklineHome = homeOf(io);
  await refreshLauncher({ hooklineHome, program: thisProgram(), env: io.env }, HOSTS);
  const place = daemonPlace(hooklineHome, io.cwd, io.env);
  const parts = { place, cwd: realOf(io.cwd), hooklineHome, hosts: ANSWERED, open: openSession, signal: ended.signal };
  if (await serveBridge(parts)) return EXIT.fine;
  io.err(`A daemon serves ${io.cwd} already.\n`);
  return EXIT.failed;
}

/** `hookline bridge stop [--all]`: ends this folder's daemon, or all daemons. */
export async function stopDaemons(args: Arguments, io: Io): Promise<number> {
  const found = await chosen(args, io);
  if (found.length === 0) io.out("No daemon runs.\n");
  return (await endAll(found, io)) ? EXIT.fine : EXIT.failed;
}

/** `hookline bridge restart [--all]`: ends daemons and starts them again; what hooks keep in memory is lost. */
export async function restartDaemons(args: Arguments, io: Io): Promise<number> {
  const found = await chosen(args, io);
  const isDone = await endAll(found, io);
  const { MOVING } = await import("@hookline/integrations/hosts");
  const env = allowedEnvironment(io.env, allowedNames({ environment: MOVING }));
  const folders = args.flags["all"] === true ? found.map(({ place, cwd }) => ({ place, cwd })) : [here(io)];
  for (const { place, cwd } of folders) await startDaemon({ place, cwd, env, program: thisProgram() });
  return isDone ? EXIT.fine : EXIT.failed;
}

async function chosen(args: Arguments, io: Io): Promise<FoundDaemon[]> {
  if (args.flags["all"] === true) return daemonsIn(runFolder(homeOf(io), io.env));
  const found = await daemonAt(here(io).place);
  return found === undefined ? [] : [found];
}

function here(io: Io): Pick<FoundDaemon, "place" | "cwd"> {
  return { place: daemonPlace(homeOf(io), io.cwd, io.env), cwd: io.cwd };
}

async function endAll(found: readonly FoundDaemon[], io: Io): Promise<boolean> {
  let isDone = true;
  for (const daemon of found) {
    const how = await endDaemon(daemon);
    isDone &&= how !== "still there";
    io.out(`${plain(daemon.cwd)}: process ${daemon.pid} ${HOW[how]}\n`);
  }
  return isDone;
}

const HOW = {
  ended: "has ended",
  killed: "did not answer and was killed",
  "still there": "does not answer and is no daemon by its command line; end it yourself",
} as const;

function homeOf(io: Io): string {
  return hooklineHomeOf(io.env, personHome(io.env));
}
