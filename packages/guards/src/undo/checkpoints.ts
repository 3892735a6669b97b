import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { type GuardSession, settingsIn } from "../session.ts";
import type { SettingsOf } from "../settings.ts";
import { planLines } from "./command.ts";
import { NoUndo } from "./no-undo.ts";
import { openUndo, type Refusal, type RestoreOptions, type Undo } from "./undo.ts";

/** The state of a project before a call, as recorded by `undo`. */
export interface Checkpoint {
  /** The number of the checkpoint, counted from 1 in a project. */
  readonly number: number;
  /** Time of the checkpoint, in epoch ms. */
  readonly atMs: number;
  /** The action that the checkpoint precedes, such as the command. */
  readonly label: string;
}

/** The result of restoring a checkpoint. */
export interface BroughtBack {
  readonly number: number;
  /** The checkpoint of the state before the restore; restoring it undoes the undo. Absent if nothing had to be done. */
  readonly before?: number;
  /** A line for each change, such as `bring back notes.md`. */
  readonly changes: readonly string[];
  /** New absolute paths of files that were in the way and are in no checkpoint. */
  readonly aside: readonly string[];
}

/** The checkpoints of a project. Each method rejects with an `Error` that tells a person why nothing was done. */
export interface Checkpoints {
  /** Returns the checkpoints, newest first. */
  list(): Promise<readonly Checkpoint[]>;
  /** Returns what `restore` would do, one line for each change. */
  preview(number?: number, options?: RestoreOptions): Promise<readonly string[]>;
  /**
   * Restores a checkpoint; without a number, the last one that differs from the current state. The current state
   * becomes a checkpoint first. If the files cannot be written, nothing is changed.
   */
  restore(number?: number, options?: RestoreOptions): Promise<BroughtBack>;
}

/**
 * Opens the checkpoints that `undo` has made of a session's project. `settings` override those of `session`. Throws an
 * `Error` if there can be no undo, such as in a home folder, and for a wrong setting.
 */
export function checkpoints(settings: Partial<SettingsOf<"undo">> = {}, session: GuardSession = {}): Checkpoints {
  const undo = undoOf(session, settingsIn("undo", settings, session));
  const numbered = async (number?: number): Promise<number> => number ?? done(await undo.latest()).number;
  return {
    list: async () => undo.list().map(({ number, atMs, label }) => ({ number, atMs, label })),
    preview: async (number, options) => planLines(done(await undo.plan(await numbered(number), options))).does,
    async restore(given, options) {
      const number = await numbered(given);
      const { does } = planLines(done(await undo.plan(number, options)));
      if (does.length === 0) return { number, changes: [], aside: [] };
      const { before, plans, aside } = done(await undo.restore(number, options));
      return { number, before, changes: planLines(plans).does, aside };
    },
  };
}

/** Opens the checkpoints of a session's project. Throws `NoUndo` if there can be no undo. */
export function undoOf(
  { cwd = process.cwd(), project = cwd, home = homedir(), hooklineHome }: GuardSession,
  settings: SettingsOf<"undo">,
): Undo {
  const named = process.env["HOOKLINE_HOME"] ?? "";
  const usual = isAbsolute(named) ? named : join(home, ".hookline");
  return openUndo({ project, personHome: home, home: hooklineHome ?? usual, settings });
}

function done<T extends object>(result: T | Refusal): T {
  if ("because" in result) throw new NoUndo(result.because);
  return result;
}
