import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Compared, compareWith } from "./against.ts";
import type { Case } from "./case.ts";

/** The version of the format of cases and answers. */
export const FORMAT = 1;

/** How another runtime stands in one dialect. */
export interface Standing {
  readonly held: number;
  readonly differs: number;
  readonly leftOut: number;
  /** Of the cases that were not left out: how many also told this, so that it was compared. */
  readonly told: Readonly<Record<string, number>>;
}

/** What a comparison came to, as others are shown it. */
export interface Result {
  /** The version of the cases. */
  readonly conformance: string;
  readonly format: number;
  readonly command: readonly string[];
  readonly dialects: Readonly<Record<string, Standing>>;
  readonly cases: readonly Compared[];
}

/** The options of the command that compares. */
export const OPTIONS = {
  dialect: { type: "string", value: "ID", says: "only this dialect's cases" },
  case: { type: "string", value: "TEXT", says: "only cases with this in their ids, such as pi.input." },
  json: { type: "boolean", says: "the result as JSON, case by case" },
  markdown: { type: "boolean", says: "the result as a table to show" },
} as const;

/** What the options were set to. */
export type Chosen = {
  readonly [K in keyof typeof OPTIONS]?: (typeof OPTIONS)[K]["type"] extends "boolean" ? boolean : string;
};

/** The dialects that a folder has cases of. */
export function dialectsIn(folder: string): string[] {
  return readdirSync(join(folder, "cases")).sort();
}

/** The cases of a folder that are asked for. Throws where there are none. */
export function casesIn(folder: string, { dialect, case: part = "" }: Chosen): Case[] {
  const ids = dialectsIn(folder);
  if (dialect !== undefined && !ids.includes(dialect))
    throw new Error(`There is no dialect "${dialect}". Choose from ${ids.join(", ")}.`);
  const cases = ids
    .filter((id) => dialect === undefined || id === dialect)
    .flatMap((id) => filesOf(join(folder, "cases", id)))
    .flatMap((path) => (JSON.parse(readFileSync(path, "utf8")) as { readonly cases: readonly Case[] }).cases)
    .filter(({ id }) => id.includes(part));
  if (cases.length === 0) throw new Error(`No case has "${part}" in its id.`);
  return cases;
}

function filesOf(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => join(folder, name));
}

/** Asks another runtime these cases. */
export async function resultOf(command: readonly string[], cases: readonly Case[], version: string): Promise<Result> {
  const compared = await compareWith(command, cases);
  const dialects: Record<string, Standing> = {};
  for (const id of new Set(compared.map(({ dialect }) => dialect)))
    dialects[id] = standing(compared.filter(({ dialect }) => dialect === id));
  return { conformance: version, format: FORMAT, command, dialects, cases: compared };
}

function standing(compared: readonly Compared[]): Standing {
  const count = (state: Compared["state"]): number => compared.filter((one) => one.state === state).length;
  const told: Record<string, number> = {};
  for (const field of compared.flatMap((one) => one.told ?? [])) told[field] = (told[field] ?? 0) + 1;
  return { held: count("held"), differs: count("differs"), leftOut: count("left out"), told };
}

/** The result as it was asked for; the last line of the plain one sums it up. */
export function written(result: Result, { json, markdown }: Chosen): string {
  if (json === true) return `${JSON.stringify(result, null, 2)}\n`;
  if (markdown === true) return table(result);
  const rows = Object.entries(result.dialects);
  return [
    ...result.cases.filter(({ state }) => state === "differs").map(({ id, why }) => `${id}: ${why}`),
    ...rows.map(
      ([id, { held, differs, leftOut }]) => `${id.padEnd(9)} ${held} held, ${differs} differ, ${leftOut} left out`,
    ),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function table({ conformance, dialects }: Result): string {
  const rows = Object.entries(dialects).map(([id, { held, differs, leftOut, told }]) => {
    const besides = Object.entries(told).map(([field, count]) => `${field} ${count}`);
    return `| ${id} | ${held} | ${differs} | ${leftOut} | ${besides.join(", ") || "–"} |`;
  });
  return `| @hookline/conformance ${conformance} | held | differ | left out | compared besides the answer |\n|---|--:|--:|--:|---|\n${rows.join("\n")}\n`;
}
