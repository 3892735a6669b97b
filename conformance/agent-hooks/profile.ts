import { unanimous } from "@hookline/runtime/dialect";
import { hostError, type Verdict } from "./verdict.ts";

/** How the verdicts of one emission become one. */
export interface Composition {
  readonly profile: "sequential/first_deny" | "sequential/run_all" | "parallel/strictest" | "parallel/unanimous";
  readonly on_approval?: "stop" | "resume";
  readonly on_transform_conflict?: "deny" | "approval";
  readonly on_disagreement?: "deny" | "approval";
}

/** The answer of one interceptor, with the target that its transform makes. */
export interface Said {
  readonly index: number;
  readonly verdict: Verdict;
  readonly target?: unknown;
  /** Its transform could not be applied. */
  readonly isUnapplied?: true;
}

/** The verdict of all. */
export interface Combined {
  readonly verdict: Verdict;
  readonly decidedBy: number | null;
  readonly said: readonly Said[];
  /** The target as a transform has left it. */
  readonly target?: unknown;
  /** Denials that an approver may lift, in the order in which they are asked about. */
  readonly liftable: readonly Verdict[];
}

type Fold = ReturnType<typeof unanimous<Said, Combined>>;

const isLiftable = ({ verdict }: Said): boolean => verdict.decision === "deny" && verdict.approval != null;
const isPlainDeny = (one: Said): boolean => one.verdict.decision === "deny" && !isLiftable(one);
const isTransform = ({ verdict }: Said): boolean => verdict.decision === "transform";
const RANKS = [isPlainDeny, isLiftable, isTransform, () => true];

/** Whether later interceptors see earlier transforms. */
export function chains({ profile }: Composition): boolean {
  return profile.startsWith("sequential/");
}

/** The fold of whole verdicts for a profile. */
export function foldOf(composition: Composition): Fold {
  const fold = unanimous<Said, Combined>({
    name: composition.profile,
    agrees: ({ verdict }) => verdict.decision === "allow",
    combine: (said, isUnanimous) => ({ ...decided(composition, said, isUnanimous), said }),
  });
  return {
    ...fold,
    settled: (state) => ((state as readonly Said[] | undefined) ?? []).some((one) => ends(composition, one)),
  };
}

function ends({ profile, on_approval = "stop" }: Composition, one: Said): boolean {
  if (!profile.startsWith("sequential/")) return false;
  if (one.isUnapplied) return true;
  return profile === "sequential/first_deny" && (isPlainDeny(one) || (isLiftable(one) && on_approval === "stop"));
}

function decided(composition: Composition, said: readonly Said[], isUnanimous: boolean): Omit<Combined, "said"> {
  const { profile, on_transform_conflict, on_disagreement } = composition;
  const unapplied = said.find(({ isUnapplied }) => isUnapplied);
  if (unapplied !== undefined) return { verdict: unapplied.verdict, decidedBy: null, liftable: [] };
  const transforms = said.filter(isTransform);
  const changed = transforms.at(-1);
  const permit: Omit<Combined, "said"> = {
    verdict: changed?.verdict ?? { decision: "allow" },
    decidedBy: changed?.index ?? null,
    liftable: [],
    ...(changed !== undefined && { target: changed.target }),
  };
  if (profile === "parallel/unanimous") {
    if (isUnanimous) return permit;
    return arbitrated("composition_disagreement", on_disagreement);
  }
  const winner = said.find((one) => RANKS.find((is) => said.some(is))?.(one)) as Said;
  if (profile === "parallel/strictest" && transforms.length > 1 && isTransform(winner))
    return arbitrated("transform_conflict", on_transform_conflict);
  if (isPlainDeny(winner)) return { verdict: winner.verdict, decidedBy: winner.index, liftable: [] };
  if (!isLiftable(winner)) return permit;
  const asked = profile === "sequential/first_deny" ? said.filter(isLiftable) : [winner];
  return { ...permit, verdict: winner.verdict, decidedBy: winner.index, liftable: asked.map(({ verdict }) => verdict) };
}

function arbitrated(reason: string, how: "deny" | "approval" = "deny"): Omit<Combined, "said"> {
  const verdict = hostError(reason);
  return { verdict, decidedBy: null, liftable: how === "approval" ? [verdict] : [] };
}
