import type { Diagnostic } from "@hookline/runtime";
import { diagnose, didYouMean, jsonLines, readJson, type Tier } from "@hookline/runtime/internal";
import { lookAt, textAt } from "../file/look.ts";
import { nearestKey, readServer, type ServerDefinition } from "./definition.ts";

/** A file that may define servers. */
export interface ServerFile {
  readonly path: string;
  readonly tier: Tier;
  /** Whether a missing file is an error, as for one named on the command line. */
  readonly isNamed?: boolean;
}

/** One entry of a file: its server, or why it has none. */
export interface ServerEntry extends ServerFile {
  readonly line: number;
  readonly name: string;
  readonly definition?: ServerDefinition;
  readonly problem?: string;
}

/** Reads a file of servers. A bad entry is skipped, an unreadable file is skipped whole; both are reported. */
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
  const servers = isObject(read.value) ? read.value["mcpServers"] : undefined;
  if (!isObject(servers)) return whole('it has no object "mcpServers"');
  const lines = jsonLines(text);
  return Object.entries(servers).map(([name, entry]) =>
    entryOf(
      file,
      { name, entry, line: lines(`/mcpServers/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`) },
      report,
    ),
  );
}

function entryOf(
  file: ServerFile,
  { name, entry, line }: { readonly name: string; readonly entry: unknown; readonly line: number },
  report: (diagnostic: Diagnostic) => void,
): ServerEntry {
  const { path, tier } = file;
  const source = { path, tier, line };
  const about = `the server "${name.slice(0, 60)}"`;
  const reading = readServer(name, entry, tier === "project");
  const broken = (problem: string, remedy: string): ServerEntry => {
    report(diagnose("BAD_ENTRY", { path, line, problem: `${about}: ${problem}`, remedy }, { source }));
    return { ...file, line, name, problem: `${about}: ${problem}` };
  };
  if ("problem" in reading) return broken(reading.problem, reading.remedy);
  if (name.trim() === "") return broken("it has no name", "Give it one.");
  const [unknown] = reading.unknown;
  const guess = unknown === undefined ? "" : didYouMean(nearestKey(unknown));
  // Unknown keys may belong to other programs; in hookline's own file they are mistakes (decision 6d).
  if (unknown !== undefined && tier !== "project")
    return broken(`unknown key "${unknown.slice(0, 40)}"`, `${guess}Correct or remove it.`);
  if (unknown !== undefined)
    report(diagnose("UNKNOWN_KEY", { path, line, key: unknown.slice(0, 40), guess }, { source }));
  return { ...file, line, name, definition: reading.definition };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
