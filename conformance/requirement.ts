import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse as readAs } from "valibot";
import { parse } from "yaml";
import { type Case, caseFileSchema } from "./case.ts";

/** One normative statement in our words: of a seed, or of what stands beyond the seeds. Exactly one of the two is named. */
export interface Requirement {
  readonly id: string;
  readonly text: string;
  /** `NNN:from-to`: the seed's number and lines. */
  readonly seed?: string;
  /** What the seeds do not say: what the program does, or what was decided. */
  readonly source?: string;
  /** `met`: its cases must pass. `deviates`: hookline does something else, with the reason. `open`: not done, with the reason. */
  readonly status: "met" | "deviates" | "open";
  readonly why?: string;
}

/** Where hookline departs from a program, or a seed from itself or from its program. */
export interface Deviation {
  readonly id: string;
  /** What it is about, where the other fields do not say it. */
  readonly about?: string;
  /** What the program does, or what the seed says. */
  readonly there?: string;
  readonly here: string;
  readonly why?: string;
  /** Its name where `npm run dev -- differential` takes it out of a comparison. */
  readonly measured?: string;
}

/** What is required of one dialect. */
export interface RequirementFile {
  readonly requirements: readonly Requirement[];
  readonly deviations?: readonly Deviation[];
  /** Ranges that carry no requirement: titles, prose, decoration. */
  readonly prose: readonly string[];
}

const folder = import.meta.dirname;

/** The dialects that have requirements. */
export function dialectIds(from = folder): string[] {
  return readdirSync(join(from, "requirements"))
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => name.slice(0, -".yaml".length));
}

/** The requirements of a dialect, and the lines of its seeds that are none. */
export function readRequirements(dialect: string, from = folder): RequirementFile {
  const read = parse(readFileSync(join(from, "requirements", `${dialect}.yaml`), "utf8")) as
    | Requirement[]
    | RequirementFile;
  return Array.isArray(read)
    ? { requirements: read, prose: [] }
    : { requirements: read.requirements ?? [], deviations: read.deviations ?? [], prose: read.prose ?? [] };
}

/** The cases of a dialect, in the order of their files. Throws for a file that does not fit the schema, and says where. */
export function readCases(dialect: string, from = folder): Case[] {
  const place = join(from, "cases", dialect);
  let names: string[];
  try {
    names = readdirSync(place);
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith(".json"))
    .sort()
    .flatMap((name) => casesOf(readFileSync(join(place, name), "utf8"), `${dialect}/${name}`));
}

function casesOf(json: string, name: string): Case[] {
  try {
    return readAs(caseFileSchema, JSON.parse(json)).cases;
  } catch (thrown) {
    const { message, issues = [] } = thrown as { message: string; issues?: { path?: { key: unknown }[] }[] };
    const path = issues[0]?.path?.map(({ key }) => String(key)).join(".") ?? "";
    throw new Error(`${name}${path === "" ? "" : ` at ${path}`}: ${message}`);
  }
}

/** Lines of a seed that are neither required nor named as prose; 1-based. */
export function uncoveredLines(file: RequirementFile, number: string, text: string): number[] {
  const covered = new Set<number>();
  for (const range of [...file.requirements.map(({ seed = "" }) => seed), ...file.prose].flatMap((ranges) =>
    String(ranges).split(/,\s*/),
  )) {
    const match = /^(\d{3}):(\d+)(?:-(\d+))?$/.exec(range);
    if (match === null || match[1] !== number) continue;
    for (let line = Number(match[2]); line <= Number(match[3] ?? match[2]); line++) covered.add(line);
  }
  return text.split("\n").flatMap((line, i) => (/[^\s|]/.test(line) && !covered.has(i + 1) ? [i + 1] : []));
}
