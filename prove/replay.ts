import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dialects, transcripts } from "@hookline/runtime/dialects";
import type { Class } from "@hookline/runtime/past";
import { type ReplayResult, recogniseSource } from "@hookline/runtime/replay";
import type { Case } from "../conformance/case.ts";
import { replayCase } from "../conformance/replay.ts";
import { dialectIds, readCases } from "../conformance/requirement.ts";
import type { Claim } from "./claim.ts";
import { dice } from "./stage/dice.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { folder } from "./stage/ground.ts";
import { newSeed } from "./stage/seed.ts";

/** The quick size runs one of this many cases. */
const QUICK = 8;

/**
 * Number of moments that a replay cannot judge although the hooks are the same, by case and reason. All other moments
 * must have the same outcome. A case that its host aborts is not recorded as aborted.
 */
const NOT_JUDGED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  // The hook asks the host to build the system prompt, which a replay from a file cannot do.
  "pi.before_agent_start.options": { "no-payload": 1 },
};

function casesFor(full: boolean): readonly { readonly one: Case; readonly played: typeof dialects }[] {
  const all = dialectIds().flatMap((id) => {
    const played = id === "together" ? dialects : dialects.filter((dialect) => dialect.id === id);
    return readCases(id).map((one) => ({ one, played }));
  });
  return all.filter(({ one }, at) => one.abortAtMs === undefined && (full || at % QUICK === 0));
}

/** In every case of the dialects, the same hooks decide the same about a recording. */
const sameHooks: Experiment = {
  id: "the same hooks",
  async run(tally, { full }) {
    for (const { one, played } of casesFor(full)) {
      const { result, times } = await replayCase(one, played);
      const unjudged = NOT_JUDGED[one.id] ?? {};
      const left = Object.values(unjudged).reduce((all, count) => all + count, 0);
      const isRight = result.same === times - left && JSON.stringify(result.notJudged) === JSON.stringify(unjudged);
      tally.trial(lawProblem(result) ?? (isRight ? undefined : `${one.id}: ${told(result)}`));
    }
  },
};

/** A replay detects added or removed hooks, and classifies the change correctly. */
const plantedChanges: Experiment = {
  id: "planted changes",
  async run(tally, { full }) {
    for (const { one, played } of casesFor(full)) {
      const expected = classOf(one);
      if (expected === undefined) continue;
      const without: Case = { ...one, hooks: [] };
      const come = await replayCase(one, played, without);
      tally.trial(plantedProblem(one, "come", come, expected.come));
      const gone = await replayCase(without, played, one);
      tally.trial(plantedProblem(one, "gone", gone, expected.gone));
    }
  },
};

/** Returns the classes for adding and removing the hooks of a guard's case; `undefined` if one of them fails. */
function classOf(one: Case): { readonly come: Class; readonly gone: Class } | undefined {
  const answer = one.expect.answer as Readonly<Record<string, unknown>> | undefined;
  const isCalm = one.hooks.every((hook) => !hook.hangs && !("throws" in hook) && hook.fails === undefined);
  if (one.event !== "tool.before" || !isCalm || (one.expect.diagnostics ?? []).length > 0) return undefined;
  if (answer?.["decision"] === "deny" || answer?.["halt"] !== undefined)
    return { come: "newlyDenied", gone: "newlyAllowed" };
  if (answer?.["decision"] === "ask") return { come: "newlyAsked", gone: "newlyAllowed" };
  return answer?.["args"] === undefined ? undefined : { come: "rewritten", gone: "rewritten" };
}

function plantedProblem(
  one: Case,
  how: string,
  { result, times }: { readonly result: ReplayResult; readonly times: number },
  expected: Class,
): string | undefined {
  const law = lawProblem(result);
  if (law !== undefined) return law;
  // A hook that answers several times may answer differently each time.
  const isFound = times === 1 ? result[expected] === 1 : result[expected] > 0;
  const group = result.groups.find((group) => group.class === expected);
  if (isFound && group?.hook.includes("/case/")) return undefined;
  return `${one.id}, hooks ${how}: ${expected} was not found by its hook: ${told(result)}`;
}

/** A recording that ends anywhere, or is damaged, loses no whole line and causes no exception. */
const damaged: Experiment = {
  id: "damaged sources",
  async run(tally, { full }) {
    using top = folder();
    const chance = dice(newSeed());
    for (const name of ["hookline", "pi", "omp", "codex", "claude"]) {
      const bytes = readFileSync(
        join(import.meta.dirname, "../packages/runtime/test/replay/fixtures", `${name}.jsonl`),
      );
      for (let n = 0; n < (full ? 400 : 20); n++) {
        const path = join(top.path, `${name}-${n}.jsonl`);
        const at = chance.below(bytes.length);
        const junk = Buffer.from(Array.from({ length: chance.below(300) }, () => chance.below(256)));
        const kinds = [bytes.subarray(0, at), Buffer.concat([bytes.subarray(0, at), junk, bytes.subarray(at)])];
        writeFileSync(path, kinds[n % 2] as Buffer);
        tally.trial(await readProblem(path));
      }
    }
  },
};

async function readProblem(path: string): Promise<string | undefined> {
  try {
    const source = recogniseSource(path, transcripts);
    const lines = readFileSync(path, "latin1").split("\n").length;
    let bad = 0;
    for await (const { notAsked } of source?.reader.moments({ path, skip: () => {} }) ?? [])
      if (notAsked === "unreadable-line") bad += 1;
    return bad > lines ? `${path}: ${bad} of ${lines} lines are unreadable` : undefined;
  } catch (thrown) {
    return `${path}: ${String(thrown)}`;
  }
}

function lawProblem(result: ReplayResult): string | undefined {
  const sum = (counts: object): number => Object.values(counts).reduce((all: number, one) => all + Number(one), 0);
  const { failing, newlyDenied, newlyAllowed, newlyAsked, rewritten, slower, same, notAsked, notJudged } = result;
  const judged = failing + newlyDenied + newlyAllowed + newlyAsked + rewritten + slower + same;
  const holds = result.moments === result.asked + sum(notAsked) && result.asked === judged + sum(notJudged);
  return holds ? undefined : `the counts do not add up: ${told(result)}`;
}

function told({ sources: _, groups, ...counts }: ReplayResult): string {
  return JSON.stringify({ ...counts, groups: groups.map(({ hook, class: name }) => `${name} by ${hook}`) });
}

/** A replay tells the truth about hooks. */
export const claim: Claim = {
  name: "replay",
  says: "the same hooks decide the same about a recording, every change is found and named, and no moment is lost",
  run: (size) => findingOf([sameHooks, plantedChanges, damaged], size),
};
