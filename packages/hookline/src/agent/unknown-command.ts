import { nearest } from "@hookline/runtime/internal";
import type { Agent } from "./agent.ts";
import { listCommands } from "./listing.ts";

/** A typed command that does not exist. */
export interface UnknownCommand {
  /** With its slash. */
  readonly typed: string;
  /** The nearest existing command, with its slash. */
  readonly near: string | undefined;
}

/** A slash and a word, without a second slash, which would make it a path. */
const COMMAND = /^\/(\p{L}[\p{L}\p{N}:_.-]*)(?=\s|$)/u;

/** The unknown command that a text calls; undefined if it calls none or an existing one. */
export function unknownCommand(agent: Agent, text: string): UnknownCommand | undefined {
  const name = COMMAND.exec(text)?.[1];
  const names = [...agent.commands.keys(), ...listCommands(agent).map((command) => command.name)];
  if (name === undefined || names.includes(name)) return undefined;
  const near = nearest(name, names);
  return { typed: `/${name}`, near: near === undefined ? undefined : `/${near}` };
}
