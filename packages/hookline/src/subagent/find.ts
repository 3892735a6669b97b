import { diagnose, messageOf } from "@hookline/ground";
import { textAt } from "@hookline/ground/system";
import type { Diagnostic } from "@hookline/runtime";
import type { Scan } from "@hookline/runtime/engine";
import { fieldsFault, readFrontmatter } from "../prompt/frontmatter.ts";
import type { AgentDefinition } from "./definition.ts";
import { type FieldFault, readFields } from "./fields.ts";
import { type AgentFolder, agentFiles, agentFolders } from "./folders.ts";

/** The folders and variables that determine where agents are looked for. */
export type AgentScan = Pick<Scan, "cwd" | "home" | "env" | "hooklineHome">;

/** A file in a folder of agents: its definition, or the reason why it has none. */
export interface AgentFile {
  readonly path: string;
  readonly tier: AgentFolder["tier"];
  readonly definition?: AgentDefinition;
  readonly problem?: string;
}

type Report = (diagnostic: Diagnostic) => void;

/** Reads all definitions of sub-agents. A file with a mistake is left out and reported with the line of the mistake. */
export async function readAgents(scan: AgentScan, report: Report): Promise<AgentFile[]> {
  const found: AgentFile[] = [];
  for (const folder of agentFolders(scan))
    for (const path of agentFiles(folder, report)) {
      const file = await readAgent(folder, path, report);
      if (file !== undefined) found.push(file);
    }
  return found;
}

/**
 * Returns the agents that can be started: the person's, then the approved ones of the project. Approved files are used
 * with the text that was approved. Of two agents with the same name, the first is used and the other is reported. Other
 * problems were reported when the files were found.
 */
export async function usableAgents(
  scan: AgentScan,
  approved: readonly { readonly path: string; readonly text: string }[],
  report: Report,
): Promise<AgentDefinition[]> {
  const quietly = (): void => {};
  const folders = agentFolders(scan);
  const mine = folders.filter(({ tier }) => tier === "user");
  const reads = [
    ...mine.flatMap((folder) => agentFiles(folder, quietly).map((path) => readAgent(folder, path, quietly))),
    ...approved.map(({ path, text }) => {
      const folder = folders.find((one) => one.tier === "project" && path.startsWith(`${one.path}/`));
      return readAgent(folder ?? { tier: "project", format: "claude" }, path, quietly, text);
    }),
  ];
  const chosen = new Map<string, AgentDefinition>();
  for (const file of await Promise.all(reads)) {
    const definition = file?.definition;
    if (definition === undefined) continue;
    const { name, source } = definition;
    const other = chosen.get(name)?.source.path;
    if (other === undefined) chosen.set(name, definition);
    else report(diagnose("DUPLICATE", { kind: "agent", key: name, path: source.path, other }, { source }));
  }
  return [...chosen.values()];
}

/** Reads one file. `text` is its approved content. Returns undefined for a file that is no agent, such as notes. */
export async function readAgent(
  { tier, format }: Pick<AgentFolder, "tier" | "format">,
  path: string,
  report: Report,
  text?: string,
): Promise<AgentFile | undefined> {
  const source = { path, tier };
  const lost = (diagnostic: Diagnostic): AgentFile => {
    report(diagnostic);
    return { ...source, problem: diagnostic.message };
  };
  let whole: string;
  try {
    whole = text ?? textAt(path);
  } catch (thrown) {
    return lost(diagnose("UNREADABLE", { path, problem: messageOf(thrown) }, { source }));
  }
  const told = (code: "BAD_ENTRY" | "LINT", { field, problem, remedy }: FieldFault): Diagnostic => {
    const line = lineOf(field, whole);
    return diagnose(code, { path, line, problem, remedy }, { source: { ...source, line } });
  };
  try {
    const file = await readFrontmatter(whole);
    if (Object.keys(file.fields).length === 0 && /(^|\/)readme\.md$/i.test(path)) return undefined;
    const { definition, fault, notes } = readFields(file, format, await toolsOf(format));
    for (const note of notes) report(told("LINT", note));
    if (definition !== undefined) return { ...source, definition: { ...definition, source } };
    return lost(told("BAD_ENTRY", fault as FieldFault));
  } catch (thrown) {
    const fault = fieldsFault(thrown);
    return lost(diagnose("SYNTAX", { path, ...fault }, { source: { ...source, line: fault.line } }));
  }
}

async function toolsOf(format: AgentFolder["format"]): Promise<(name: string) => string> {
  const { dialects } = await import("@hookline/integrations");
  const found = dialects.find(({ id }) => id === format);
  return (name) => found?.toolOf?.(name) ?? name;
}

/** Returns the line on which a field starts; 1 if the field is absent. */
function lineOf(field: string, text: string): number {
  const at = text.split("\n").findIndex((line) => line.replace(/^["']/, "").startsWith(field));
  return Math.max(at, 0) + 1;
}
