import { existsSync } from "node:fs";
import { diagnose } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { systemFiles } from "@hookline/ground/system";
import { type Consent, type Diagnostic, HooklineError } from "@hookline/runtime";
import { FrozenConsent, LockWatch, lockPath } from "@hookline/runtime/session";
import { settingOf } from "../settings/settings.ts";
import type { Place } from "./place.ts";

/** The largest number of differences in one message. */
const MOST = 5;

/** Compares a project's hooks with its lock file, in a run without `--frozen`. */
export interface WatchedLock {
  /** Decides about hooks like the run's own consent, and also compares them with the lock. */
  readonly consent: Consent;
  /**
   * Returns the differences from the lock as at most one diagnostic. Must be called after the hooks are loaded. With
   * `isStrict`, a locked hook that is not approved counts as a difference too. Otherwise another diagnostic reports it.
   */
  problems(isStrict?: boolean): readonly Diagnostic[];
  /** The diagnostic that the lock file has the previous format; empty if it has the current one. */
  readonly former: readonly Diagnostic[];
}

/** Reports a lock file in the previous format. This release still accepts it, later ones will not. */
export function formerLock(consent: Consent): readonly Diagnostic[] {
  if (!(consent instanceof FrozenConsent) || !consent.isFormer) return [];
  return [diagnose("LOCK_FORMER", { path: consent.path }, { source: { path: consent.path, tier: "project" } })];
}

/**
 * Compares a project's hooks with its lock file while `consent` decides about them. Returns undefined without a lock
 * file, and with `--frozen`, which enforces the lock file by itself.
 */
export function watchedLock(place: Place, consent: Consent, env: Io["env"]): WatchedLock | undefined {
  const path = lockPath(place.cwd, systemFiles, place.home);
  if (place.consent instanceof FrozenConsent || !existsSync(path)) return undefined;
  const remedy = env["CI"] ? " Here, where CI is set, add `--frozen`." : "";
  const problem = (text: string): Diagnostic =>
    diagnose("LOCK_NOT_MET", { path, problem: text, remedy }, { source: { path, tier: "project" } });
  try {
    const lock = new FrozenConsent(place.cwd, systemFiles, place.home);
    const watch = new LockWatch(consent, lock);
    return {
      consent: watch,
      former: formerLock(lock),
      problems: (isStrict = false) => {
        const all = [...watch.differences, ...(isStrict ? watch.unapproved : [])];
        const more = all.length > MOST ? `; and ${all.length - MOST} more` : "";
        return all.length === 0 ? [] : [problem(all.slice(0, MOST).join("; ") + more)];
      },
    };
  } catch (thrown) {
    if (!HooklineError.isInstance(thrown)) throw thrown;
    const unreadable = problem("it cannot be read");
    return { consent, former: [], problems: () => [unreadable] };
  }
}

/** Reports how the hooks differ from the lock file; throws instead if the setting `frozen` is on. */
export function tellLock(lock: WatchedLock | undefined, place: Place, tell: (problem: Diagnostic) => void): void {
  for (const former of lock?.former ?? formerLock(place.consent)) tell(former);
  const isStrict = settingOf(place.settings, "frozen").value === true;
  const [problem] = lock?.problems(isStrict) ?? [];
  if (problem === undefined) return;
  if (isStrict) {
    throw new HooklineError("NOT_ADMITTED", {
      what: "The run was not started",
      problem: problem.message,
      remedy: "The setting frozen ends such a run. If the project is right, run `hookline trust approve --lock`.",
    });
  }
  tell(problem);
}
