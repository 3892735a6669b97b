import { expect } from "vitest";
import { facetsOf } from "../facets.ts";
import { type Case as Given, type Observed, observe, type TestExtension } from "../observe.ts";
import { hookline, realOmp } from "../programs.ts";
import { NOTE } from "../record.ts";
import { peer } from "./peer.ts";
import { RECORDER } from "./record.ts";
import { type Facets, type RunDeviation, runDeviations } from "./run-deviations.ts";

/** One thing to try with both programs: an extension and a hook file of the project, and what is said. */
export interface Case extends Omit<Given, "extensions" | "record"> {
  readonly extension?: TestExtension;
  /** A module of `.omp/hooks/pre`. */
  readonly hook?: TestExtension;
}

/** Both runs of a case as they were. */
export interface Pair {
  readonly omp: Observed;
  readonly hookline: Observed;
}

/**
 * Runs a case with oh-my-pi and with hookline, and holds the two runs to each other. Deviations that hold everywhere
 * are taken out, and those that the case names; one that the case names and that changes nothing fails.
 */
export async function expectBeside(given: Case, named: readonly string[] = []): Promise<Pair> {
  if ("absent" in peer) throw new Error(peer.absent);
  const [omp, ours] = await Promise.all([observe(realOmp(peer), placed(given)), observe(hookline, placed(given))]);
  const both = { omp: shaped(omp), hookline: shaped(ours) };
  for (const name of named) expect(matters(deviationOf(name), both), `"${name}" is not needed`).toBe(true);
  const taken = Object.entries(runDeviations).filter(([name, { everywhere }]) => everywhere || named.includes(name));
  const settled = taken.reduce((now, [, deviation]) => apply(deviation, now), both);
  try {
    const small = ({ code, notes, results }: Facets): object => ({ code, notes, results });
    expect(small(settled.hookline)).toEqual(small(settled.omp));
    expect(settled.hookline.events.map(label)).toEqual(settled.omp.events.map(label));
    expect(settled.hookline.events).toEqual(settled.omp.events);
    expect(settled.hookline.requests).toEqual(settled.omp.requests);
  } catch (thrown) {
    (thrown as Error).message += `\n\nstderr of omp:\n${omp.err}\nstderr of hookline:\n${ours.err}`;
    throw thrown;
  }
  return { omp, hookline: ours };
}

/** The deviations that hold everywhere and change nothing in a pair of runs. */
export function unneeded({ omp, hookline: ours }: Pair): string[] {
  const both = { omp: shaped(omp), hookline: shaped(ours) };
  return Object.entries(runDeviations)
    .filter(([, deviation]) => deviation.everywhere && !matters(deviation, both))
    .map(([name]) => name);
}

interface Both {
  readonly omp: Facets;
  readonly hookline: Facets;
}

function shaped(run: Observed): Facets {
  const { code, notes, results, events, requests } = facetsOf(run);
  return { code, notes, results, events, requests };
}

function placed({ extension, hook, ...given }: Case): Given {
  return {
    ...given,
    record: false,
    files: {
      ...given.files,
      ".omp/extensions/recorder.ts": RECORDER,
      ...(extension !== undefined && { ".omp/extensions/given.ts": textOf(extension) }),
      ...(hook !== undefined && { ".omp/hooks/pre/given.ts": textOf(hook) }),
    },
  };
}

function textOf(extension: TestExtension): string {
  return typeof extension === "string" ? extension : `${NOTE}\nexport default ${String(extension)};\n`;
}

function apply({ omp, hookline: ours }: RunDeviation, both: Both): Both {
  return { omp: omp?.(both.omp) ?? both.omp, hookline: ours?.(both.hookline) ?? both.hookline };
}

function matters(deviation: RunDeviation, both: Both): boolean {
  return JSON.stringify(apply(deviation, both)) !== JSON.stringify(both);
}

function deviationOf(name: string): RunDeviation {
  const found = runDeviations[name];
  if (found === undefined) throw new Error(`There is no deviation "${name}" in run-deviations.ts.`);
  return found;
}

function label(event: any): string {
  return [event.type, event.message?.role, event.toolCallId, event.assistantMessageEvent?.type]
    .filter(Boolean)
    .join(" ");
}
