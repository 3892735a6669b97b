import { realpathSync } from "node:fs";
import type { EventName } from "@hookline/runtime";
import { samplePayload } from "@hookline/runtime/testing";
import { openHooks } from "../../packages/hookline/src/cli/open-hooks.ts";
import { loopSettings } from "../../packages/hookline/src/settings/parts.ts";
import { readArguments } from "../../packages/hookline/src/start/args.ts";
import { catalog } from "../../packages/runtime/src/catalog/catalog.ts";
import type { Place } from "../agent/program.ts";
import { DENIED } from "./user.ts";

/** Describes which of the user's hooks are asked, and what else of the user's a project might change. */
export interface Asked {
  /**
   * For each event, in the order of asking: the hook's file, handler, filter, time limit, and the meaning of its
   * failure.
   */
  readonly hooks: readonly string[];
  /** Whether a call was refused that the guards of these home folders refuse; false if they were not asked. */
  readonly denies: boolean;
  /** The loop's settings for what hooks may ask for. */
  readonly loop: string;
}

/**
 * Loads the hooks of a place as every command does, and returns which of the user's would be asked; with `isFired`,
 * asks them.
 */
export async function askedIn(place: Place, flags: readonly string[], isFired: boolean): Promise<Asked> {
  const io = {
    env: { HOME: place.home, HOOKLINE_HOME: place.hookline, PATH: process.env["PATH"] },
    cwd: place.project,
    stdinIsTerminal: false,
    stdoutIsTerminal: false,
    out: () => {},
    err: () => {},
    readStdin: async () => "",
  };
  const opened = await openHooks(readArguments(["hooks", "list", ...flags]), io);
  try {
    const hooks = [...catalog.keys()].flatMap((event) => plannedFor(opened.session, event as EventName, place.home));
    const { todo: _, ...loop } = loopSettings(opened.place.settings);
    const call = { toolCallId: "1", tool: "bash", args: { command: DENIED } };
    const denies = isFired && (await opened.session.emit("tool.before", call)).answer.decision === "deny";
    return { hooks, loop: JSON.stringify(loop), denies };
  } finally {
    await opened.close();
  }
}

type Opened = Awaited<ReturnType<typeof openHooks>>;

function plannedFor(session: Opened["session"], event: EventName, home: string): string[] {
  const { plan } = session.explain(event, samplePayload(event));
  return plan.flatMap(({ id, source, lane, why }) => {
    const path = realOf(source.replace(/:\d+$/, ""));
    if (!path.startsWith(`${home}/`)) return [];
    return [`${event}: ${lane} ${path.slice(home.length)}${id.slice(id.lastIndexOf("#"))}: ${why}`];
  });
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
