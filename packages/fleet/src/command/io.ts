import { nameProblem } from "../name/subjects.ts";

/** Input and output of a command, and the home folder that it works in. */
export interface FleetIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working folder, an absolute path. */
  readonly cwd: string;
  /** hookline's home, an absolute path. */
  readonly hooklineHome: string;
  /** The version of hookline. */
  readonly version: string;
  out(text: string): void;
  err(text: string): void;
  /** Resolves when a person or a program interrupts the command. */
  ended(): Promise<void>;
}

/** The arguments of a command: its positional words, and its flags. */
export interface FleetArgs {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, boolean | string | undefined>>;
}

/** Thrown for a wrong command line. */
export class FleetUsage extends Error {
  override readonly name = "FleetUsage";
}

/** Returns a flag's text; throws `FleetUsage` if the flag is missing. */
export function wanted(args: FleetArgs, flag: string, what: string): string {
  const value = args.flags[flag];
  if (typeof value === "string" && value !== "") return value;
  throw new FleetUsage(`--${flag} is missing: ${what}`);
}

/** Returns the positional word at an index; throws `FleetUsage` if it is missing. */
export function word(args: FleetArgs, at: number, what: string): string {
  const value = args.words[at];
  if (value !== undefined && value !== "") return value;
  throw new FleetUsage(`${what} is missing`);
}

/** Prints one object for `--json`, else the lines. */
export function say(args: FleetArgs, io: FleetIo, object: object, lines: readonly string[]): void {
  io.out(args.flags["json"] === true ? `${JSON.stringify({ v: 1, ...object })}\n` : `${lines.join("\n")}\n`);
}

/** Returns the days of `--days`; throws `FleetUsage` if that is not a positive integer. */
export function daysOf({ flags }: FleetArgs, usual: number): number {
  const text = flags["days"];
  if (text === undefined) return usual;
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 3650) return days;
  throw new FleetUsage(`--days is not a number from 1 to 3650: ${String(text)}`);
}

/** Returns the channel of `--channel`, or `stable` without it; throws `FleetUsage` for an invalid name. */
export function channelOf({ flags }: FleetArgs): string {
  const channel = typeof flags["channel"] === "string" ? flags["channel"] : "stable";
  const problem = nameProblem(channel);
  if (problem !== undefined) throw new FleetUsage(`--channel "${channel}" ${problem}`);
  return channel;
}
