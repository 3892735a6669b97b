import type { Dialect } from "@hookline/runtime/dialect";
import type { Case } from "./case.ts";
import { type RequirementFile, uncoveredLines } from "./requirement.ts";

/** One proof: a case, or a test that cites requirements in its name. */
export interface Proof {
  readonly id: string;
  readonly cites: readonly string[];
  /** Why it failed; absent when it holds. */
  readonly problem: string | undefined;
}

/** What is counted for one dialect, or for all. */
export interface Totals {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly requirements: { readonly total: number; readonly cited: number };
}

/** Something that keeps conformance red. */
export interface Finding {
  readonly id: string;
  readonly why: string;
}

/** The outcome for one dialect. */
export interface DialectReport {
  readonly totals: Totals;
  readonly failures: readonly Finding[];
}

/** Citations of what is no requirement. */
export function strayCites(
  proofs: readonly Pick<Proof, "id" | "cites">[],
  known: { has(id: string): boolean },
): Finding[] {
  return proofs.flatMap(({ id, cites }) =>
    cites.filter((cite) => !known.has(cite)).map((cite) => ({ id, why: `cites ${cite}, which is no requirement` })),
  );
}

/** How many uncovered lines of a seed are named. */
const NAMED = 12;

/**
 * Holds a dialect's requirements and what proves them to each other. Red are: a proof that fails, unless it is of
 * something `open`; a proof of open requirements alone that holds; a citation of what is no requirement; a requirement
 * that is `met` and cited by nobody; one that is not, without a reason; a line of a seed that belongs to none.
 */
export function reportOn(
  file: RequirementFile,
  proofs: readonly Proof[],
  seeds: readonly (readonly [number: string, text: string])[],
): DialectReport {
  const failures: Finding[] = [];
  const known = new Map(file.requirements.map((requirement) => [requirement.id, requirement]));
  const cited = new Set(proofs.flatMap(({ cites }) => cites));
  let passed = 0;
  failures.push(...strayCites(proofs, known));
  for (const { id, cites, problem } of proofs) {
    const open = cites.filter((cite) => known.get(cite)?.status === "open");
    if (problem === undefined || open.length > 0) passed += 1;
    else failures.push({ id, why: problem });
    if (problem === undefined && open.length > 0 && open.length === cites.length)
      failures.push({ id, why: `holds although ${open.join(", ")} is open: mark it met` });
  }
  for (const { id, status, why = "", seed, source } of known.values()) {
    if ((seed === undefined) === (source === undefined))
      failures.push({ id, why: "names a seed or a source, and not both" });
    if (status !== "open" && !cited.has(id))
      failures.push({ id, why: `is ${status === "met" ? "met" : "deviating"} by word only: no case cites it` });
    if (status !== "met" && why === "") failures.push({ id, why: `is ${status} without a reason` });
  }
  for (const [number, text] of seeds) {
    const lines = uncoveredLines(file, number, text);
    if (lines.length === 0) continue;
    const more = lines.length > NAMED ? ` and ${lines.length - NAMED} more` : "";
    failures.push({
      id: `seed ${number}`,
      why: `lines without a requirement: ${lines.slice(0, NAMED).join(", ")}${more}`,
    });
  }
  return {
    totals: {
      total: proofs.length,
      passed,
      failed: proofs.length - passed,
      requirements: { total: known.size, cited: [...known.keys()].filter((id) => cited.has(id)).length },
    },
    failures,
  };
}

/** Ids that several cases have, and cases whose id does not say whose they are. */
export function misnamed(cases: readonly Case[]): Finding[] {
  const seen = new Set<string>();
  return cases.flatMap(({ id, dialect }) => {
    const why = seen.has(id) ? "is the id of two cases" : `does not begin with "${dialect}."`;
    const wrong = seen.has(id) || !id.startsWith(`${dialect}.`);
    seen.add(id);
    return wrong ? [{ id, why }] : [];
  });
}

/** Cases that prove no requirement. */
export function uncited(cases: readonly Case[]): Finding[] {
  return cases.flatMap(({ id, cites }) => (cites.length > 0 ? [] : [{ id, why: "cites no requirement" }]));
}

/** Rows of a dialect's lanes that no case with a requirement asks. */
export function unasked(cases: readonly Case[], { id, lanes }: Dialect): Finding[] {
  const asked = new Set(
    cases.flatMap(({ hooks, cites }) =>
      cites.length === 0 ? [] : hooks.map(({ lane = id, event }) => `${lane} ${event}`),
    ),
  );
  const rows = lanes.flatMap((lane) => lane.rows.map(({ name }) => [lane.id, name] as const));
  return rows
    .filter(([lane, name]) => !asked.has(`${lane} ${name}`))
    .map(([lane, name]) => ({
      id: `${lane}:${name}`,
      why: "no case that cites a requirement asks this row: add one to conformance/cases",
    }));
}

/** The totals of several dialects together. */
export function sum(all: readonly Totals[]): Totals {
  const add = (pick: (of: Totals) => number): number => all.reduce((total, of) => total + pick(of), 0);
  return {
    total: add((of) => of.total),
    passed: add((of) => of.passed),
    failed: add((of) => of.failed),
    requirements: { total: add((of) => of.requirements.total), cited: add((of) => of.requirements.cited) },
  };
}
