import { type Glob, globOf } from "@hookline/runtime/command";
import type { SettingsOf } from "../settings.ts";
import { type CheckResult, foundChecks } from "./check.ts";
import { changedBetween, lookAt, type Snapshot } from "./files.ts";

/** Dependencies of a verifier. */
export interface VerifierParts {
  readonly root: string;
  readonly settings: SettingsOf<"verify">;
  run(check: string, signal?: AbortSignal): Promise<CheckResult>;
  /** Removes secrets from a check's output. */
  redact(text: string): Promise<string>;
  /** Shows a sentence to the person. */
  tell(text: string): void;
}

const TESTS = /(?:^|\/)(?:tests?|__tests__|specs?)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]*\.py$/i;
/** The most times that the model is sent back with the same failure. */
const MAX_SAME = 2;

/** Tracks a session's checks: which failed before the first change, and how often the model was sent back. */
export class Verifier {
  readonly #parts: VerifierParts;
  readonly #when: readonly Glob[];
  /** The checks that failed before the first change; `undefined` until they have run. */
  #failedBefore: ReadonlySet<string> | undefined;
  /** The run of the checks before the first change, which all changes wait for. */
  #baseline: Promise<void> | undefined;
  /** The files at the prompt or, if the checks have run since, after their last run. */
  #seen: Snapshot | undefined;
  #changed = new Set<string>();
  #stillFails: readonly string[] = [];
  #rounds = 0;
  #last = "";
  #same = 0;
  #hasTold = false;

  constructor(parts: VerifierParts) {
    this.#parts = parts;
    this.#when = parts.settings.when.map((one) => globOf(one));
  }

  /** Called when a person's prompt begins. */
  prompt(): void {
    if (this.#parts.settings.run.length === 0 && this.#hasTold) return;
    this.#seen = lookAt(this.#parts.root);
    this.#changed = new Set();
    this.#stillFails = [];
    [this.#rounds, this.#last, this.#same] = [0, "", 0];
  }

  /** Called before a change of files. Before the first change, the checks run to find out which ones fail anyway. */
  async change(signal?: AbortSignal): Promise<void> {
    if (this.#failedBefore !== undefined || this.#parts.settings.run.length === 0) return;
    this.#baseline ??= this.#checkedBefore(signal);
    await this.#baseline;
  }

  async #checkedBefore(signal?: AbortSignal): Promise<void> {
    const failing = await this.#failing(signal);
    this.#baseline = undefined;
    // Interrupted checks prove nothing; the next change runs them again.
    if (signal?.aborted === true) return;
    this.#failedBefore = new Set(failing.keys());
    // Files written by the checks themselves are not the model's changes.
    this.#seen = lookAt(this.#parts.root);
  }

  /** Called when the model would stop; returns the feedback to send it back with, or `undefined`. */
  async stop(signal?: AbortSignal): Promise<string | undefined> {
    const { root, settings } = this.#parts;
    const now = lookAt(root);
    const changed = this.#seen === undefined ? [] : changedBetween(root, this.#seen, now);
    if (settings.run.length === 0) return this.#tellFound(changed);
    for (const path of changed) this.#changed.add(path);
    const counts = (path: string): boolean =>
      this.#when.some((glob) => glob.test(path) || glob.test(path.split("/").at(-1) ?? ""));
    if (changed.length === 0 || (this.#when.length > 0 && !changed.some(counts))) return this.#end(this.#stillFails);
    const failing = await this.#failing(signal);
    this.#seen = lookAt(root);
    if (signal?.aborted === true) return undefined;
    const blamed = [...failing].filter(([check]) => this.#failedBefore?.has(check) !== true);
    const last = JSON.stringify(blamed.map(([check, output]) => [check, output.replace(/\d+/g, "")]));
    this.#same = last === this.#last ? this.#same + 1 : 0;
    this.#last = last;
    const names = blamed.map(([check]) => check);
    if (blamed.length === 0 || this.#rounds >= settings.rounds || this.#same >= MAX_SAME) {
      this.#failedBefore = new Set(failing.keys());
      return this.#end(names);
    }
    this.#rounds += 1;
    this.#stillFails = names;
    return this.#feedback(blamed);
  }

  /** Runs the checks; returns those that fail, with the ends of their outputs. */
  async #failing(signal?: AbortSignal): Promise<Map<string, string>> {
    const failing = new Map<string, string>();
    for (const check of this.#parts.settings.run) {
      if (signal?.aborted === true) break;
      const { passed, output } = await this.#parts.run(check, signal);
      if (!passed) failing.set(check, output);
    }
    return failing;
  }

  async #feedback(blamed: readonly (readonly [check: string, output: string])[]): Promise<string> {
    const before = this.#failedBefore === undefined ? "" : " (it passed before)";
    const parts = blamed.map(
      async ([check, output]) =>
        `The check \`${check}\` fails since your change${before}:\n${await this.#parts.redact(output)}`,
    );
    const again = this.#same > 0 ? "The failure is the same as before. " : "";
    const tests = this.#testsChanged();
    return [
      ...(await Promise.all(parts)),
      ...(tests === undefined ? [] : [`The tests were changed too: ${tests}.`]),
      `${again}Fix it, or say why it cannot be fixed.`,
    ].join("\n");
  }

  /** Allows the stop, and tells the person which checks still fail and which tests were changed. */
  #end(failing: readonly string[]): undefined {
    const { tell } = this.#parts;
    const count = failing.length === 1 ? "1 check still fails" : `${failing.length} checks still fail`;
    if (failing.length > 0) tell(`verify: ${count}: ${failing.join(", ")}.`);
    const tests = this.#testsChanged();
    if (tests !== undefined) tell(`verify: the tests were changed too: ${tests}.`);
    this.#stillFails = [];
    this.#changed = new Set();
    return undefined;
  }

  /**
   * Tells the person once which checks were found. Without the setting `run` none is started: they are project code.
   */
  #tellFound(changed: readonly string[]): undefined {
    const found = this.#hasTold || changed.length === 0 ? [] : foundChecks(this.#parts.root);
    if (found.length === 0) return undefined;
    this.#hasTold = true;
    this.#parts.tell(
      `verify: files changed, and nothing was checked. If this project's code may run, name its checks: verify({ run: ${JSON.stringify(found)} }).`,
    );
    return undefined;
  }

  #testsChanged(): string | undefined {
    const paths = [...this.#changed].filter((path) => TESTS.test(path));
    if (paths.length === 0) return undefined;
    const { files } = this.#seen ?? { files: new Map<string, string>() };
    return paths.map((path) => (files.get(path) === "gone" ? `${path} (deleted)` : path)).join(", ");
  }
}
