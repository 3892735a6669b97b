import type { BridgeHost } from "@hookline/bridge";
import { configuredServers } from "@hookline/bridge";
import { countsText, hookLines, type ReportedHook, reportOf } from "@hookline/bridge/report";
import { EXIT, type Io, jsonText } from "@hookline/ground/system";
import { hostNamed } from "@hookline/integrations/hosts";
import { type Arguments, readArguments } from "../../start/args.ts";
import { openHooks } from "../open-hooks.ts";

/** `hookline bridge report HOST`: what each hook that runs here can do in the host. */
export async function bridgeReport(args: Arguments, io: Io): Promise<number> {
  const host = await hostNamed(args.words[0]);
  if (args.flags["json"] === true) {
    const { recorded: version } = host;
    const source = version === undefined ? { kind: "documented" } : { kind: "recorded", version };
    io.out(jsonText({ v: 1, host: host.name, source, hooks: await reported(host, args, io) }));
  } else await printReport(host, args, io);
  return EXIT.fine;
}

/** Prints the report as text, and returns what was printed. */
export async function printReport(host: BridgeHost, args: Arguments, io: Io): Promise<readonly ReportedHook[]> {
  const hooks = await reported(host, args, io);
  io.out(reportText(host, hooks));
  if (host.recorded === undefined)
    io.out(`${host.label} is known from its documentation only: none of this has been tried with the program.\n`);
  return hooks;
}

async function reported(host: BridgeHost, args: Arguments, io: Io): Promise<readonly ReportedHook[]> {
  // The words and flags of `bridge` do not select hooks.
  const opened = await openHooks({ ...readArguments([]), flags: args.flags }, io, { forHost: true });
  const { runtime, session, place, close } = opened;
  try {
    const servers = configuredServers(host, { cwd: place.cwd, home: place.home, env: io.env });
    return await reportOf(host, runtime, { session, servers });
  } finally {
    await close();
  }
}

function reportText(host: BridgeHost, hooks: readonly ReportedHook[]): string {
  if (hooks.length === 0)
    return `No hooks run here, so ${host.label} has none to ask. \`hookline hooks\` says what was found.\n`;
  return `${countsText(host, hooks)}.\n${hooks.flatMap((hook) => hookLines(host, hook)).join("\n")}\n`;
}
