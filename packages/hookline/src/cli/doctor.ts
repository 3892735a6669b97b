import { messageOf } from "@hookline/runtime/internal";
import { EXIT, type Io } from "../io/io.ts";
import { jsonText } from "../io/plain-json.ts";
import { plain } from "../io/table.ts";
import type { Arguments } from "../start/args.ts";
import { type Place, placeOf } from "../start/place.ts";
import { broken, type Check, fine, listed } from "./check.ts";
import { fileChecks } from "./check-files.ts";
import { fleetChecks } from "./check-fleet.ts";
import { hookChecks } from "./check-hooks.ts";
import { machineChecks } from "./check-machine.ts";
import { providerChecks } from "./check-providers.ts";
import { missingHook } from "./hooks.ts";
import { foreignNotes, IMPORT_SAYS } from "./import/notes.ts";
import { openHooks } from "./open-hooks.ts";
import { type FoundServer, probeServers } from "./probe-servers.ts";
import { statsLines } from "./stats.ts";

/** `hookline doctor`: looks for what is broken; exits with 1 if anything is. Shows no keys. */
export async function runDoctor(args: Arguments, io: Io): Promise<number> {
  const place = await placeOf(args, io);
  const { hooklineHome } = place;
  // Runs before the hooks are loaded, because a start cleans up after killed runs.
  const files = fileChecks(hooklineHome);
  const checks = [
    ...machineChecks(io),
    ...files,
    ...(await clientChecks(hooklineHome)),
    ...(await providerChecks(args, io, hooklineHome)),
    ...(await loaded(args, io, hooklineHome)),
    // Behind the hooks: to load them takes the first policy from the server.
    ...(await fleetChecks(place, io.env)),
  ];
  if (args.flags["json"] === true) io.out(jsonText({ checks }));
  else for (const check of checks) io.out(lineOf(check));
  return checks.every(({ ok }) => ok) ? EXIT.fine : EXIT.failed;
}

async function loaded(args: Arguments, io: Io, hooklineHome: string): Promise<Check[]> {
  try {
    const { session, place, lock, close } = await openHooks(args, io);
    const wrong = place.settings.diagnostics;
    // An unknown key is harmless, but one close to a setting's name was probably meant to be that setting.
    const isBroken = wrong.some(({ code, hint }) => code !== "UNKNOWN_KEY" || hint.startsWith("Did you mean"));
    const checks = hookChecks(session.report, statsLines(hooklineHome));
    const servers = serverChecks(await probeServers({ place, session }, io.env));
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
    return [settings, ...required, ...locks, ...checks, ...foreignChecks(place, io), ...servers];
  } catch (thrown) {
    return [
      broken("hooks", `they could not be loaded: ${messageOf(thrown)}`, "Correct what is named, then try again."),
    ];
  }
}

/** Which client other agents run for their hooks; nothing where none does. */
async function clientChecks(hooklineHome: string): Promise<Check[]> {
  const { clientOf, clientSays } = await import("../bridge/launcher.ts");
  const client = clientOf(hooklineHome);
  return client === undefined ? [] : [fine("bridge", clientSays(client))];
}

/** Hooks of other programs that do not run here. */
function foreignChecks(place: Place, io: Io): Check[] {
  return foreignNotes(place, io.env).map((note) => fine("other programs", note, IMPORT_SAYS));
}

/** Reports MCP servers that do not work; nothing if there are no servers. */
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
