import { parseArgs } from "node:util";
import { messageOf } from "../packages/ground/src/error/error.ts";
import { COMMANDS, callOf } from "./commands.ts";
import { stateNode } from "./node-version.ts";

/** An option of a script, with its line of the usage text. */
interface Option {
  readonly type: "boolean" | "string";
  readonly says: string;
  /** The placeholder for a text value in the usage. */
  readonly value?: string;
}

/** Describes the command line of a script. */
export interface Usage<T extends Readonly<Record<string, Option>>> {
  /** The script's name in package.json, or in `commands.ts`. */
  readonly name: string;
  /** Describes in a sentence what the script does. */
  readonly says: string;
  readonly options?: T;
  /** The words that the script takes besides options. */
  readonly words?: { readonly called: string; readonly says: string; readonly known?: readonly string[] };
}

type Values<T extends Readonly<Record<string, Option>>> = {
  readonly [K in keyof T]?: T[K]["type"] extends "boolean" ? boolean : string;
};

/** The parsed command line. */
export interface Called<T extends Readonly<Record<string, Option>>> {
  readonly values: Values<T>;
  readonly words: readonly string[];
  /** Ends the script with 2, for invalid words that only the script itself can detect. */
  refuse(problem: string): never;
}

/**
 * Prints which Node runs and parses the command line; for `--help` or anything unknown, prints the usage and ends the
 * script.
 */
export function commandLine<const T extends Readonly<Record<string, Option>>>(usage: Usage<T>): Called<T> {
  const refuse = (problem: string): never => {
    process.stderr.write(`${problem}\n\n${usageText(usage)}`);
    process.exit(2);
  };
  const { values, positionals } = parsed(usage, refuse);
  if (values["help"] === true) {
    process.stdout.write(usageText(usage));
    process.exit(0);
  }
  const known = usage.words?.known;
  const strange = known === undefined ? [] : positionals.filter((word) => !known.includes(word));
  if (strange.length > 0) refuse(`"${strange.join(`", "`)}" is not known here.`);
  stateNode();
  return { values: values as Values<T>, words: positionals, refuse };
}

function parsed(
  { options = {}, words }: Usage<Readonly<Record<string, Option>>>,
  refuse: (problem: string) => never,
): { readonly values: Readonly<Record<string, unknown>>; readonly positionals: readonly string[] } {
  const types = Object.entries(options).map(([name, { type }]) => [name, { type }] as const);
  try {
    return parseArgs({
      options: { ...Object.fromEntries(types), help: { type: "boolean", short: "h" } },
      allowPositionals: words !== undefined,
    });
  } catch (thrown) {
    return refuse(messageOf(thrown));
  }
}

function usageText({ name, says, options = {}, words }: Usage<Readonly<Record<string, Option>>>): string {
  const taken = Object.entries(options).map(
    ([option, { value }]) => `--${option}${value === undefined ? "" : ` ${value}`}`,
  );
  const lines = [
    ...Object.values(options).map((option, index) => [taken[index] as string, option.says]),
    ...(words === undefined ? [] : [[words.called, words.says]]),
  ];
  const width = Math.max(0, ...lines.map(([left = ""]) => left.length));
  const isFurther = lines.length > 0 && !(name in COMMANDS);
  const call = [callOf(name), ...(isFurther ? ["--"] : []), ...taken.map((option) => `[${option}]`)];
  if (words !== undefined) call.push(`[${words.called}…]`);
  const known = words?.known === undefined ? "" : `\n${words.called} is one of: ${words.known.join(", ")}\n`;
  return `${call.join(" ")}\n\n${says}\n${lines.length > 0 ? "\n" : ""}${lines
    .map(([left = "", right]) => `  ${left.padEnd(width)}  ${right}\n`)
    .join("")}${known}`;
}
