import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { systemClock } from "@hookline/ground";
import { EXIT, type Io, readPrivate, systemFiles, writePrivate } from "@hookline/ground/system";
import type { RecordLevel } from "@hookline/runtime";
import type { Recorder } from "@hookline/runtime/past";
import { recorderOf } from "@hookline/runtime/session";
import { secretRedactor, withoutSecrets } from "../provider/secrets.ts";
import { tightenDirectory } from "../session/directory.ts";
import type { Settings } from "../settings/settings.ts";
import { cleanRecordings } from "./clean.ts";
import { RecordingFile, recordingPath } from "./file.ts";
import type { Wanted } from "./wanted.ts";

/** The recording that a run of the agent writes. */
export interface OpenRecording {
  readonly recorder: Recorder;
  readonly level: RecordLevel;
  /** Returns the run's exit code: 1 instead of 0 if the recording is not complete. */
  exitCode(code: number): number;
}

/** Says how much of a run is recorded, where, and for which session. */
export interface RecordingPlace {
  readonly settings: Settings;
  readonly hooklineHome: string;
  readonly io: Io;
  /** The agent whose session is recorded, if it is not hookline's own. */
  readonly host?: string | undefined;
  readonly wanted: Wanted;
  /** The folder for recordings that the command line names. */
  readonly dir: string | undefined;
  /** Returns the file in which the current session is stored, if there is one. */
  sessionFile(): string | undefined;
  tell(text: string): void;
}

/** Returns the path of a session's recording, whether or not it exists. */
export function recordingOfSession(
  { hooklineHome, io, dir }: Pick<RecordingPlace, "hooklineHome" | "io" | "dir">,
  session: string,
): string {
  return recordingPath(dir === undefined ? join(hooklineHome, "recordings") : resolve(io.cwd, dir), session);
}

/** Opens the recording of a run, and removes old ones. */
export function openRecording(place: RecordingPlace): OpenRecording {
  const { settings, hooklineHome, io, wanted, dir, tell } = place;
  const own = join(hooklineHome, "recordings");
  const { user } = settings;
  tightenDirectory(own);
  // Cleans only hookline's own folder for recordings, never one that the command line names.
  const days = (user.get("recordings.keepDays") as number | undefined) ?? KEEP_DAYS;
  cleanRecordings(own, { days, bytes: (user.get("recordings.maxBytes") as number | undefined) ?? MAX_BYTES });
  let isWhole = true;
  const lost = (problem: string): void => {
    if (isWhole) tell(`The recording is not complete: ${redact(problem)}`);
    isWhole = false;
  };
  const redact = secretRedactor(io.env);
  const { level, isRequired } = wanted;
  const pathOf = (session: string): string => recordingOfSession(place, session);
  const recorder = recorderOf({
    level,
    required: isRequired,
    host: place.host,
    to: (session) =>
      new RecordingFile(pathOf(session), {
        level,
        sessionFile: place.sessionFile(),
        compresses: dir === undefined,
        failing: lost,
      }),
    env: io.env,
    files: systemFiles,
    clock: systemClock,
    key: digestKey(hooklineHome),
    clean: withoutSecrets,
    lost,
  });
  return { recorder, level, exitCode: (code) => (isWhole || code !== EXIT.fine ? code : EXIT.failed) };
}

/** How many days a recording is kept by default. */
export const KEEP_DAYS = 30;
/** How many bytes of recordings are kept by default. */
export const MAX_BYTES = 2 * 1024 ** 3;

/**
 * Returns the secret key with which recordings hash texts that they do not keep; each home has its own. If the key
 * cannot be stored, it is used only for this run.
 */
export function digestKey(hooklineHome: string): string {
  const path = join(hooklineHome, "recordings", "key");
  const found = readPrivate(path);
  if (found.state === "read" && /^[0-9a-f]{64}$/.test(found.text)) return found.text;
  const key = randomBytes(32).toString("hex");
  try {
    writePrivate(path, key);
  } catch {
    // If the folder cannot be written, the recording itself reports that.
  }
  return key;
}
