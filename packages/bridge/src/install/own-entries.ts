import { basename } from "node:path";
import { textAt } from "@hookline/ground/system";
import type { Candidate, Dialect } from "@hookline/runtime/engine";

/** How the file of an adapter that is a module begins. */
export const ADAPTER_MARK = "// hookline bridge: ";

/** The file of such an adapter, whatever the agent. */
export const ADAPTER_FILE = "hookline-bridge.ts";

/**
 * The program that other agents run for their hooks, below hookline's home. Its name stays the same in every version, since
 * hosts trust a command by its text.
 */
export const CLIENT = "bin/hookline-hook";

/** A command of an adapter, as every version has written it; one that only starts the client is a person's own. */
const COMMAND = new RegExp(
  `^(?:cd "[^"]*"; )?\\[ -x (\\S*|"[^"]*"|'[^']*'(?:\\\\''[^']*')*)(?<=/${CLIENT}["']?) \\] && ` +
    "exec \\1 ([a-z]+) \\w+ --origin \\2-(?:user|project) --deadline \\d+(?: --detach)?;.* exit \\d+$",
  "s",
);

/** Whether `hookline bridge install` has written a command. */
export function isOwnCommand(command: unknown): command is string {
  return typeof command === "string" && COMMAND.test(command);
}

/**
 * A dialect without what `hookline bridge install` has put among its program's hooks: that asks hookline's own hooks,
 * which would be asked twice.
 */
export function withoutAdapters(dialect: Dialect): Dialect {
  return {
    ...dialect,
    async discover(scan) {
      const found = await dialect.discover(scan);
      return { ...found, candidates: found.candidates.filter((one) => !isEntry(one)).map(asAdapter) };
    },
  };
}

function isEntry({ commands = [] }: Candidate): boolean {
  return commands.length > 0 && commands.every(isOwnCommand);
}

/** Keeps a module as a candidate: a file in that place without a candidate would be reported. */
function asAdapter(candidate: Candidate): Candidate {
  const { path } = candidate.source;
  if (basename(path) !== ADAPTER_FILE || !startsWithMark(path)) return candidate;
  return { ...candidate, state: "disabled", reason: "it is hookline's own, and asks the hooks that run here already" };
}

function startsWithMark(path: string): boolean {
  try {
    return textAt(path).startsWith(ADAPTER_MARK);
  } catch {
    return false;
  }
}
