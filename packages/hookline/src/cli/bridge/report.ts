import { join } from "node:path";
import type { BridgeHost } from "@hookline/bridge";
import { configuredServers } from "@hookline/bridge";
import { countsText, hookLines, type ReportedHook, reportOf, shortReport } from "@hookline/bridge/report";
import { EXIT, type Io, jsonText } from "@hookline/ground/system";
import { hostNamed } from "@hookline/integrations/hosts";
import { readStats } from "@hookline/runtime/session";
import { type Arguments, readArguments } from "../../start/args.ts";
import { openHooks } from "../open-hooks.ts";

/** The number of lines of a report: `SCREEN` for `bridge report`, `BELOW` under the output of `bridge install`. */
const SCREEN = 24;
const BELOW = 10;

/** `hookline bridge report HOST`: what each hook that runs here can do in the host. */
export async function bridgeReport(args: Arguments, io: Io): Promise<number> {
  const host = await hostNamed(args.words[0]);
  if (args.flags["json"] === true) {
    const { recorded: version } = host;
    const source = version === undefined ? { kind: "documented" } : { kind: "recorded", version };
    const { hooks } = await reported(host, args, io);
    io.out(jsonText({ v: 1, host: host.name, source, hooks }));
  } else await printReport(host, args, io, SCREEN);
  return EXIT.fine;
}

/** Prints the report as text, and returns what was printed. */
export async function printReport(
  host: BridgeHost,
  args: Arguments,
  io: Io,
  rows = BELOW,
): Promise<readonly ReportedHook[]> {
  const { hooks, home } = await reported(host, args, io);
  const documented = `${host.label} is known from its documentation only: none of this has been tried with the program.`;
  const tried = host.recorded === undefined ? [documented] : [];
  if (hooks.length === 0)
    io.out(`No hooks run here, so ${host.label} has none to ask. \`hookline hooks\` says what was found.\n`);
  else {
    const lines =
      args.flags["all"] === true
        ? [`${countsText(host, hooks)}.`, ...hooks.flatMap((hook) => hookLines(host, hook))]
        : shortReport(host, hooks, { rows: rows - tried.length, at: { cwd: io.cwd, home } });
    io.out(lines.map((line) => `${line}\n`).join(""));
  }
  io.out(tried.map((line) => `${line}\n`).join(""));
  return hooks;
}

async function reported(
  host: BridgeHost,
  args: Arguments,
  io: Io,
): Promise<{ readonly hooks: readonly ReportedHook[]; readonly home: string }> {
  // Only the flags are passed on, because this command's first word names a host, and not hooks to load.
  const opened = await openHooks({ ...readArguments([]), flags: args.flags }, io, { forHost: true });
  const { runtime, session, place, close } = opened;
  try {
    const { home, hooklineHome, cwd } = place;
    const servers = configuredServers(host, { cwd, home, env: io.env });
    const answers = new Map(readStats(join(hooklineHome, "stats")).map((row) => [row.id, row]));
    return { hooks: await reportOf(host, runtime, { session, servers, answers }), home };
  } finally {
    await close();
  }
}
