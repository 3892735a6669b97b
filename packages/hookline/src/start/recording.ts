import type { Io } from "@hookline/ground/system";
import type { RecordLevel } from "@hookline/runtime";
import { type Records, recordersOf } from "@hookline/runtime/past";
import type { HookSession } from "@hookline/runtime/session";
import type { OpenRecording, RecordingPlace } from "../record/open.ts";
import { recordingWanted, type Wanted } from "../record/wanted.ts";
import type { Arguments } from "./args.ts";
import type { Place } from "./place.ts";

/** The recording of a run, which may be absent or start later. Also sends decisions to the machine's fleet. */
export interface RunRecording {
  readonly recorder: Records | undefined;
  /** Returns the exit code of the run: 1 if the recording is incomplete. Must be called after `close`. */
  exitCode(code: number): number;
  /** Returns the path of a session's recording and the level at which it is recorded now; no level if it is not. */
  at(session: string): Promise<{ readonly path: string; readonly level: RecordLevel | undefined }>;
  /** Records all events with their payloads from now on, even if the run was not recorded before. */
  recordAll(hooks: HookSession): Promise<void>;
  close(): Promise<void>;
}

/** Starts the recording of a run if the settings or the command line want one. */
export async function recordingOf(
  { flags }: Arguments,
  io: Io,
  { settings, hooklineHome, fleet }: Place,
  told: Pick<RecordingPlace, "sessionFile" | "tell" | "host">,
): Promise<RunRecording> {
  const { record, "record-dir": dir } = flags;
  const open = async (wanted: Wanted): Promise<OpenRecording> => {
    const { openRecording } = await import("../record/open.ts");
    return openRecording({ settings, hooklineHome, io, wanted, dir: dir as string | undefined, ...told });
  };
  const wanted = recordingWanted(settings, record ?? dir !== undefined);
  const opened: OpenRecording[] = wanted === undefined ? [] : [await open(wanted)];
  const spooling =
    fleet?.decisions === undefined
      ? undefined
      : (await import("../record/spooled.ts")).spoolDecisions({ open: fleet.decisions, hooklineHome, io, ...told });
  const recorders = (): Records | undefined => {
    const all: (Records | undefined)[] = [opened.at(-1)?.recorder, spooling?.recorder];
    return recordersOf(all.filter((one) => one !== undefined));
  };
  return {
    get recorder() {
      return recorders();
    },
    exitCode: (code) => opened.reduce((so, one) => one.exitCode(so), code),
    async at(session) {
      const { recordingOfSession } = await import("../record/open.ts");
      const path = recordingOfSession({ hooklineHome, io, dir: dir as string | undefined }, session);
      return { path, level: opened.at(-1)?.level };
    },
    async recordAll(hooks) {
      const before = opened.at(-1);
      if (before?.level === "all") return;
      const all = await open({ level: "all", isRequired: wanted?.isRequired === true });
      opened.push(all);
      // The old recorder must write everything before the next one looks for the end of the file.
      const closed = before?.recorder.close();
      hooks.record(recorders());
      await closed;
    },
    async close() {
      await opened.at(-1)?.recorder.close();
      await spooling?.close();
    },
  };
}
