import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FrozenConsent, HooklineError, type HostUi, type Session } from "@hookline/runtime";
import { admission, type Lack, readPrivate, writePrivate } from "@hookline/runtime/internal";
import type { Admits } from "../agent/switch.ts";
import type { Place } from "./place.ts";

/** What a run is admitted by. */
export interface AdmitParts {
  readonly place: Place;
  readonly hooks: Session;
  /** The person at a screen; without one nobody is asked. */
  readonly ui: HostUi | undefined;
  /** `--allow-broken-hooks`. */
  readonly allowsBroken: boolean;
  /** What left dialects out, such as `--no-hooks`; named where something is lacking. */
  readonly leftOut: string | undefined;
  tell(text: string): void;
}

/**
 * Decides whether a run may begin, and later go on, with the hooks that it has (decisions 53 to 55 and 59). What a
 * person goes on without is kept by the bytes of its file, so that they are asked once.
 */
export class Admission implements Admits {
  readonly #parts: AdmitParts;

  constructor(parts: AdmitParts) {
    this.#parts = parts;
  }

  /** Before `session.start`: throws where the run must not begin; asks a person about the rest. */
  async begin(): Promise<void> {
    await this.#decide(this.#lacks(this.#parts.hooks, false));
  }

  /** After `session.start`: throws where something that must run has registered no handler by then. */
  async started(): Promise<void> {
    await this.#decide(this.#lacks(this.#parts.hooks, true));
  }

  /** Before the hooks are loaded anew: throws for what is broken on disk, so that those of before stay. */
  async beforeReload(): Promise<void> {
    const problems = await this.#parts.hooks.rehearse();
    const accepted = this.#accepted();
    const fresh = problems.filter(({ source }) => !accepted.has(stampOf(source?.path) ?? ""));
    if (fresh.length === 0 || this.#parts.allowsBroken) return;
    const lines = fresh.map(({ message }) => `- ${message}`);
    throw new HooklineError("NOT_ADMITTED", {
      what: "The hooks were not loaded anew, and those of before go on working",
      problem: lines.join("\n"),
      remedy: "Correct what is named, then try again.",
    });
  }

  /** Judges what was loaded anew: throws where those of before must stay. */
  reloaded(fresh: Pick<Session, "report" | "missing">): void {
    const accepted = this.#accepted();
    const lacks = this.#lacks(fresh, false).filter(
      ({ effect, kind, path }) => effect !== "tell" && !(kind !== "locked" && accepted.has(stampOf(path) ?? "")),
    );
    if (lacks.length > 0)
      throw this.#refusal(lacks, "The hooks were not loaded anew, and those of before go on working");
  }

  #lacks(hooks: Pick<Session, "report" | "missing">, hasStarted: boolean): readonly Lack[] {
    const { place, ui, allowsBroken } = this.#parts;
    const { consent, dialects, settings } = place;
    const ending = new Set(dialects.flatMap(({ id, endsWhenBroken }) => (endsWhenBroken === true ? [id] : [])));
    return admission({
      missing: hooks.missing(),
      report: hooks.report,
      unreadable: settings.unreadable,
      ...(consent instanceof FrozenConsent && { lock: consent }),
      isHeadless: ui === undefined,
      allowsBroken,
      hasStarted,
      endsWhenBroken: (dialect) => ending.has(dialect),
    });
  }

  async #decide(lacks: readonly Lack[]): Promise<void> {
    const ending = lacks.filter(({ effect }) => effect === "exit");
    if (ending.length > 0) throw this.#refusal(ending, "The run was not started");
    for (const lack of lacks.filter(({ effect }) => effect === "refuse"))
      this.#parts.tell(
        `${lack.name} must run, but does not: ${lack.cause}.${this.#why()} Until it does, no tool is run.`,
      );
    const accepted = this.#accepted();
    const known = (lack: Lack): boolean => accepted.has(this.#stamp(lack));
    const asked = lacks.filter((lack) => lack.effect === "ask");
    const open = asked.filter((lack) => !known(lack));
    if (open.length > 0) await this.#ask(open);
    for (const { kind, name } of asked) if (kind === "declinable") this.#parts.hooks.excuse(name);
  }

  async #ask(lacks: readonly Lack[]): Promise<void> {
    const { ui } = this.#parts;
    const count = `${lacks.length} ${lacks.length === 1 ? "hook or file" : "hooks or files"} cannot be used`;
    const lines = lacks.map(lineOf);
    const answer = await ui?.select?.([`${count}:`, ...lines].join("\n"), ["Quit", "Go on without them"]);
    if (answer !== "Go on without them") throw this.#refusal(lacks, "The run was not started");
    this.#accept(lacks.map((lack) => this.#stamp(lack)));
  }

  #refusal(lacks: readonly Lack[], what: string): HooklineError {
    const flag = lacks.some(({ kind }) => kind === "ending")
      ? " To go on without broken hooks, pass --allow-broken-hooks."
      : "";
    return new HooklineError("NOT_ADMITTED", {
      what,
      problem: lacks.map(lineOf).join("\n") + this.#why(),
      remedy: `\`hookline hooks\` shows what was found and why it does not run.${flag}`,
    });
  }

  #why(): string {
    const { leftOut } = this.#parts;
    return leftOut === undefined ? "" : ` (${leftOut} was given.)`;
  }

  /** What an answer is kept under: the bytes at fault, or what the project demands. */
  #stamp({ kind, name, path }: Lack): string {
    if (kind === "declinable")
      return `${this.#parts.place.cwd}\0${name}\0${stampOf(settingsOf(this.#parts.place)) ?? ""}`;
    return stampOf(path) ?? `${this.#parts.place.cwd}\0${kind}\0${name}`;
  }

  #accepted(): ReadonlySet<string> {
    const read = readPrivate(this.#file());
    if (read.state !== "read") return new Set();
    try {
      const value: unknown = JSON.parse(read.text);
      return new Set(Array.isArray(value) ? value.filter((one) => typeof one === "string") : []);
    } catch {
      // A damaged file holds no answers, so that the person is asked again.
      return new Set();
    }
  }

  #accept(stamps: readonly string[]): void {
    const all = [...new Set([...this.#accepted(), ...stamps])];
    try {
      writePrivate(this.#file(), `${JSON.stringify(all, null, 2)}\n`);
    } catch {
      this.#parts.tell("Your answer could not be kept; you will be asked again at the next start.");
    }
  }

  #file(): string {
    return join(this.#parts.place.hooklineHome, "goes-without.json");
  }
}

function settingsOf({ cwd }: Place): string {
  return join(cwd, ".hookline", "settings.json");
}

function lineOf({ name, cause, kind }: Lack): string {
  return kind === "settings" || cause.startsWith(name) ? `- ${cause}` : `- ${name}: ${cause}`;
}

/** A file and its bytes; undefined where it cannot be read, so that nothing is remembered of it. */
function stampOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return `${path}\0${createHash("sha256").update(readFileSync(path)).digest("hex")}`;
  } catch {
    return undefined;
  }
}
