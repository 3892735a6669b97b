import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "@hookline/ground";
import { EXIT, type Io, jsonText, plain } from "@hookline/ground/system";
import { abouts } from "@hookline/integrations/abouts";
import { imports } from "@hookline/integrations/imports";
import type { Proof } from "@hookline/runtime/session";
import type { Arguments } from "../start/args.ts";
import { PROOF_REMEDY, proofLine } from "../start/lines.ts";
import { type Place, placeOf } from "../start/place.ts";
import { broken, type Check, fine, listed } from "./check.ts";
import { fileChecks } from "./check-files.ts";
import { fleetChecks } from "./check-fleet.ts";
import { hookChecks } from "./check-hooks.ts";
import { machineChecks } from "./check-machine.ts";
import { providerChecks } from "./check-providers.ts";
import { missingHook } from "./hooks.ts";
import { foreignNotes, IMPORT_SAYS } from "./import/notes.ts";
import { askToReplay, type ReplayOffer, replayOffer } from "./offer-replay.ts";
import { openHooks } from "./open-hooks.ts";
import { type FoundServer, probeServers } from "./probe-servers.ts";
import { statsLines } from "./stats.ts";

/** `hookline doctor`: looks for what is broken; exits with 1 if anything is. Shows no keys. */
export async function runDoctor(args: Arguments, io: Io): Promise<number> {
  const place = await placeOf(args, io);
  const { hooklineHome } = place;
  // Files are checked before the hooks are loaded, because loading cleans up after killed runs.
  const files = fileChecks(hooklineHome);
  let offer: ReplayOffer | undefined;
  const checks = [
    ...machineChecks(io),
    agentsCheck(place, io.env),
    ...files,
    ...(await clientChecks(io, hooklineHome)),
    ...(await providerChecks(args, io, hooklineHome)),
    ...(await loaded(args, io, hooklineHome, (found) => (offer = found))),
    // The fleet is checked after the hooks, because loading them fetches the first policy from the server.
    ...(await fleetChecks(place, io.env)),
  ];
  if (args.flags["json"] === true) io.out(jsonText({ checks }));
  else for (const check of checks) io.out(lineOf(check));
  if (args.flags["json"] !== true && offer !== undefined) await askToReplay(offer, args, io);
  return checks.every(({ ok }) => ok) ? EXIT.fine : EXIT.failed;
}

/** Lists the agents, such as Claude Code, whose settings folder exists on this machine. */
function agentsCheck({ home }: Place, env: Io["env"]): Check {
  const dialects = Object.values(abouts).map(({ label, folders }) => ({
    label,
    folder: folders.home,
    moved: undefined,
  }));
  const others = imports.map(({ label, home: [file = ""], moved }) => ({ label, folder: dirname(file), moved }));
  const found = [...dialects, ...others].filter(({ folder, moved }) =>
    existsSync((moved && moved.folder !== "" && env[moved.variable]) || join(home, folder)),
  );
  const labels = [...new Set(found.map(({ label }) => label))];
  return fine("agents", labels.length === 0 ? "no other agent has a folder in your home" : labels.join(", "));
}

async function loaded(
  args: Arguments,
  io: Io,
  hooklineHome: string,
  onOffer: (offer: ReplayOffer | undefined) => void,
): Promise<Check[]> {
  try {
    const { session, place, lock, close } = await openHooks(args, io);
    const wrong = place.settings.diagnostics;
    // An unknown name in a settings file is harmless, unless it is probably a misspelt setting.
    const isBroken = wrong.some(({ code, hint }) => code !== "UNKNOWN_KEY" || hint.startsWith("Did you mean"));
    const checks = hookChecks(session.report, statsLines(hooklineHome), place);
    const servers = serverChecks(await probeServers({ place, session }, io.env));
    const offer = replayOffer(session, place, io.env);
    onOffer(offer);
    const guards = guardCheck(await session.prove());
    const missing = session.missing().map((one) => missingHook(one).message);
    await close();
    const settings =
      wrong.length === 0
        ? fine("settings", "nothing wrong")
        : (isBroken ? broken : fine)("settings", listed(wrong.map(({ message }) => message)), "Correct settings.json.");
    const required =
      missing.length > 0
        ? [broken("required hooks", listed(missing), "Until they run, no tool runs; `hookline hooks` says why.")]
        : [];
    const locks = lock.map(({ message, hint }) => broken("lock", message, hint));
    return [
      settings,
      ...guards,
      ...required,
      ...locks,
      ...checks,
      ...foreignChecks(place, io),
      ...(offer === undefined ? [] : [offer.check]),
      ...servers,
    ];
  } catch (thrown) {
    return [
      broken("hooks", `they could not be loaded: ${messageOf(thrown)}`, "Correct what is named, then try again."),
    ];
  }
}

/** Reports whether the guards passed their own test cases; returns nothing if there are no guards. */
function guardCheck(proof: Proof): Check[] {
  const line = proofLine(proof);
  if (line === undefined) return [];
  return [proof.dead.length > 0 ? broken("guards", line, PROOF_REMEDY) : fine("guards", line)];
}

/**
 * Checks the client that other agents run for their hooks. Reports whether guards are paused there, and which agents
 * use names (such as tools and fields) that hookline does not know. Without a client, reports only pauses.
 */
async function clientChecks(io: Io, hooklineHome: string): Promise<Check[]> {
  const { clientOf, clientSays, movedIn, movedLine, pauseSays, pauseState } = await import("@hookline/bridge");
  const client = clientOf(hooklineHome);
  const paused = pauseSays(pauseState(hooklineHome)).map((line) => fine("bridge guards", line));
  const [{ clientProblems }, { atOf }, { HOSTS }] = await Promise.all([
    import("./bridge/client.ts"),
    import("./bridge/wanted.ts"),
    import("@hookline/integrations/hosts"),
  ]);
  const hosts = await Promise.all(Object.values(HOSTS).map((load) => load()));
  const [wrong] = [...(await clientProblems(hosts, atOf(io))).values()];
  if (wrong !== undefined) return [broken("bridge", wrong.problem, wrong.remedy), ...paused];
  if (client === undefined) return paused;
  const moved = await Promise.all(
    hosts.map(async (host) => (await movedIn(host, hooklineHome)).map((one) => movedLine(host, one))),
  );
  return [fine("bridge", clientSays(client)), ...paused, ...moved.flat().map((line) => fine("bridge", line))];
}

function foreignChecks(place: Place, io: Io): Check[] {
  return foreignNotes(place, io.env).map((note) => fine("other programs", note, IMPORT_SAYS));
}

function serverChecks(servers: readonly FoundServer[]): Check[] {
  const dead = servers.filter(({ state }) => state !== "ready" && state !== "untrusted");
  if (servers.length === 0) return [];
  if (dead.length === 0) return [fine("MCP servers", listed(servers.map(({ name, state }) => `${name} ${state}`)))];
  const why = dead.map(({ name, state, problem }) => `${name}: ${problem ?? state}`);
  return [broken("MCP servers", listed(why), "Correct them; `hookline mcp list` shows all.")];
}

function lineOf({ name, ok, message, remedy }: Check): string {
  const state = ok ? (remedy === undefined ? "ok" : "note") : "BROKEN";
  const head = `${state.padEnd(6)}  ${name.padEnd(18)} ${plain(message)}\n`;
  return remedy === undefined ? head : `${head}${" ".repeat(27)}${plain(remedy)}\n`;
}
