import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readPrivate, writePrivate } from "@hookline/ground/system";
import { HooklineError, type HostUi } from "@hookline/runtime";
import { admission, FrozenConsent, type HookSession, type Lack } from "@hookline/runtime/session";
import type { Admits } from "../agent/agent-parts.ts";
import type { Place } from "./place.ts";

/** The hooks, the flags and the user interface with which `Admission` decides whether a run may start. */
export interface AdmitParts {
  readonly place: Place;
  readonly hooks: HookSession;
  /** The user interface of a person at a screen; undefined if nobody can be asked. */
  readonly ui: HostUi | undefined;
  /** Whether `--allow-broken-hooks` was given. */
  readonly allowsBroken: boolean;
  /** The flag that left dialects out, such as `--no-hooks`. The refusal names it if something is missing. */
  readonly leftOut: string | undefined;
  /** The text of a refusal in another agent's session: what happened, and what to do. Default: hookline's own text. */
  readonly words?: { readonly what: string; readonly remedy: string };
  /** Finds packages that can be fetched now. Is only called if something is missing, because it takes time. */
  offer?(): Promise<PackageOffer>;
  tell(text: string): void;
}

/** Packages that can be fetched now. */
export interface PackageOffer {
  /** The source of each missing package, such as `npm:name`, by the folder into which it would be fetched. */
  readonly absent: ReadonlyMap<string, string>;
  fetch(sources: readonly string[]): Promise<void>;
}

/**
 * Decides whether a run may start, or continue after a reload, with the loaded hooks (rulings 53 to 55 and 59). If a
 * person accepts a missing or broken hook, the answer is stored with a hash of its file and not asked for again.
 */
export class Admission implements Admits {
  readonly #parts: AdmitParts;

  constructor(parts: AdmitParts) {
    this.#parts = parts;
  }

  /** Decides before `session.start` whether the run may start. Asks the person if necessary; throws if it may not. */
  async begin(): Promise<void> {
    await this.#offerPackages();
    await this.#decide(this.#lacks(this.#parts.hooks, false));
  }

  /** Decides after `session.start` whether the run may continue. Throws if a required hook has no handler. */
  async started(): Promise<void> {
    const proving = this.#parts.hooks.prove();
    // The test cases of guards may run for long, so they are only awaited if some hook is required.
    if (this.#parts.hooks.expects) await proving;
    await this.#decide(this.#lacks(this.#parts.hooks, true));
  }

  /** Checks the hooks on disk before a reload. Throws if one is broken, so that the loaded hooks stay. */
  async beforeReload(): Promise<void> {
    const problems = await this.#parts.hooks.rehearse();
    const accepted = this.#accepted();
    const fresh = problems.filter(({ source }) => !accepted.has(stampOf(source?.path) ?? ""));
    if (fresh.length === 0 || this.#parts.allowsBroken) return;
    const lines = fresh.map(({ message }) => `- ${message}`);
    throw new HooklineError("NOT_ADMITTED", {
      what: "The hooks were not reloaded; the earlier ones stay in force",
      problem: lines.join("\n"),
      remedy: "Correct what is named, then try again.",
    });
  }

  /** Checks reloaded hooks. Throws if the previous ones must stay. */
  reloaded(fresh: Pick<HookSession, "report" | "missing">): void {
    const accepted = this.#accepted();
    const lacks = this.#lacks(fresh, false).filter(
      ({ effect, kind, path }) => effect !== "tell" && !(kind !== "locked" && accepted.has(stampOf(path) ?? "")),
    );
    if (lacks.length > 0) throw this.#refusal(lacks, "The hooks were not reloaded; the earlier ones stay in force");
  }

  #lacks(hooks: Pick<HookSession, "report" | "missing">, hasStarted: boolean): readonly Lack[] {
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
        `${lack.name} must run, but does not: ${lack.cause}.${this.#why()} Until it does, no tool runs.`,
      );
    const accepted = this.#accepted();
    const known = (lack: Lack): boolean => accepted.has(this.#stamp(lack));
    const asked = lacks.filter((lack) => lack.effect === "ask");
    const open = asked.filter((lack) => !known(lack));
    if (open.length > 0) await this.#ask(open);
    for (const { kind, name } of asked) if (kind === "declinable") this.#parts.hooks.excuse(name);
  }

  /** Asks the person whether to fetch missing packages (ruling 86). The caller decides about what is still missing. */
  async #offerPackages(): Promise<void> {
    const { hooks, ui } = this.#parts;
    const accepted = this.#accepted();
    const asked = this.#lacks(hooks, false).filter(
      (lack) => lack.effect === "ask" && lack.path !== undefined && !accepted.has(this.#stamp(lack)),
    );
    const offer = asked.length === 0 ? undefined : await this.#parts.offer?.();
    const lacks = asked.filter(({ path = "" }) => offer?.absent.has(path) === true);
    if (offer === undefined || lacks.length === 0) return;
    const sources = lacks.map(({ path = "" }) => offer.absent.get(path) as string);
    const title = `${sources.length} ${sources.length === 1 ? "package of pi is" : "packages of pi are"} not fetched:`;
    const choices = ["Fetch now", "Go on without", "Quit"] as const;
    const answer = await ui?.select?.([title, ...sources.map((source) => `- ${source}`)].join("\n"), [...choices]);
    if (answer === "Go on without") return this.#accept(lacks.map((lack) => this.#stamp(lack)));
    if (answer !== "Fetch now") throw this.#refusal(lacks, "The run was not started");
    await offer.fetch(sources);
    await hooks.load();
  }

  async #ask(lacks: readonly Lack[]): Promise<void> {
    const { ui } = this.#parts;
    const count = `${lacks.length} ${lacks.length === 1 ? "hook or file" : "hooks or files"} cannot be used`;
    const lines = lacks.map(lineOf);
    const answer = await ui?.select?.([`${count}:`, ...lines].join("\n"), ["Quit", "Continue without them"]);
    if (answer !== "Continue without them") throw this.#refusal(lacks, "The run was not started");
    this.#accept(lacks.map((lack) => this.#stamp(lack)));
  }

  #refusal(lacks: readonly Lack[], what: string): HooklineError {
    const { words } = this.#parts;
    const flag = lacks.some(({ kind }) => kind === "ending")
      ? " To run without broken hooks, pass --allow-broken-hooks."
      : "";
    return new HooklineError("NOT_ADMITTED", {
      what: words?.what ?? what,
      problem: lacks.map(lineOf).join("\n") + this.#why(),
      remedy: words?.remedy ?? `\`hookline hooks\` shows what was found and why it does not run.${flag}`,
    });
  }

  #why(): string {
    const { leftOut } = this.#parts;
    return leftOut === undefined ? "" : ` (${leftOut} was given)`;
  }

  /** Returns the key for storing that a person accepts this broken or missing hook. A changed file has another key. */
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
      // A damaged file contains no answers, so the person is asked again.
      return new Set();
    }
  }

  #accept(stamps: readonly string[]): void {
    const all = [...new Set([...this.#accepted(), ...stamps])];
    try {
      writePrivate(this.#file(), `${JSON.stringify(all, null, 2)}\n`);
    } catch {
      this.#parts.tell("Your answer could not be saved; you will be asked again at the next start.");
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

/** Returns a file's path and hash; undefined if it cannot be read, so that no answer is stored for it. */
function stampOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return `${path}\0${createHash("sha256").update(readFileSync(path)).digest("hex")}`;
  } catch {
    return undefined;
  }
}
