import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Case } from "./case.ts";
import { judge, type Observation } from "./judge.ts";

/** What another runtime says of one case: an observation, as far as it can tell, or why it is left out. */
export type Said = ({ readonly id: string } & Partial<Observation>) | { readonly id: string; readonly skip: string };

/** What came of one case with another runtime. */
export interface Compared {
  readonly id: string;
  readonly dialect: string;
  readonly state: "held" | "differs" | "left out";
  /** What differs, or why it was left out. */
  readonly why?: string;
  /** What it told besides the answer, so that it was compared too. */
  readonly told?: readonly Told[];
}

/** What a runtime may tell besides the answer. */
const TOLD = ["asked", "saw", "diagnostics", "edited", "tookMs"] as const;
type Told = (typeof TOLD)[number];

/**
 * Runs cases with another runtime, a program that reads one case a line and writes one answer a line, in any order.
 * It is not shown what is expected. What it leaves out of an answer is not compared, except the answer itself.
 */
export async function compareWith(command: readonly string[], cases: readonly Case[]): Promise<Compared[]> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const said = new Map<string, Said | string>();
  let problem = "it ended without an answer";
  child.on("error", (error) => {
    problem = error.message;
  });
  child.stdin.on("error", () => {});
  for (const { expect: _, cites: __, says: ___, ...shown } of cases) child.stdin.write(`${JSON.stringify(shown)}\n`);
  child.stdin.end();
  for await (const line of createInterface({ input: child.stdout })) {
    const answer = read(line);
    if (answer !== undefined) said.set(answer.id, answer);
    // A runtime that waits for more than there is would never end.
    if (cases.every(({ id }) => said.has(id))) break;
  }
  child.kill();
  return cases.map((one) => compare(one, said.get(one.id) ?? problem));
}

function compare(one: Case, said: Said | string): Compared {
  const { id, dialect } = one;
  if (typeof said === "string") return { id, dialect, state: "differs", why: said };
  if ("skip" in said) return { id, dialect, state: "left out", why: said.skip };
  const { expect, hooks } = one;
  const why = judge(one, {
    answer: said.answer,
    saw: said.saw ?? expect.saw ?? [],
    asked: said.asked ?? expect.asked ?? hooks.map((_, index) => index),
    diagnostics: said.diagnostics ?? expect.diagnostics ?? [],
    edited: said.edited ?? expect.edited ?? [],
    tookMs: said.tookMs ?? expect.tookMs ?? 0,
  });
  const told = TOLD.filter((field) => said[field] !== undefined);
  return why === undefined ? { id, dialect, state: "held", told } : { id, dialect, state: "differs", why, told };
}

/** A line of the program's, if it is an answer. */
function read(line: string): Said | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string"
      ? (value as Said)
      : undefined;
  } catch {
    return undefined;
  }
}
