import {
  diagnose,
  didYouMean,
  type EntryPlace,
  entryPlaces,
  isFields,
  jsonLines,
  pointerPart,
  readJson,
  type Tier,
} from "@hookline/ground";
import { lookAt, textAt } from "@hookline/ground/system";
import type { Diagnostic } from "@hookline/runtime";
import { nearestKey, readServer, type ServerDefinition } from "./definition.ts";

/** A file that may define servers. */
export interface ServerFile {
  readonly path: string;
  readonly tier: Tier;
  /** Whether the file was named on the command line, so that a missing file is an error. */
  readonly isNamed?: boolean;
}

/** One entry in a file of servers: the server that it defines, or the problem with it. */
export interface ServerEntry extends ServerFile, EntryPlace {
  readonly name: string;
  readonly definition?: ServerDefinition;
  readonly problem?: string;
}

/** Reads a file of servers. Skips and reports a bad entry, or the whole file if it cannot be read. */
export function readServerFile(file: ServerFile, report: (diagnostic: Diagnostic) => void): readonly ServerEntry[] {
  const { path, tier, isNamed = false } = file;
  const source = { path, tier };
  const look = lookAt(path);
  if (look.kind === "nothing" && !isNamed) return [];
  let text: string;
  try {
    text = textAt(path);
  } catch (thrown) {
    const problem = look.kind === "nothing" ? "there is no such file" : (thrown as Error).message;
    report(diagnose("UNREADABLE", { path, problem }, { source }));
    return [{ ...file, line: 1, name: "", problem }];
  }
  const read = readJson(text);
  const whole = (problem: string): readonly ServerEntry[] => {
    report(diagnose("SYNTAX", { path, line: 1, problem }, { source }));
    return [{ ...file, line: 1, name: "", problem }];
  };
  if (!read.ok) return whole(read.message);
  const servers = isFields(read.value) ? read.value["mcpServers"] : undefined;
  if (!isFields(servers)) return whole('it has no object "mcpServers"');
  const pointerOf = (name: string): string => `/mcpServers/${pointerPart(name)}`;
  const at = entryPlaces(Object.keys(servers).map(pointerOf), jsonLines(text));
  return Object.entries(servers).map(([name, entry]) =>
    entryOf(file, { name, entry, at: at(pointerOf(name)) }, report),
  );
}

function entryOf(
  file: ServerFile,
  { name, entry, at }: { readonly name: string; readonly entry: unknown; readonly at: EntryPlace },
  report: (diagnostic: Diagnostic) => void,
): ServerEntry {
  const { path, tier } = file;
  const { line } = at;
  const source = { path, tier, ...at };
  const about = `the server "${name.slice(0, 60)}"`;
  const reading = readServer(name, entry, tier === "project");
  const broken = (problem: string, remedy: string): ServerEntry => {
    report(diagnose("BAD_ENTRY", { path, line, problem: `${about}: ${problem}`, remedy }, { source }));
    return { ...file, ...at, name, problem: `${about}: ${problem}` };
  };
  if ("problem" in reading) return broken(reading.problem, reading.remedy);
  if (name.trim() === "") return broken("it has no name", "Give it one.");
  const [unknown] = reading.unknown;
  const guess = unknown === undefined ? "" : didYouMean(nearestKey(unknown));
  // Other programs also read a project's file, so it may have unknown properties (ruling 6d).
  if (unknown !== undefined && tier !== "project")
    return broken(`unknown key "${unknown.slice(0, 40)}"`, `${guess}Correct or remove it.`);
  if (unknown !== undefined)
    report(diagnose("UNKNOWN_KEY", { path, line, key: unknown.slice(0, 40), guess }, { source }));
  return { ...file, ...at, name, definition: reading.definition };
}
