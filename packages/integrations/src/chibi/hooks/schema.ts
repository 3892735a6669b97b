import { type Fields, guess, isFields } from "@hookline/ground";
import { type Diagnostic, diagnose, readJson, type Source } from "@hookline/runtime/dialect";
import { pointsByName } from "./events.ts";
import { NEVER_FIRING } from "./newer.ts";

/** One entry of a plugin's schema: a tool, and the hook points at which the plugin wants to be called. */
export interface Entry {
  readonly name: string;
  readonly description: string;
  readonly parameters: Fields;
  /** Names of the known hook points that the plugin lists, in its order and without repetition. */
  readonly hooks: readonly string[];
  /** Whether the model is offered the tool: false if the name does not suit the model providers. */
  readonly offered: boolean;
}

/** A plugin's answer to `--schema`, parsed. */
export type SchemaReading =
  | { readonly ok: true; readonly entries: readonly Entry[]; readonly diagnostics: readonly Diagnostic[] }
  | { readonly ok: false; readonly problem: string; readonly diagnostics: readonly Diagnostic[] };

/** The parameters of a tool that describes none. */
const NO_PARAMETERS: Fields = { type: "object", properties: {} };
const PROVIDERS_TAKE = /^[a-zA-Z0-9_-]{1,64}$/;
/** Matches keys that were probably meant to be `hooks`. */
const HOOKS_SLIPS = /^(?:hooks?|events?|hook_?points?)$/i;
const NAME_RULE = "Use letters, digits, _ and -, at most 64";

/**
 * Reads a plugin's answer to `--schema`: one object, or a list of them. An entry without a name or a description is
 * left out and reported. Unknown keys are ignored, as in chibi. Source: spec/chibi.md 2.2.
 */
export function readSchema(text: string, source: Source): SchemaReading {
  const read = readJson(text.trim());
  if (!read.ok)
    return { ok: false, problem: `its answer to --schema cannot be used: ${read.problem}`, diagnostics: [] };
  const listed: readonly unknown[] = Array.isArray(read.value) ? read.value : [read.value];
  const diagnostics: Diagnostic[] = [];
  const entries = listed.flatMap((item, index) => readEntry(item, faults(source, index + 1, diagnostics)) ?? []);
  if (entries.length > 0) return { ok: true, entries, diagnostics };
  return { ok: false, problem: "its answer to --schema describes no tool", diagnostics };
}

/** Records what is wrong with one entry of a plugin's answer to `--schema`. */
interface Faults {
  bad(problem: string, remedy: string): void;
  unknownPoint(name: string): void;
}

/** Makes reports about the entries of a plugin's answer. Each report has the number of its entry. */
function faults(source: Source, line: number, diagnostics: Diagnostic[]): Faults {
  const path = `${source.path} --schema`;
  return {
    bad: (problem, remedy) => void diagnostics.push(diagnose("BAD_ENTRY", { path, line, problem, remedy }, { source })),
    unknownPoint: (event) => {
      const details = { path, line, event, dialect: "chibi", guess: guess(event, pointsByName.keys()) };
      const code = NEVER_FIRING.has(event) ? "NEVER_FIRES" : "UNKNOWN_HOOK_EVENT";
      diagnostics.push(diagnose(code, details, { source }));
    },
  };
}

function readEntry(item: unknown, { bad, unknownPoint }: Faults): Entry | undefined {
  const { name, description, parameters, hooks } = (isFields(item) ? item : {}) as Fields;
  if (typeof name !== "string" || name === "") {
    bad('the entry has no "name"', "Print a JSON object with a name and a description for each tool.");
    return undefined;
  }
  if (typeof description !== "string") {
    bad(`the tool "${name}" has no "description"`, "Describe it; an entry without a description is left out.");
    return undefined;
  }
  const slip = Object.keys(item as Fields).find((key) => key !== "hooks" && HOOKS_SLIPS.test(key));
  if (hooks === undefined && slip !== undefined)
    bad(`"${name}" has "${slip}", which is not read`, 'Call it "hooks": a list of hook points.');
  const offered = PROVIDERS_TAKE.test(name);
  if (!offered)
    bad(`"${name}" cannot be the name of a tool`, `${NAME_RULE}; its hooks run, the model is not offered it.`);
  if (parameters !== undefined && parameters !== null && !isFields(parameters))
    bad(`the "parameters" of "${name}" are no object`, "Give a JSON Schema; until then the tool takes none.");
  return {
    name,
    description,
    parameters: isFields(parameters) ? parameters : NO_PARAMETERS,
    hooks: readHooks(hooks, name, { bad, unknownPoint }),
    offered,
  };
}

function readHooks(given: unknown, name: string, { bad, unknownPoint }: Faults): readonly string[] {
  if (given === undefined || given === null) return [];
  const listed = Array.isArray(given) ? given : [];
  if (!Array.isArray(given) || listed.some((hook) => typeof hook !== "string"))
    bad(`the "hooks" of "${name}" are no list of names`, "List the names of hook points; what is no name is left out.");
  const names = new Set<string>(listed.filter((hook) => typeof hook === "string"));
  for (const hook of names) if (!pointsByName.has(hook)) unknownPoint(hook);
  return [...names].filter((hook) => pointsByName.has(hook));
}
