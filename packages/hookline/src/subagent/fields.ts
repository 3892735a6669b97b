import { nearest } from "@hookline/ground";
import type { Frontmatter } from "../prompt/frontmatter.ts";
import type { AgentDefinition } from "./definition.ts";
import type { AgentFormat } from "./folders.ts";

/** A problem with a field, and its remedy. */
export interface FieldFault {
  readonly field: string;
  readonly problem: string;
  readonly remedy: string;
}

/** A sub-agent's definition, or the fault that prevents it, with notes for the person. */
export interface ReadFields {
  readonly definition?: Omit<AgentDefinition, "source">;
  readonly fault?: FieldFault;
  readonly notes: readonly FieldFault[];
}

/** Returns hookline's name of a tool, from the name in a definition for another program. */
export type ToolOf = (name: string) => string;

/** Reads the fields of an agent's file. Source: code.claude.com/docs/en/sub-agents; oh-my-pi 18.2.3, task agents. */
export function readFields({ fields, body }: Frontmatter, format: AgentFormat, toolOf: ToolOf): ReadFields {
  const notes: FieldFault[] = [...unheard(fields), ...mistyped(fields)];
  for (const field of ["name", "description"]) {
    const value = fields[field];
    if (typeof value !== "string" || value.trim() === "") {
      const remedy = `Add a line "${field}: …" between the lines of "---" at its beginning.`;
      return { fault: { field, problem: `an agent needs a ${field}`, remedy }, notes };
    }
  }
  const models = namesOf(fields["model"]);
  const tools = namesOf(fields["tools"]);
  const without = namesOf(fields["disallowedTools"]);
  for (const [field, names] of Object.entries({ model: models, tools, disallowedTools: without }))
    if (names === undefined) {
      const remedy = `Write "${field}: NAME, NAME", or leave it out.`;
      return { fault: { field, problem: `${field} must be a list of names`, remedy }, notes };
    }
  const hasList = fields["tools"] !== undefined && fields["tools"] !== null && tools?.includes("*") !== true;
  const limited = (tools ?? []).filter(isRuled);
  const host = (names: readonly string[]): string[] => [...new Set(names.map((name) => toolOf(withoutRule(name))))];
  const own = host((tools ?? []).filter((name) => !isRuled(name)));
  const hidden = [...host(without ?? []), ...(format === "omp" && startsNone(fields, own) ? ["task"] : [])];
  for (const name of limited) {
    const problem = `"${name}" limits a tool, which hookline cannot do, so the agent does not get the tool`;
    notes.push({ field: "tools", problem, remedy: "Write the tool's name alone, and guard its calls with a hook." });
  }
  return {
    definition: {
      name: String(fields["name"]).trim(),
      description: String(fields["description"]).trim(),
      prompt: body.trim(),
      ...(hasList && { tools: own }),
      ...(hidden.length > 0 && { withoutTools: hidden }),
      ...(models !== undefined && models.length > 0 && !models.includes("inherit") && { model: models.join(",") }),
    },
    notes,
  };
}

/** Fields that limit an agent in other programs but have no effect here. The person is warned about them. */
const UNHEARD: Readonly<Record<string, string>> = {
  maxTurns: "maxTurns has no effect here",
  permissionMode: "permissionMode has no effect here",
  isolation: "isolation has no effect here: the agent works in the session's folder",
};

function unheard(fields: Frontmatter["fields"]): FieldFault[] {
  return Object.entries(UNHEARD)
    .filter(([field]) => fields[field] !== undefined && fields[field] !== null)
    .map(([field, problem]) => ({ field, problem, remedy: "Guard the agent with a hook instead." }));
}

const READ = ["name", "description", "tools", "disallowedTools", "model", "hooks"];

/** Finds fields that are probably misspelt. Other unknown fields are ignored. */
function mistyped(fields: Frontmatter["fields"]): FieldFault[] {
  return Object.keys(fields).flatMap((field) => {
    const meant = READ.includes(field) ? undefined : nearest(field, READ);
    if (meant === undefined || fields[meant] !== undefined) return [];
    return [{ field, problem: `an agent has no field "${field}"`, remedy: `Did you mean "${meant}"?` }];
  });
}

/** Reads a list or comma-separated text of names; empty if absent, undefined if it is neither. */
function namesOf(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return [];
  const given: unknown = typeof value === "string" ? value.split(/,(?![^(]*\))/) : value;
  if (!Array.isArray(given) || !given.every((one) => typeof one === "string")) return undefined;
  return given.map((name) => name.trim()).filter((name) => name !== "");
}

/** Whether a tool's name contains a permission rule, such as `Bash(git *)`. */
function isRuled(name: string): boolean {
  return name.includes("(");
}

function withoutRule(name: string): string {
  return name.split("(")[0]?.trim() ?? name;
}

/**
 * Whether an agent of oh-my-pi may start no other agents: it has neither `spawns` nor the task tool. A list of names in
 * `spawns` also counts as none, because hookline cannot limit an agent to certain others.
 */
function startsNone({ spawns }: Frontmatter["fields"], tools: readonly string[]): boolean {
  return spawns === undefined || spawns === null ? !tools.includes("task") : spawns !== "*";
}
