import type { Code, Fields } from "@hookline/ground";
import { type Diagnostic, diagnose, place } from "@hookline/ground";
import type { Hook } from "../hook/hook.ts";
import type { Plan } from "../hook/lane.ts";
import type { Ask } from "./ask.ts";
import type { Edit, HookRun, LaneAnswer, Notice, Outcome, Status } from "./outcome.ts";

/** Collects what hooks did in one dispatch, for the outcome; made when there is something to collect. */
export class Account {
  readonly notices: Notice[] = [];
  readonly said: LaneAnswer[] = [];
  readonly #edits: Edit[] = [];
  readonly #runs: HookRun[] = [];
  readonly #diagnostics: Diagnostic[] = [];
  readonly #tell: (diagnostic: Diagnostic) => void;

  constructor(tell: (diagnostic: Diagnostic) => void) {
    this.#tell = tell;
  }

  /** Whether any hook has edited anything so far. */
  get edited(): boolean {
    return this.#edits.length > 0;
  }

  edit(edit: Edit): void {
    this.#edits.push(edit);
  }

  run(hook: Hook, lane: string, pass: 1 | 2, status: Status, ask?: Ask, answer?: unknown): void {
    const run: { -readonly [K in keyof HookRun]: HookRun[K] } = {
      hook: hook.id,
      lane,
      place: place(hook.source),
      pass,
      status,
      ms: ask?.ms ?? 0,
    };
    if (answer !== undefined) run.answer = answer;
    if (ask !== undefined && ask.stderr !== "") run.stderr = ask.stderr;
    if (ask?.failure !== undefined) run.problem = ask.failure.message;
    this.#runs.push(run);
  }

  /** Adds a problem to the outcome and passes it to the session. If a listener there throws, nothing changes. */
  report(diagnostic: Diagnostic): void {
    this.#diagnostics.push(diagnostic);
    try {
      this.#tell(diagnostic);
    } catch {
      // The listener for diagnostics has failed, so its error cannot be reported to it either.
    }
  }

  /** Reports a diagnostic about one hook, such as a timeout; returns its message. */
  about(code: Code, hook: Hook, event: string, details: { readonly [name: string]: string | number } = {}): string {
    const known = { hook: hook.id, place: place(hook.source), event, ...details };
    const diagnostic = diagnose(code, known, { source: hook.source, hook: hook.id, event });
    this.report(diagnostic);
    return diagnostic.message;
  }

  /** Adds the hooks that the dispatch did not reach. */
  notReached(plan: Plan): void {
    const reached = new Set(this.#runs.map((run) => run.hook));
    for (const { lane, hooks } of plan.stations) {
      for (const hook of hooks) if (!reached.has(hook.id)) this.run(hook, lane.id, 1, "not-reached");
    }
  }

  outcome(answer: Fields, ms: number): Outcome {
    return {
      answer,
      said: this.said,
      edits: this.#edits,
      notices: this.notices,
      diagnostics: this.#diagnostics,
      hooks: this.#runs,
      ms,
    };
  }
}
