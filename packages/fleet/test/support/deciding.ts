import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createHookRuntime, type HookSession, recorderOf } from "@hookline/runtime/session";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { fleetDialect } from "../../src/lane/dialect.ts";
import { CountedLink } from "../../src/link/counted.ts";
import { membership } from "../../src/place/joined.ts";
import { openDecisions } from "../../src/spool/decisions.ts";
import { writerPlace, writersIn } from "../../src/spool/place.ts";
import { ackedOf, SpoolReader } from "../../src/spool/reader.ts";
import type { SpoolOptions } from "../../src/spool/writer.ts";

/** An agent whose decisions are spooled for its fleet, as hookline's own does it. */
export interface Deciding {
  readonly session: HookSession;
  /** Judges a command; its refusal, if any. */
  call(command: string): Promise<string | undefined>;
  /** Waits until the fleet's stream has all of what was decided. */
  sent(): Promise<void>;
  /** Reports of lost decisions. */
  readonly lost: readonly string[];
  /** Ends the session and the spooling. What the stream does not have within a second stays in the spool. */
  close(): Promise<void>;
  /** Does so once the stream has all of it, however long that takes. */
  closeSent(): Promise<void>;
}

/**
 * Opens a session of a machine that has joined a fleet; its own guard refuses what begins with `no`. Where it `follows`
 * the fleet's policy it takes new versions.
 */
export async function deciding(
  home: string,
  spool: Partial<SpoolOptions> = {},
  {
    follows = false,
    connectMs,
    deadlineMs,
  }: { readonly follows?: boolean; readonly connectMs?: number; readonly deadlineMs?: number } = {},
): Promise<Deciding> {
  const member = membership(home, {});
  if (member === undefined) throw new Error("it has not joined");
  const limits = { ...(connectMs !== undefined && { connectMs }), ...(deadlineMs !== undefined && { deadlineMs }) };
  const link = new CountedLink({ url: member.url, creds: member.creds, clock: systemClock, ...limits });
  const lost: string[] = [];
  const tell = (problem: string): void => void lost.push(problem);
  const decisions = openDecisions({ membership: member, link, lost: tell, spool });
  const recorder = recorderOf({
    ...decisions.logged,
    to: (session) => decisions.to(session),
    env: {},
    files: systemFiles,
    clock: systemClock,
    lost: tell,
  });
  decisions.whenChanged((logged) => recorder.change(logged));
  const dialects = follows ? [fleetDialect({ membership: member, link, uses: decisions.follow, ...limits })] : [];
  const runtime = createHookRuntime({
    dialects,
    lanes: follows ? ["fleet-local"] : [],
    home,
    hooklineHome: home,
    etc: home,
    clock: systemClock,
  });
  const session = await runtime.open({ scene: { sessionId: "s1", cwd: home }, recorder });
  session.on("tool.before", function guard({ args }) {
    const { command = "" } = args as { readonly command?: string };
    return command.startsWith("no") ? { decision: "deny", reason: "it begins with no" } : undefined;
  });
  let calls = 0;
  const sent = async (): Promise<void> => {
    while (!isSent(member.spool, member.machine)) await sleep(20);
  };
  const end = async (): Promise<void> => {
    await runtime.close();
    await recorder.close();
  };
  return {
    session,
    lost,
    async call(command) {
      const toolCallId = `c${++calls}`;
      const { answer } = await session.emit("tool.before", { toolCallId, tool: "bash", args: { command } });
      return answer.decision === "deny" ? (answer.reason ?? "") : undefined;
    },
    sent,
    async close() {
      await end();
      await decisions.close();
    },
    async closeSent() {
      await end();
      await sent();
      await decisions.close();
    },
  };
}

/** Whether the stream has all that a machine's writers in a spool have written. */
function isSent(folder: string, machine: string): boolean {
  return writersIn(folder).every((writer) => {
    const place = writerPlace(folder, writer);
    const reader = new SpoolReader(place);
    if (reader.head?.machine !== machine) return true;
    const acked = ackedOf(place).at(-1)?.n ?? 0;
    const { seal } = reader.batches()[acked - 1] ?? {};
    return seal !== undefined && seal.from + seal.bytes === statSync(place.recording).size;
  });
}
