import type { Io } from "@hookline/ground/system";
import type { HookSession } from "@hookline/runtime/session";
import { type Arguments, readArguments } from "../start/args.ts";
import type { Place } from "../start/place.ts";
import { yesAsker } from "./ask-yes.ts";
import { type Check, fine } from "./check.ts";
import { countSessions } from "./replay/find.ts";

/** About how many bytes of a session's file one tool call takes, with its result and the model's text. */
const BYTES_A_CALL = 8000;
/** About how long a hook takes that starts a program, in ms. */
const PROGRAM_MS = 40;

/** An offer to replay other agents' sessions, with its estimated cost. Nothing was opened or started to estimate it. */
export interface ReplayOffer {
  readonly check: Check;
  readonly agents: string;
  readonly question: string;
}

/** Returns the replay to offer here; undefined without sessions of another agent, or without hooks. */
export function replayOffer(session: HookSession, place: Place, env: Io["env"]): ReplayOffer | undefined {
  const past = countSessions(place, env);
  const { sources, summary } = session.report;
  if (past.length === 0 || summary.runs === 0) return undefined;
  const agents = past.map(({ agent }) => agent).join(",");
  const calls = past.reduce((sum, { bytes }) => sum + Math.ceil(bytes / BYTES_A_CALL), 0);
  const found = past.map(({ agent, files }) => `${agent} ${files} session${files === 1 ? "" : "s"}`).join(", ");
  const isProgram = ({ state, lane }: (typeof sources)[number]): boolean =>
    state === "runs" && ["claude", "jcli", "chibi"].includes(lane);
  const programs = sources.filter(isProgram).length;
  const starts = programs === 0 ? "starts no program" : `starts ${programs} of your hooks for each call they match`;
  const seconds = Math.max(1, Math.round((calls * programs * PROGRAM_MS) / 1000));
  const time = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return {
    agents,
    check: fine(
      "past sessions",
      `last 30 days: ${found}, about ${calls} tool call${calls === 1 ? "" : "s"}; an estimate from names, dates and sizes of files`,
      `\`hookline replay --agents ${agents}\` shows what your hooks would have refused. It opens these files, ${starts}, and takes about ${time}.`,
    ),
    question: `Replay them now? This opens the files and ${starts} (about ${time}).`,
  };
}

/** Asks the person, and replays if they say yes. */
export async function askToReplay({ question, agents }: ReplayOffer, args: Arguments, io: Io): Promise<void> {
  if (!(await yesAsker(io)?.(question))) return;
  const { replaySources } = await import("./replay.ts");
  const replaying = readArguments(["--agents", agents], undefined, "subcommands");
  await replaySources({ ...replaying, flags: { ...args.flags, ...replaying.flags } }, io);
}
