import { existsSync } from "node:fs";
import { type Consent, type Diagnostic, FrozenConsent, HooklineError } from "@hookline/runtime";
import { diagnose, LockWatch, lockPath, systemFiles } from "@hookline/runtime/internal";
import type { Io } from "../io/io.ts";
import { settingOf } from "../settings/settings.ts";
import type { Place } from "./place.ts";

/** Most differences that one message names. */
const MOST = 5;

/** The lock of a project that is opened without `--frozen`. */
export interface WatchedLock {
  /** Judges as the place's own consent does, and compares with the lock. */
  readonly consent: Consent;
  /**
   * Says that the lock is not met; empty if it is. With `isStrict` a locked hook that is not approved counts as well;
   * otherwise that has been told. Call it once hooks are loaded.
   */
  problems(isStrict?: boolean): readonly Diagnostic[];
}

/**
 * Compares a place with its lock while hooks are loaded with `consent`. Undefined where there is no lock, and with
 * `--frozen`, which is stricter.
 */
export function watchedLock(place: Place, consent: Consent, env: Io["env"]): WatchedLock | undefined {
  const path = lockPath(place.cwd, systemFiles);
  if (place.consent instanceof FrozenConsent || !existsSync(path)) return undefined;
  const remedy = env["CI"] ? " Here, where CI is set, add `--frozen`." : "";
  const problem = (text: string): Diagnostic =>
    diagnose("LOCK_NOT_MET", { path, problem: text, remedy }, { source: { path, tier: "project" } });
  try {
    const watch = new LockWatch(consent, new FrozenConsent(place.cwd, systemFiles));
    return {
      consent: watch,
      problems: (isStrict = false) => {
        const all = [...watch.differences, ...(isStrict ? watch.unapproved : [])];
        const more = all.length > MOST ? `; and ${all.length - MOST} more` : "";
        return all.length === 0 ? [] : [problem(all.slice(0, MOST).join("; ") + more)];
      },
    };
  } catch (thrown) {
    if (!HooklineError.isInstance(thrown)) throw thrown;
    const unreadable = problem("it cannot be read");
    return { consent, problems: () => [unreadable] };
  }
}

/** Reports a lock that is not met, or ends the run where the setting `frozen` asks for that. */
export function tellLock(lock: WatchedLock | undefined, place: Place, tell: (problem: Diagnostic) => void): void {
  const isStrict = settingOf(place.settings, "frozen").value === true;
  const [problem] = lock?.problems(isStrict) ?? [];
  if (problem === undefined) return;
  if (isStrict) {
    throw new HooklineError("NOT_ADMITTED", {
      what: "The run was not started",
      problem: problem.message,
      remedy: "The setting frozen wants the lock met. `hookline trust approve --lock` writes it anew.",
    });
  }
  tell(problem);
}
