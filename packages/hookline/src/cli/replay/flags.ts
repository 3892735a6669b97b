import { didYouMean, nearest } from "@hookline/ground";
import { wrongUse } from "@hookline/ground/system";
import { catalog } from "@hookline/runtime/engine";
import type { Baseline, Class } from "@hookline/runtime/past";
import type { ReplayResult } from "@hookline/runtime/replay";
import { type Arguments, textFlag } from "../../start/args.ts";
import type { FlagName } from "../../start/flags.ts";

/** Maps the words that `--fail-on` accepts to what they count in the result. */
const FAILS: Readonly<Record<string, Exclude<Class, "same"> | "notJudged">> = {
  "newly-denied": "newlyDenied",
  "newly-allowed": "newlyAllowed",
  "newly-asked": "newlyAsked",
  rewritten: "rewritten",
  failing: "failing",
  slower: "slower",
  "not-judged": "notJudged",
};

/** The default of `--slower`: hooks count as slower at a moment if they take over this many times as long as before. */
const SLOWER = 2;

/** The parsed flags of a replay, except sources and hooks. */
export interface ReplayFlags {
  readonly baseline: Baseline | undefined;
  readonly events: readonly string[];
  readonly jobs: number;
  readonly slower: number | undefined;
  readonly failOn: readonly string[];
}

/** Parses the flags; throws for invalid values. */
export function replayFlags(args: Arguments): ReplayFlags {
  const failOn = listFlag(args, "fail-on", Object.keys(FAILS));
  const slower = numberFlag(args, "slower", 1, 1e6);
  return {
    baseline: oneOf(args, "baseline", ["recorded", "current", "none"]),
    events: listFlag(args, "event", [...catalog.keys()]),
    jobs: numberFlag(args, "jobs", 1, 64) ?? 1,
    slower: slower ?? (failOn.includes("slower") ? SLOWER : undefined),
    failOn,
  };
}

/**
 * Returns the words of `--fail-on` that apply to the result. A replay without judged moments fails, unless `allowEmpty`
 * is set.
 */
export function failedWords(result: ReplayResult, { failOn }: ReplayFlags, allowEmpty: boolean): string[] {
  const failed = failOn.filter((word) => {
    const name = FAILS[word] as Exclude<Class, "same"> | "notJudged";
    return name === "notJudged" ? sum(result.notJudged) > 0 : result[name] > 0;
  });
  const judged = result.asked - sum(result.notJudged);
  return judged === 0 && failOn.length > 0 && !allowEmpty ? [...failed, NOTHING_JUDGED] : failed;
}

/** The word that `failedWords` returns if no moment was judged. */
export const NOTHING_JUDGED = "nothing-judged";

/** Returns the sum of counts. */
export function sum(counts: Readonly<Record<string, number | undefined>>): number {
  return Object.values(counts).reduce((all: number, one) => all + (one ?? 0), 0);
}

function listFlag(args: Arguments, name: FlagName, known: readonly string[]): string[] {
  const words =
    textFlag(args, name)
      ?.split(",")
      .map((word) => word.trim()) ?? [];
  const unknown = words.find((word) => !known.includes(word));
  if (unknown === undefined) return words;
  const near = nearest(unknown, known);
  throw wrongUse(
    `--${name}`,
    `names "${unknown}", which does not exist`,
    `${didYouMean(near)}There are: ${known.join(", ")}.`,
  );
}

function oneOf<T extends string>(args: Arguments, name: FlagName, known: readonly T[]): T | undefined {
  const text = textFlag(args, name);
  if (text === undefined || known.includes(text as T)) return text as T | undefined;
  throw wrongUse(`--${name}`, `is not one of ${known.join(", ")}: ${text}`, "Choose one of them.");
}

function numberFlag(args: Arguments, name: FlagName, least: number, most: number): number | undefined {
  const text = textFlag(args, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (value >= least && value <= most) return name === "jobs" ? Math.floor(value) : value;
  throw wrongUse(`--${name}`, `is not a number from ${least} to ${most}: ${text}`, "Give a number in that range.");
}
