import { type Diagnostic, place } from "@hookline/ground";
import type { StandInRule } from "../catalog/row.ts";
import type { Expected } from "./expected.ts";
import { isLoaded, type LoadReport } from "./report.ts";

/** An expected hook that does not run, and why. */
export interface Missing {
  readonly expected: Expected;
  readonly cause: string;
  /** The events that a stand-in refuses for the hook: guarded ones, or prompts for a hook that guards nothing. */
  readonly on: StandInRule["for"];
  /** Whether the hook is loaded but has registered no handler yet, which it may still do while the session starts. */
  readonly isPending: boolean;
}

/**
 * The consequence if a run lacks something. `exit`: the run does not start. `ask`: a person decides. `refuse`: the run
 * starts, and stand-ins refuse guarded calls. `tell`: the run starts, because the lack has been reported.
 */
export type Effect = "exit" | "ask" | "refuse" | "tell";

/** The reason why something is lacking: the lock, a requirement, unusable settings, or a broken hook. */
export type LackKind = "locked" | "unlisted" | "required" | "declinable" | "settings" | "ending" | "broken";

/** Something that a run should have but does not. */
export interface Lack {
  readonly kind: LackKind;
  /** The name of the hook, lock entry or file that is lacking or faulty. */
  readonly name: string;
  readonly cause: string;
  readonly effect: Effect;
  /** The faulty file, if there is one. A person's permission to run without it counts until the file changes. */
  readonly path?: string;
}

/** The facts that decide whether a run may start. */
export interface AdmissionFacts {
  readonly missing: readonly Missing[];
  readonly report: LoadReport;
  /** Settings files of the person or the administrator that could not be used. */
  readonly unreadable: readonly Diagnostic[];
  /** The lock, if only hooks that it lists may run; `speaksFor` says which dialects it covers. */
  readonly lock?: { readonly path: string; readonly problem: string | undefined; speaksFor(dialect: string): boolean };
  /** Whether nobody can be asked, as in print, json and rpc modes. */
  readonly isHeadless: boolean;
  /** Whether `--allow-broken-hooks` was given. */
  readonly allowsBroken: boolean;
  /** Whether `session.start` has ended, after which no hook is pending any more. */
  readonly hasStarted: boolean;
  /** Whether the dialect's own program refuses to start if a hook cannot be loaded. */
  endsWhenBroken(dialect: string): boolean;
}

/** The consequence of each kind of lack. No other code knows it (rulings 53 to 55 and 59). */
const EFFECT: Readonly<Record<LackKind, Readonly<Record<"headless" | "screen" | "allowed", Effect>>>> = {
  locked: { headless: "exit", screen: "exit", allowed: "exit" },
  unlisted: { headless: "exit", screen: "exit", allowed: "exit" },
  required: { headless: "exit", screen: "refuse", allowed: "refuse" },
  declinable: { headless: "exit", screen: "ask", allowed: "ask" },
  settings: { headless: "exit", screen: "ask", allowed: "ask" },
  ending: { headless: "exit", screen: "ask", allowed: "tell" },
  broken: { headless: "tell", screen: "ask", allowed: "tell" },
};

/** Returns everything that a run lacks, with the consequence; empty if the run may simply start. */
export function admission(facts: AdmissionFacts): readonly Lack[] {
  const { isHeadless, allowsBroken } = facts;
  const effectOf = (kind: LackKind): Effect => {
    const { headless, screen, allowed } = EFFECT[kind];
    const here = isHeadless ? headless : screen;
    // `--allow-broken-hooks` changes the consequence of these two kinds only.
    return allowsBroken && (kind === "ending" || kind === "broken") ? allowed : here;
  };
  const lack = (kind: LackKind, name: string, cause: string, path?: string): Lack => ({
    kind,
    name,
    cause,
    effect: effectOf(kind),
    ...(path !== undefined && { path }),
  });
  const expected = facts.missing
    .filter(({ isPending }) => facts.hasStarted || !isPending)
    .map(({ expected, cause }) => lack(KIND_OF[expected.by], expected.name, cause));
  const unreadable = facts.unreadable.map(({ message }) => lack("settings", "the settings", message));
  if (facts.hasStarted) return [...expected, ...unreadable];
  return [...expected, ...unlisted(facts, lack), ...unreadable, ...broken(facts, lack)];
}

const KIND_OF: Readonly<Record<Expected["by"], LackKind>> = {
  setting: "required",
  project: "declinable",
  lock: "locked",
  found: "required",
};

type MakeLack = (kind: LackKind, name: string, cause: string, path?: string) => Lack;

/**
 * Returns the project's hooks that the lock does not list, or the lack of a lock. Broken entries of the lock are
 * already reported.
 */
function unlisted({ lock, report, missing }: AdmissionFacts, lack: MakeLack): Lack[] {
  if (lock === undefined) return [];
  if (lock.problem !== undefined) return [lack("unlisted", lock.path, lock.problem)];
  const locked = new Set(missing.map(({ expected }) => expected.path));
  return report.sources
    .filter(({ path }) => !locked.has(path))
    .filter(({ tier, state }) => tier === "project" && (state === "untrusted" || state === "broken"))
    .filter((source) => !isLoaded(source))
    .filter(({ dialect }) => lock.speaksFor(dialect))
    .map((source) => lack("unlisted", place(source), `${lock.path} does not list this version of the hook`));
}

/** Returns the hooks that may run but could not be loaded. An unapproved hook is not broken. */
function broken({ report, lock, endsWhenBroken }: AdmissionFacts, lack: MakeLack): Lack[] {
  const mayRun = report.sources.filter(
    ({ tier, state, isApproved, ...source }) =>
      state === "broken" &&
      !isLoaded({ state, ...source }) &&
      (tier !== "project" || (isApproved && lock === undefined)),
  );
  const files = mayRun.map((source) =>
    lack(endsWhenBroken(source.dialect) ? "ending" : "broken", place(source), source.reason ?? "", source.path),
  );
  const named = new Set(report.sources.map(({ path }) => path));
  const faults = report.diagnostics
    .filter(({ severity, code }) => severity === "error" && CONFIGURATION.includes(code))
    .flatMap((diagnostic) => {
      const { source, message } = diagnostic;
      if (source === undefined || source.tier === "project" || named.has(source.path)) return [];
      return [lack("broken", place(source), message, source.path)];
    });
  return [...files, ...faults];
}

/** The codes of errors in a definition file that disable its entries. */
const CONFIGURATION: readonly string[] = ["SYNTAX", "BAD_ENTRY", "UNREADABLE", "UNKNOWN_HOOK_EVENT"];
