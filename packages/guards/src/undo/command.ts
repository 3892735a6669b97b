import { parseArgs } from "node:util";
import type { SettingsOf } from "../settings.ts";
import { counted, listedChanges, type TreeChange } from "./changes.ts";
import { NoUndo } from "./no-undo.ts";
import type { CheckpointRecord } from "./records.ts";
import type { Plan } from "./restore.ts";
import { openUndo, type Refusal, type Restored, type Undo } from "./undo.ts";

/** Input and output of the command. Each text ends with a newline. */
export interface UndoCommandPorts {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Asks a person a yes-or-no question; `undefined` if nobody can be asked. */
  readonly ask: ((question: string) => Promise<boolean>) | undefined;
  readonly cwd: string;
  /** hookline's home. */
  readonly home: string;
  readonly settings?: SettingsOf<"undo">;
  readonly personHome?: string;
  /** Returns the time in epoch ms. */
  readonly now?: () => number;
  /** The command as the person types it; `hookline undo` by default. */
  readonly typed?: string;
}

/** The help text of `hookline undo`. */
export const UNDO_HELP = `hookline undo [NUMBER] [options]

Brings the project back to a checkpoint: its files, and its git repository with refs, index and stash.
Without a number it undoes the last call that changed something. It shows first what it will do, and what is
there now becomes a checkpoint too, so an undo can be undone by its number.

  --list          lists the checkpoints, newest first
  --diff          shows what changed since the checkpoint, and restores nothing
  --file PATH     restores only this file or folder; may be repeated
  --delete-new    also deletes files that appeared since the checkpoint
  --yes           does not ask
`;

const OPTIONS = {
  list: { type: "boolean" },
  diff: { type: "boolean" },
  file: { type: "string", multiple: true },
  "delete-new": { type: "boolean" },
  yes: { type: "boolean" },
  help: { type: "boolean" },
} as const;

/**
 * Runs `hookline undo` with its arguments. Returns the exit code: 0 if it was done or there was nothing to do, 1 if it
 * was refused or declined, 2 for unknown arguments.
 */
export async function undoCommand(words: readonly string[], ports: UndoCommandPorts): Promise<0 | 1 | 2> {
  let read: ReturnType<typeof readWords>;
  try {
    read = readWords(words);
  } catch (error) {
    ports.err(`${error instanceof Error ? error.message : String(error)}\n\n${UNDO_HELP}`);
    return 2;
  }
  if (read.help === true) {
    ports.out(UNDO_HELP);
    return 0;
  }
  try {
    const undo = opened(ports);
    if (read.list === true) return list(undo, ports);
    const target = read.number ?? (await undo.latest());
    if (typeof target !== "number" && "because" in target) return refused(target, ports);
    const number = typeof target === "number" ? target : target.number;
    if (read.diff === true) return await diff(undo, number, ports);
    return await bringBack(undo, number, { ...read, ports });
  } catch (error) {
    if (error instanceof NoUndo) return refused({ because: error.message }, ports);
    throw error;
  }
}

/** A checkpoint that differs from the current state. */
export interface UndoOffer {
  readonly number: number;
  /** The action after the checkpoint, in one line, and the checkpoint's age. */
  readonly before: string;
  readonly age: string;
  /** Returns what restoring would do, one line for each file; computed on the first call. */
  does(): readonly string[];
}

/** Returns what `hookline undo NUMBER` can restore, newest first, or why there is nothing. */
export async function undoOffers(
  ports: Pick<UndoCommandPorts, "cwd" | "home" | "settings" | "personHome" | "now">,
): Promise<readonly UndoOffer[] | Refusal> {
  try {
    const found = await opened(ports).offers();
    if ("because" in found) return found;
    const { now = Date.now } = ports;
    return found.map(({ checkpoint: { number, label, atMs }, plans }) => {
      let lines: readonly string[] | undefined;
      const does = (): readonly string[] => (lines ??= shownPlans(plans));
      return { number, before: oneLine(label), age: ageText(now() - atMs), does };
    });
  } catch (error) {
    if (error instanceof NoUndo) return { because: error.message };
    throw error;
  }
}

function shownPlans(plans: () => readonly Plan[]): readonly string[] {
  try {
    const { does, kept } = planLines(plans());
    return [...does, ...kept];
  } catch (error) {
    if (error instanceof NoUndo) return [error.message];
    throw error;
  }
}

function opened({
  cwd,
  home,
  settings,
  personHome,
  now,
}: Pick<UndoCommandPorts, "cwd" | "home" | "settings" | "personHome" | "now">): Undo {
  return openUndo({
    project: cwd,
    home,
    ...(settings === undefined ? {} : { settings }),
    ...(personHome === undefined ? {} : { personHome }),
    ...(now === undefined ? {} : { now }),
  });
}

function readWords(words: readonly string[]) {
  const { values, positionals } = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
  const [first, second] = positionals;
  if (second !== undefined) throw new Error(`Unexpected argument "${second}". Give the number of one checkpoint.`);
  if (first !== undefined && !/^[1-9]\d{0,8}$/.test(first))
    throw new Error(`"${first}" is not the number of a checkpoint. \`hookline undo --list\` shows them.`);
  return { ...values, number: first === undefined ? undefined : Number(first) };
}

function list(undo: Undo, { out, now = Date.now }: UndoCommandPorts): 0 {
  const records = undo.list();
  if (records.length === 0) out("No checkpoints yet: none of the calls here may have changed something.\n");
  else out(listText(records, now()));
  return 0;
}

/** Returns a line for each checkpoint: its number, its age, and the action after it. */
export function listText(records: readonly CheckpointRecord[], nowMs: number): string {
  const width = String(records[0]?.number ?? 0).length;
  const lines = records.map(({ number, atMs, label, leftOut }) => {
    const big = leftOut.filter(({ why }) => why !== "rebuildable").length;
    const without = big === 0 ? "" : ` (without ${counted(big, "file")})`;
    return `${String(number).padStart(width)}  ${ageText(nowMs - atMs).padEnd(14)}  before: ${oneLine(label)}${without}\n`;
  });
  return lines.join("");
}

/** Formats the time since something happened. */
export function ageText(ms: number): string {
  const UNITS = [
    [86_400_000, "day"],
    [3_600_000, "hour"],
    [60_000, "minute"],
  ] as const;
  const unit = UNITS.find(([length]) => ms >= length);
  return unit === undefined ? "just now" : `${counted(Math.floor(ms / unit[0]), unit[1])} ago`;
}

async function diff(undo: Undo, number: number, ports: UndoCommandPorts): Promise<0 | 1> {
  const found = await undo.diff(number);
  if ("because" in found) return refused(found, ports);
  const { told, files, lines } = found;
  if (told.length + files.length === 0) ports.out(`Nothing changed since checkpoint ${number}.\n`);
  else ports.out(`Since checkpoint ${number}:\n${[...told, "", ...files].join("\n")}\n\n${shownLines(lines)}`);
  return 0;
}

async function bringBack(
  undo: Undo,
  number: number,
  {
    file,
    yes,
    ports,
    ...rest
  }: {
    readonly file?: string[] | undefined;
    readonly yes?: boolean | undefined;
    readonly "delete-new"?: boolean | undefined;
    readonly ports: UndoCommandPorts;
  },
): Promise<0 | 1> {
  const options = { removesNew: rest["delete-new"] === true, ...(file === undefined ? {} : { files: file }) };
  const plans = await undo.plan(number, options);
  if ("because" in plans) return refused(plans, ports);
  const text = planText(number, plans);
  ports.out(text.body);
  if (text.isIdle) return 0;
  if (yes !== true) {
    if (ports.ask === undefined)
      return refused({ because: "Nobody can be asked here. Add --yes to do this without a question." }, ports);
    if (!(await ports.ask(`Go back to checkpoint ${number}?`))) {
      ports.out("Nothing was changed.\n");
      return 1;
    }
  }
  const restored = await undo.restore(number, options);
  if ("because" in restored) return refused(restored, ports);
  ports.out(restoredText(number, restored, ports.typed));
  return 0;
}

const MOST_LINES = 40;

/** Describes to a person what a restore will do. */
export function planText(number: number, plans: readonly Plan[]): { readonly body: string; readonly isIdle: boolean } {
  const { does, kept } = planLines(plans);
  if (does.length === 0) {
    const hint = kept.length === 0 ? "" : ` ${counted(kept.length, "file")} appeared since; --delete-new deletes them.`;
    return { body: `Nothing to bring back from checkpoint ${number}.${hint}\n`, isIdle: true };
  }
  const shown = [...does, ...kept];
  const more = shown.length > MOST_LINES ? [`and ${shown.length - MOST_LINES} more`] : [];
  const body = [...shown.slice(0, MOST_LINES), ...more].map((line) => `  ${line}\n`).join("");
  return { body: `Going back to checkpoint ${number} will:\n${body}`, isIdle: false };
}

/** Returns a line for each change of a restore, and for each newer file that stays. */
export function planLines(plans: readonly Plan[]): {
  readonly does: readonly string[];
  readonly kept: readonly string[];
} {
  const all = (pick: (plan: Plan) => readonly TreeChange[]): TreeChange[] => plans.flatMap(pick);
  const files = (changes: readonly TreeChange[]): string[] =>
    listedChanges(changes.filter(({ repository, path }) => repository === undefined && !path.startsWith(".git/")));
  const [written, modes, removed, kept] = [
    files(all((plan) => plan.written)).map((line) => line.replace(/^A /, "bring back ").replace(/^M /, "overwrite ")),
    files(all((plan) => plan.modes)),
    files(all((plan) => plan.removed)).map((line) => line.replace(/^D /, "delete ")),
    files(all((plan) => plan.kept)).map((line) => line.replace(/^D /, "keep ")),
  ];
  const inGit = all(({ written, modes, removed }) => [...written, ...modes, ...removed]).filter(
    ({ repository, path, before, after }) =>
      (repository !== undefined || path.startsWith(".git/")) &&
      listedChanges([{ path, before, after, kind: "changed", repository }]).length > 0,
  );
  const git =
    inGit.length === 0
      ? []
      : [`git: ${counted(inGit.length, "file")} of the repository (refs, index, stash and the like)`];
  return {
    does: [...written, ...modes, ...removed, ...git],
    kept: kept.map((line) => `${line} (it appeared since; --delete-new deletes it)`),
  };
}

/** Describes to a person what a restore did. */
export function restoredText(number: number, { before, plans, aside }: Restored, typed = "hookline undo"): string {
  const all = plans.flatMap(({ written, modes, removed }) => [...written, ...modes, ...removed]);
  const count = listedChanges(all).length;
  const moved = aside.map((path) => `What was in the way is now ${path}.\n`).join("");
  const isNew = plans.some(({ written }) => written.some((change) => change.before === undefined));
  const back = `${typed} ${before}${isNew ? " --delete-new" : ""}`;
  return `Back at checkpoint ${number}: ${counted(count, "change")}.\n${moved}To take this back: ${back}\n`;
}

function refused({ because }: Refusal, { err }: UndoCommandPorts): 1 {
  err(`${because}\n`);
  return 1;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/[\0-\x1f\x7f-\x9f]+/g, " ").trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

/** Splits text from files into lines, with control characters escaped for the screen. */
function shownLines(text: string): string {
  return text.replaceAll(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, (one) => JSON.stringify(one).slice(1, -1));
}
