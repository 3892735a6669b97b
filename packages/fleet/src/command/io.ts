import { nameProblem } from "../name/subjects.ts";

/** Where a command reads and writes, and whose home it works in. */
export interface FleetIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
  /** Absolute. */
  readonly hooklineHome: string;
  /** The version of hookline. */
  readonly version: string;
  out(text: string): void;
  err(text: string): void;
  /** Resolves when a person or a program wants the command to end. */
  ended(): Promise<void>;
}

/** The arguments of a command. */
export interface FleetArgs {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, boolean | string | undefined>>;
}

/** A command line that cannot be meant. */
export class FleetUsage extends Error {
  override readonly name = "FleetUsage";
}

/** The text of a flag; throws `FleetUsage` where it must be there and is not. */
export function wanted(args: FleetArgs, flag: string, what: string): string {
  const value = args.flags[flag];
  if (typeof value === "string" && value !== "") return value;
  throw new FleetUsage(`--${flag} is missing: ${what}`);
}

/** The word at a place; throws `FleetUsage` where it is missing. */
export function word(args: FleetArgs, at: number, what: string): string {
  const value = args.words[at];
  if (value !== undefined && value !== "") return value;
  throw new FleetUsage(`${what} is missing`);
}

/** Prints one object for `--json`, else the lines. */
export function say(args: FleetArgs, io: FleetIo, object: object, lines: readonly string[]): void {
  io.out(args.flags["json"] === true ? `${JSON.stringify({ v: 1, ...object })}\n` : `${lines.join("\n")}\n`);
}

/** The days of `--days`; throws `FleetUsage` for what is no count of them. */
export function daysOf({ flags }: FleetArgs, usual: number): number {
  const text = flags["days"];
  if (text === undefined) return usual;
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 3650) return days;
  throw new FleetUsage(`--days is not a number from 1 to 3650: ${String(text)}`);
}

/** The channel of `--channel`, `stable` without it; throws `FleetUsage` for what is no name. */
export function channelOf({ flags }: FleetArgs): string {
  const channel = typeof flags["channel"] === "string" ? flags["channel"] : "stable";
  const problem = nameProblem(channel);
  if (problem !== undefined) throw new FleetUsage(`--channel "${channel}" ${problem}`);
  return channel;
}
