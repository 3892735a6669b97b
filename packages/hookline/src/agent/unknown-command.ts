import { nearest } from "@hookline/ground";
import type { MainCore } from "./agent-parts.ts";
import { listCommands } from "./listing.ts";

/** A typed command that does not exist, with a similar one that does. */
export interface UnknownCommand {
  /** The typed command with its slash. */
  readonly typed: string;
  /** The nearest existing command, with its slash. */
  readonly near: string;
}

/** A slash and a word. A second slash would make the text a path. */
const COMMAND = /^\/(\p{L}[\p{L}\p{N}:_.-]*)(?=\s|$)/u;

/** The largest edit distance at which an existing command counts as similar. */
const MOST_EDITS = 2;

/** Finds the unknown command that a text calls; undefined if the command exists or nothing is similar to it. */
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
