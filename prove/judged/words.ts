import type { Dice } from "../stage/dice.ts";

/** Matches commands that every guard refuses. */
export const EVIL = /rm\s+-rf/;

/** The tool with its schema. Arguments that do not fit are corrected if that is simple, and otherwise refused. */
export const BASH = {
  name: "bash",
  parameters: {
    type: "object",
    properties: { command: { type: "string" }, timeout: { type: "number" } },
    required: ["command"],
  },
} as const;

/** Whether a call can run without corrections. */
export function fits({ command, timeout }: Readonly<Record<string, unknown>>): boolean {
  return typeof command === "string" && ["number", "undefined"].includes(typeof timeout);
}

const PADDING = [0, 1, 4096, 131_000, 131_056, 200_000];
const PLAIN = ["ls", "ls -l", "cat notes.txt", "echo ünï💥", "true \u0000"];

/** Returns a command as a model or an editing hook may write it: harmless or not, with or without blanks around it. */
export function aCommand(chance: Dice): string {
  const text = chance.chance(0.5) ? chance.pick(PLAIN) : chance.pick(["rm -rf /", "ls; rm  -rf .", "rm\t-rf /"]);
  const padding = " ".repeat(chance.chance(0.3) ? chance.pick(PADDING) : 0);
  return chance.chance(0.5) ? padding + text : text + padding;
}

/** Returns an editing hook's replacement for a command: text, something close to text, or neither. */
export function anEdit(chance: Dice): Record<string, unknown> {
  const args: Record<string, unknown> = {
    command: chance.chance(0.2) ? chance.pick([7, true, ["ls"], null]) : aCommand(chance),
  };
  if (chance.chance(0.3)) args["timeout"] = chance.pick([5, "7", " 7 ", "soon", true]);
  return args;
}

/** Returns arguments of a call, with extra fields that have a meaning elsewhere. */
export function modelArguments(chance: Dice): Record<string, unknown> {
  const args: Record<string, unknown> = { command: aCommand(chance) };
  if (chance.chance(0.2)) args["timeout"] = chance.pick([5, "5"]);
  if (chance.chance(0.1)) Object.defineProperty(args, "__proto__", { value: { command: "ls" }, enumerable: true });
  if (chance.chance(0.1)) args["constructor"] = { prototype: { command: "ls" } };
  return args;
}
