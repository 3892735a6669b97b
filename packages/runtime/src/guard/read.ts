import { chooseFrom, type Fields, guess, isFields } from "@hookline/ground";
import { catalog } from "../catalog/catalog.ts";
import { EXPECTED_WORDS, type GuardCase } from "../hook/guard-case.ts";
import type { Guard } from "./guard.ts";

/** A mistake in a guard, and what to do about it. */
export interface GuardFault {
  readonly problem: string;
  readonly remedy: string;
}

/**
 * The result of reading a value as a guard. `guard` is absent if the value cannot be one. Faulty cases are left out and
 * listed among the faults.
 */
export interface GuardReading {
  readonly guard?: Guard;
  readonly faults: readonly GuardFault[];
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isText);
const isTime = (value: unknown): boolean => typeof value === "number" && value > 0 && Number.isFinite(value);

type Rule = readonly [isValid: (value: unknown) => boolean, must: string, isNeeded?: true];

const GUARD: Readonly<Record<keyof Guard, Rule>> = {
  name: [isText, "must be a text", true],
  on: [(value) => typeof value === "string", "must be the name of an event", true],
  run: [(value) => typeof value === "function", "must be a function", true],
  tools: [isTexts, "must be a list of names of tools"],
  timeoutMs: [isTime, "must be a number of milliseconds"],
  cases: [Array.isArray, "must be a list"],
};

const isExpectation = (value: unknown): boolean =>
  (EXPECTED_WORDS as readonly unknown[]).includes(isFields(value) ? (value["decision"] ?? "allow") : value) &&
  (!isFields(value) || Object.keys(value).length > 0);

const CASE: Readonly<Record<keyof GuardCase, Rule>> = {
  name: [isText, "must be a text"],
  tool: [isText, "must be the name of a tool"],
  args: [isFields, "must be an object"],
  payload: [isFields, "must be an object"],
  expect: [isExpectation, `must be one of ${EXPECTED_WORDS.join(", ")}, or an object with such a decision`, true],
  probe: [(value) => typeof value === "boolean", "must be true or false"],
};

/** Reads a value as a guard; `where` describes the value's place, for messages about a guard without a name. */
export function readGuard(value: unknown, where: string): GuardReading {
  if (!isFields(value))
    return { faults: [{ problem: `${where} is not a guard`, remedy: "Export guard({ name, on, run })." }] };
  const named = isText(value["name"]) ? `guard "${value["name"]}"` : where;
  const faults = faultsOf(value, GUARD, named);
  const { on, tools, cases } = value;
  const row = typeof on === "string" ? catalog.get(on) : undefined;
  if (typeof on === "string" && row === undefined)
    faults.push({
      problem: `${named} is for the event "${on}", which does not exist`,
      remedy: `${guess(on, catalog.keys())}The reference of events lists them.`,
    });
  if (row !== undefined && tools !== undefined && row.subject !== "tool")
    faults.push({ problem: `${named} names tools, but ${on} is not about a tool`, remedy: "Remove tools." });
  if (faults.length > 0) return { faults };
  const kept = ((cases ?? []) as readonly unknown[]).filter((one, at) => {
    const wrong = caseFaults(one, `case ${at + 1} of ${named}`, row?.subject === "tool");
    faults.push(...wrong);
    return wrong.length === 0;
  }) as readonly GuardCase[];
  return { guard: { ...(value as unknown as Guard), cases: kept }, faults };
}

function caseFaults(given: unknown, where: string, isOfTool: boolean): readonly GuardFault[] {
  if (!isFields(given)) return [{ problem: `${where} is not an object`, remedy: 'Write { args, expect: "deny" }.' }];
  const faults = faultsOf(given, CASE, where);
  if (faults.length === 0 && !isOfTool && (given["args"] !== undefined || given["tool"] !== undefined))
    faults.push({
      problem: `${where} has arguments, but its event is not about a tool`,
      remedy: "Give the event's fields as payload.",
    });
  return faults;
}

function faultsOf(given: Fields, rules: Readonly<Record<string, Rule>>, where: string): GuardFault[] {
  const unknown = Object.keys(given).filter((key) => !Object.hasOwn(rules, key));
  return [
    ...unknown.map((key) => ({
      problem: `${where} has the unknown key "${key}"`,
      remedy: chooseFrom(key, Object.keys(rules)),
    })),
    ...Object.entries(rules).flatMap(([key, [isValid, must, isNeeded]]) => {
      const value = given[key];
      if (value === undefined ? isNeeded !== true : isValid(value)) return [];
      const problem = value === undefined ? `${where} has no ${key}` : `${key} of ${where} is not valid`;
      return [{ problem, remedy: `"${key}" ${must}.` }];
    }),
  ];
}
