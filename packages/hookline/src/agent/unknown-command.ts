import { nearest } from "@hookline/ground";
import type { MainCore } from "./agent-parts.ts";
import { listCommands } from "./listing.ts";

/** A typed command that does not exist. */
export interface UnknownCommand {
  /** With its slash. */
  readonly typed: string;
  /** The nearest existing command, with its slash. */
  readonly near: string;
}

/** A slash and a word, without a second slash, which would make it a path. */
const COMMAND = /^\/(\p{L}[\p{L}\p{N}:_.-]*)(?=\s|$)/u;

/** The maximum edit distance between a text and the command that it means. */
const MOST_EDITS = 2;

/** The unknown command that a text calls; undefined if it calls an existing one, or nothing near to one. */
export function unknownCommand(
  agent: { readonly core: MainCore; readonly commands: ReadonlyMap<string, unknown> },
  text: string,
): UnknownCommand | undefined {
  const name = COMMAND.exec(text)?.[1];
  const names = [...agent.commands.keys(), ...listCommands(agent).map((command) => command.name)];
  if (name === undefined || names.includes(name)) return undefined;
  const near = nearest(name, names, MOST_EDITS);
  return near === undefined ? undefined : { typed: `/${name}`, near: `/${near}` };
}
