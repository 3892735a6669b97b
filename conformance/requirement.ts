import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Case } from "./case.ts";

/** One normative statement of a seed, in our words. */
export interface Requirement {
  readonly id: string;
  readonly text: string;
  /** `NNN:from-to`: the seed's number and lines. */
  readonly seed: string;
  /** `met`: its cases must pass. `deviates`: decided otherwise, with the reason. `open`: not done, with the reason. */
  readonly status: "met" | "deviates" | "open";
  readonly why?: string;
}

export interface RequirementFile {
  readonly requirements: readonly Requirement[];
  /** Ranges that carry no requirement: titles, prose, decoration. */
  readonly prose: readonly string[];
}

const folder = import.meta.dirname;

/** The dialects that have requirements. */
export function dialectIds(): string[] {
  return readdirSync(join(folder, "requirements"))
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => name.slice(0, -".yaml".length));
}

export function readRequirements(dialect: string): RequirementFile {
  const read = parse(readFileSync(join(folder, "requirements", `${dialect}.yaml`), "utf8")) as
    | Requirement[]
    | RequirementFile;
  return Array.isArray(read)
    ? { requirements: read, prose: [] }
    : { requirements: read.requirements ?? [], prose: read.prose ?? [] };
}

export function readCases(dialect: string): Case[] {
  let names: string[];
  try {
    names = readdirSync(join(folder, "cases", dialect));
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith(".json"))
    .sort()
    .flatMap((name) => JSON.parse(readFileSync(join(folder, "cases", dialect, name), "utf8")) as Case[]);
}

/** Lines of a seed that are neither required nor named as prose; 1-based. */
export function uncoveredLines(file: RequirementFile, number: string, text: string): number[] {
  const covered = new Set<number>();
  for (const range of [...file.requirements.map(({ seed }) => seed), ...file.prose].flatMap((ranges) =>
    String(ranges).split(/,\s*/),
  )) {
    const match = /^(\d{3}):(\d+)(?:-(\d+))?$/.exec(range);
    if (match === null || match[1] !== number) continue;
    for (let line = Number(match[2]); line <= Number(match[3] ?? match[2]); line++) covered.add(line);
  }
  return text.split("\n").flatMap((line, i) => (/[^\s|]/.test(line) && !covered.has(i + 1) ? [i + 1] : []));
}
