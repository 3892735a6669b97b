import { basename } from "node:path";
import { textAt } from "@hookline/ground/system";
import type { Candidate, Dialect } from "@hookline/runtime/engine";

/** First words of a file that is an adapter's module. */
export const ADAPTER_MARK = "// hookline bridge: ";

/** File name of an adapter that is a module, the same in every agent. */
export const ADAPTER_FILE = "hookline-bridge.ts";

/**
 * The program that other agents run for their hooks, below hookline's home. Its name never changes, since hosts trust a
 * command by its text.
 */
export const CLIENT = "bin/hookline-hook";

/**
 * Matches the hook commands of every version of hookline so far. A command that only begins with the client's path is a
 * person's own.
 */
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
 * Returns a dialect without the hooks that `hookline bridge install` has added to its agent. They lead to hookline's
 * own hooks, which would be asked twice.
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

/** Disables hookline's own adapter module instead of removing it: a file without any hook would be reported. */
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
