import { expect } from "vitest";
import { type Deviation, deviations } from "./deviations.ts";
import { type Facets, facetsOf } from "./facets.ts";
import { type Case, type Observed, observe } from "./observe.ts";
import { IS_NEWER, peer, VERSIONS } from "./peer.ts";
import { hookline, realPi } from "./programs.ts";

/** Both runs of a case, before and after what is known to differ. */
export interface Pair {
  readonly pi: Observed;
  readonly hookline: Observed;
}

/** Runs a case with both programs, side by side. */
export async function runBoth(given: Case): Promise<Pair> {
  if ("absent" in peer) throw new Error(peer.absent);
  const [pi, ours] = await Promise.all([observe(realPi(peer.folder), given), observe(hookline, given)]);
  return { pi, hookline: ours };
}

/** Runs a case in which a named deviation shows; the test asserts how the two runs differ. */
export function runApart(given: Case, name: string): Promise<Pair> {
  deviationOf(name);
  return runBoth(given);
}

/**
 * Runs a case with both programs and holds the two runs to each other. Deviations that hold everywhere are taken out,
 * and those that the case names; one that the case names and that changes nothing fails.
 */
export async function expectAlike(given: Case, named: readonly string[] = []): Promise<Pair> {
  const pair = await runBoth(given);
  const both = { pi: facetsOf(pair.pi), hookline: facetsOf(pair.hookline) };
  for (const name of named.filter((one) => isOfRelease(deviationOf(one))))
    expect(matters(deviationOf(name), both), `the deviation "${name}" is not needed`).toBe(true);
  const { pi, hookline: ours } = settle(both, named);
  try {
    // The small ones first: they say what went wrong in a word.
    expect({ code: ours.code, notes: ours.notes, results: ours.results }).toEqual({
      code: pi.code,
      notes: pi.notes,
      results: pi.results,
    });
    expect(ours.events.map(label)).toEqual(pi.events.map(label));
    expect(ours.events).toEqual(pi.events);
    expect(ours.requests).toEqual(pi.requests);
    expect(ours.entries).toEqual(pi.entries);
    expect(ours.out).toEqual(pi.out);
    expect(ours.responses).toEqual(pi.responses);
  } catch (thrown) {
    (thrown as Error).message += `\n\nstderr of pi:\n${pair.pi.err}\nstderr of hookline:\n${pair.hookline.err}`;
    throw thrown;
  }
  return pair;
}

/** The general deviations that change nothing in a pair of runs. */
export function unneeded(pair: Pair): string[] {
  const both = { pi: facetsOf(pair.pi), hookline: facetsOf(pair.hookline) };
  return Object.entries(deviations)
    .filter(([, deviation]) => deviation.everywhere && isOfRelease(deviation) && !matters(deviation, both))
    .map(([name]) => name)
    .sort();
}

interface Both {
  readonly pi: Facets;
  readonly hookline: Facets;
}

function settle(both: Both, named: readonly string[]): Both {
  const taken = Object.entries(deviations).filter(([name, { everywhere }]) => everywhere || named.includes(name));
  return taken.reduce((now, [, deviation]) => (isOfRelease(deviation) ? apply(deviation, now) : now), both);
}

/** Whether a deviation is one from the release that this run compares with. */
function isOfRelease({ release }: Deviation): boolean {
  return release === undefined || (release !== VERSIONS[0]) === IS_NEWER;
}

function apply({ pi, hookline: ours }: Deviation, both: Both): Both {
  return { pi: pi?.(both.pi) ?? both.pi, hookline: ours?.(both.hookline) ?? both.hookline };
}

function matters(deviation: Deviation, both: Both): boolean {
  return JSON.stringify(apply(deviation, both)) !== JSON.stringify(both);
}

function deviationOf(name: string): Deviation {
  const found = deviations[name];
  if (found === undefined) throw new Error(`There is no deviation "${name}" in deviations.ts.`);
  return found;
}

function label(event: any): string {
  return [event.type, event.message?.role, event.toolCallId, event.assistantMessageEvent?.type]
    .filter(Boolean)
    .join(" ");
}
