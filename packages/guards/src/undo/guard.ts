import { type CommandReader, loadReader } from "@hookline/runtime/command";
import { type Guard, type GuardOptions, guard } from "@hookline/runtime/guard";
import { type CoveredCall, type Lost, labelOf, offerCoverage } from "../cover.ts";
import { type GuardSession, settingsIn } from "../session.ts";
import type { SettingsOf } from "../settings.ts";
import { TOOLS } from "../tools.ts";
import { bytesOf } from "./bytes.ts";
import { undoOf } from "./checkpoints.ts";
import { readOnly } from "./read-only.ts";
import { repositoryOf } from "./repository.ts";
import type { Made, Refusal, Undo } from "./undo.ts";

type Call = Parameters<GuardOptions<"tool.before", string>["run"]>[1];

/**
 * Timeout of these guards, in ms: longer than a checkpoint and the comparison after a call may take, since a guard that
 * is late refuses the call.
 */
const LATE_MS = 60_000;
/** After this many slow checkpoints in a row no more are attempted. */
const MOST_LATE = 3;
/** The most calls that are remembered between their start and their end. */
const MOST_CALLS = 1_000;

/**
 * Makes the guards that take a checkpoint of the project before each call that may change something (`tool.before`),
 * and report after it what was lost (`tool.after`). They refuse nothing. Checkpoints are in the folder `undo` of
 * hookline's home; `checkpoints` and `hookline undo` restore them. Losses that a checkpoint can restore are allowed by
 * `commands` if it has the same `session` object. A checkpoint that takes longer than 2 s is left out, and the person
 * is told. `settings` override those of `session`. Throws an `Error` that names the setting for a wrong value.
 */
export function undo(settings: Partial<SettingsOf<"undo">> = {}, session: GuardSession = {}): readonly Guard[] {
  const checkpoints = new CallCheckpoints(settings, session);
  offerCoverage(session, (call, lost) => checkpoints.cover(call, lost));
  return [
    guard({
      name: "undo",
      on: "tool.before",
      timeoutMs: LATE_MS,
      run: async ({ toolCallId, tool, args }, call) => {
        if (!isReplay() && (await checkpoints.mayChange(tool, args)))
          checkpoints.tell(await checkpoints.before({ toolCallId, label: labelOf(tool, args) }, true), call);
      },
    }),
    guard({
      name: "undo: what a call lost",
      on: "tool.after",
      timeoutMs: LATE_MS,
      run: async ({ toolCallId }, call) => {
        const lost = await checkpoints.lostBy(toolCallId);
        if (lost === undefined) return undefined;
        call.notice(lost);
        return { remark: lost };
      },
    }),
  ];
}

/** A call with its checkpoint, or the reason why it has none. */
interface CheckedCall {
  readonly label: string;
  readonly made: Promise<Made | Refusal>;
  /** Whether the call itself was seen, and not only another guard's question about it. */
  isCall: boolean;
}

/** Makes the checkpoints of a session, one for each call. No method throws. */
class CallCheckpoints {
  readonly #session: GuardSession;
  readonly #settings: SettingsOf<"undo">;
  readonly #calls = new Map<string, CheckedCall>();
  #reader: Promise<CommandReader> | undefined;
  #opened: { readonly undo: Undo; readonly repository: string | undefined } | undefined;
  /** The reason why no more checkpoints are attempted; `undefined` as long as they are. */
  #ended: Refusal | undefined;
  #late = 0;
  readonly #told = new Set<string>();

  constructor(settings: Partial<SettingsOf<"undo">>, session: GuardSession) {
    this.#session = session;
    this.#settings = settingsIn("undo", settings, session);
  }

  /** Whether a call may change something in the project. */
  async mayChange(tool: string, args: object): Promise<boolean> {
    if (tool !== "bash") return (TOOLS[tool] ?? "write") === "write";
    const { command } = args as { readonly command?: unknown };
    if (typeof command !== "string") return true;
    try {
      return !readOnly(command, await (this.#reader ??= loadReader()));
    } catch {
      return true;
    }
  }

  /** Makes one checkpoint for a call. `isCall`: the call itself begins; otherwise a guard only asks about it. */
  before(call: CoveredCall, isCall = false): Promise<Made | Refusal> {
    const id = partless(call.toolCallId);
    const known = id === "" ? undefined : this.#calls.get(id);
    // The id may belong to an earlier call that never ended, so the label must match too.
    if (known?.label === call.label && !(isCall && known.isCall)) {
      known.isCall ||= isCall;
      return known.made;
    }
    const made = this.#checkpoint(call.label);
    this.#calls.set(id, { label: call.label, made, isCall });
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MOST_CALLS && oldest !== undefined) this.#calls.delete(oldest);
    return made;
  }

  async #checkpoint(label: string): Promise<Made | Refusal> {
    if (this.#ended !== undefined) return this.#ended;
    if (isReplay()) return { because: "A replay makes no checkpoints." };
    try {
      const made = await this.#open().checkpoint(label);
      this.#late = "because" in made && made.is === "late" ? this.#late + 1 : 0;
      if ("because" in made && (made.is === "big" || this.#late >= MOST_LATE)) this.#ended = made;
      return made;
    } catch (error) {
      return { because: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Reopens the checkpoints if a repository was created or deleted. */
  #open(): Undo {
    const { cwd = process.cwd(), project = cwd } = this.#session;
    const repository = JSON.stringify(repositoryOf(bytesOf(project)));
    if (this.#opened === undefined || this.#opened.repository !== repository)
      this.#opened = { undo: undoOf(this.#session, this.#settings), repository };
    return this.#opened.undo;
  }

  /** Tells the person, once, why there is no checkpoint. */
  tell(made: Made | Refusal, call: Call): void {
    if (!("because" in made) || this.#told.has(made.because)) return;
    this.#told.add(made.because);
    call.notice(`${made.because} Calls go on without a checkpoint.`);
  }

  /** Makes the checkpoint of a call, and returns why it cannot restore everything that would be lost. */
  async cover(call: CoveredCall, lost: readonly Lost[]): Promise<string | undefined> {
    const made = await this.before(call);
    if ("because" in made) return made.because;
    try {
      const { number } = made.checkpoint;
      return lost.map((one) => this.#opened?.undo.covers(one, number)).find((refusal) => refusal !== undefined)
        ?.because;
    } catch (error) {
      return String(error);
    }
  }

  /** Returns what was lost since the checkpoint of a call, and forgets the call. */
  async lostBy(toolCallId: string): Promise<string | undefined> {
    const id = partless(toolCallId);
    const made = await this.#calls.get(id)?.made;
    this.#calls.delete(id);
    if (made === undefined || "because" in made) return undefined;
    const { number } = made.checkpoint;
    const lost = await this.#opened?.undo.lostSince(number);
    if (lost === undefined || "because" in lost || lost.length === 0) return undefined;
    return `${lost.join(" ")} \`hookline undo ${number}\` brings it back.`;
  }
}

/** Whether recorded calls are being replayed, which do not run now. */
function isReplay(): boolean {
  return process.env["HOOKLINE_REPLAY"] === "1";
}

/** Returns `ID` for `ID#2`: the bridge asks about each part of a call (a file of a patch), which has one result. */
function partless(toolCallId: string): string {
  return toolCallId.replace(/#\d+$/, "");
}
