import { messageOf, place } from "@hookline/ground";
import type { Consent, Diagnostic } from "@hookline/runtime";
import type { Candidate } from "@hookline/runtime/engine";
import { type HookSession, isLoaded, type Judgement } from "@hookline/runtime/session";
import { NOT_APPROVED } from "./lines.ts";
import type { Place } from "./place.ts";

/**
 * Decides by a person's approvals until one of their hooks has trusted or rejected the whole project. Then that hook's
 * answer counts, as in pi (spec/pi.md 3.7).
 */
export class DecidedConsent implements Consent {
  readonly #base: Consent;
  #decision: "yes" | "no" | undefined;

  constructor(base: Consent) {
    this.#base = base;
  }

  decide(decision: "yes" | "no"): void {
    this.#decision = decision;
  }

  allows(candidate: Candidate, print: Parameters<Consent["allows"]>[1]): boolean | Judgement {
    if (this.#decision === undefined) return this.#base.allows(candidate, print);
    if (this.#decision === "yes") return true;
    return { verdict: "pending", remedy: "A hook of yours does not trust this project; change what it answers." };
  }
}

/** The hooks, the approvals and the output that `askProjectTrust` uses. */
export interface TrustParts {
  readonly place: Place;
  readonly hooks: HookSession;
  readonly consent: DecidedConsent;
  /** Ends the wait for an answer. Without an answer nothing changes. */
  readonly signal?: AbortSignal | undefined;
  tell(text: string): void;
}

/** Holds back reports about unapproved hooks until the user's hooks have decided about the project. */
export class HeldReports {
  readonly #report: (diagnostic: Diagnostic) => void;
  /** The last diagnostic for each hook; undefined once they have been reported. */
  #held: Map<string, Diagnostic> | undefined = new Map();

  constructor(report: (diagnostic: Diagnostic) => void) {
    this.#report = report;
  }

  readonly take = (diagnostic: Diagnostic): void => {
    const { code, source } = diagnostic;
    if (this.#held === undefined || source === undefined || !NOT_APPROVED.includes(code)) this.#report(diagnostic);
    else this.#held.set(place(source), diagnostic);
  };

  /** Reports the held diagnostics of hooks that do not run. From now on all diagnostics are reported immediately. */
  tell(hooks: Pick<HookSession, "report">): void {
    const running = new Set(hooks.report.sources.flatMap((of) => (isLoaded(of) ? [place(of)] : [])));
    const held = this.#held;
    this.#held = undefined;
    for (const [at, diagnostic] of held ?? []) if (!running.has(at)) this.#report(diagnostic);
  }
}

/** Asks the user's hooks whether to trust a project that has hooks, and loads or unloads its hooks accordingly. */
export async function askProjectTrust({ place, hooks, consent, signal, tell }: TrustParts): Promise<void> {
  const own = hooks.report.sources.filter(
    (source) => source.tier === "project" && (source.state === "untrusted" || isLoaded(source)),
  );
  if (own.length === 0 || !hooks.has("project.trust")) return;
  const { answer } = await hooks.emit("project.trust", { cwd: place.cwd }, { signal });
  const { trusted } = answer;
  if (trusted === undefined) return;
  consent.decide(trusted);
  const changes = own.some((source) => isLoaded(source) !== (trusted === "yes"));
  if (changes) {
    const renewed = [...new Set(own.map(({ dialect }) => dialect))];
    await hooks.renew(renewed, trusted === "no" ? { withdrawn: "project" } : {});
    tell(
      trusted === "yes"
        ? "A hook of yours trusts this project: its hooks run."
        : "A hook of yours does not trust this project: its hooks do not run.",
    );
  }
  if (trusted === "yes" && answer.remember) await rememberAll(place, hooks, tell);
}

async function rememberAll({ hooklineHome }: Place, hooks: HookSession, tell: (text: string) => void): Promise<void> {
  const [{ TrustStore }, { ApprovedTexts }, { remember }] = await Promise.all([
    import("@hookline/runtime"),
    import("../consent/approved-texts.ts"),
    import("../consent/remember.ts"),
  ]);
  try {
    const all = await hooks.review();
    remember(
      all.map((review) => ({ review })),
      all,
      new TrustStore(hooklineHome),
      new ApprovedTexts(hooklineHome),
    );
  } catch (thrown) {
    tell(`The approval could not be saved, so this project is trusted for this run only: ${messageOf(thrown)}`);
  }
}
