import { messageOf } from "../../error/error.ts";
import type { Surroundings } from "../dialect.ts";
import { isFailing, type Report, readRaw } from "./answer.ts";
import { type CommandRun, runCommand } from "./command.ts";
import type { Definition } from "./definition.ts";
import type { ClaudeEvent } from "./views.ts";

/** A hook that was started and is not waited for. */
export interface Running {
  readonly label: string;
  readonly event: string;
  /** By the host's clock, in ms. */
  readonly startedAt: number;
}

/** What a woken model is told before the hook's own words. */
const WOKEN = "A hook that ran in the background reports:";

/** Hooks that run in the background of one session. Source: spec/claude.md 2, `async` and `asyncRewake`. */
export class Background {
  readonly #running = new Map<AbortController, Running>();

  /** Those that run now, in the order of their starts. */
  list(): readonly Running[] {
    return [...this.#running.values()];
  }

  /** Starts a command and goes on. What it says counts from the next prompt on; it can refuse nothing any more. */
  start(definition: Definition, event: ClaudeEvent, run: Omit<CommandRun, "signal">): void {
    const { around, label } = run;
    const abort = new AbortController();
    this.#running.set(abort, { label, event: definition.event, startedAt: around.clock.now() });
    void runCommand(definition, event, { note: () => {}, pass: 1 }, { ...run, signal: abort.signal })
      .then((report) => this.#ended(definition, report, run))
      .catch((thrown: unknown) => {
        if (!abort.signal.aborted) around.services.log?.("warn", `${label}: ${messageOf(thrown)}`);
      })
      .finally(() => this.#running.delete(abort));
  }

  /** Ends all that run; gives those that were ended. */
  end(): readonly Running[] {
    const ended = this.list();
    for (const abort of this.#running.keys()) abort.abort();
    return ended;
  }

  #ended({ event, wakes }: Definition, report: Report, { around, label }: Omit<CommandRun, "signal">): void {
    const { conversation, ui } = around.services;
    const { exit = 0, stderr = "" } = report;
    if (wakes !== undefined && exit === 2) {
      const content = reminder([wakes.message ?? WOKEN, stderr.trim()]);
      conversation?.sendMessage(
        { customType: "claude", content, display: false },
        { triggerTurn: true, deliverAs: "followUp", sender: label },
      );
      if (wakes.summary !== undefined) ui?.notify?.(wakes.summary, "info");
      return;
    }
    if (isFailing(report) || exit === 2) around.services.log?.("warn", `${label}: exit code ${exit}`);
    const reading = readRaw(event, { ...report, exit: 0 });
    if (!reading.ok) return;
    if (reading.notice !== undefined) ui?.notify?.(reading.notice, "info");
    const text = reading.answer?.additionalContext;
    if (text !== undefined)
      conversation?.sendMessage(
        { customType: "claude", content: reminder([text]), display: false },
        { deliverAs: "nextTurn", sender: label },
      );
  }
}

function reminder(texts: readonly string[]): string {
  return `<system-reminder>\n${texts.filter((text) => text !== "").join("\n")}\n</system-reminder>`;
}

const KEY = "claude.background";

/** The background of a session. */
export function backgroundOf({ shared }: Pick<Surroundings, "shared">): Background {
  const known = shared.get(KEY) as Background | undefined;
  const background = known ?? new Background();
  if (known === undefined) shared.set(KEY, background);
  return background;
}
