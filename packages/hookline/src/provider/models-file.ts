import { CODES, type Code, isFields, messageOf, readJsonText, withoutComments } from "@hookline/ground";
import { lookAt, textAt } from "@hookline/ground/system";
import { type Diagnostic, HooklineError } from "@hookline/runtime";
import { knownProvider } from "./known.ts";
import { lineOf } from "./locate.ts";
import type { Model } from "./provider.ts";
import {
  type Check,
  flag,
  list,
  number,
  object,
  oneOf,
  type Path,
  type Problem,
  record,
  text,
  whatever,
  word,
} from "./shape.ts";

/** A model's entry in `models.json` or from an extension; the provider supplies the rest. */
export type ModelEntry = { readonly id: string; readonly api?: string; readonly baseUrl?: string } & Partial<Model>;

/** A provider's entry in `models.json`. Keys and headers may refer to variables and commands. */
export interface ProviderEntry {
  readonly name?: string;
  readonly baseUrl?: string;
  readonly api?: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether to send the key as `Authorization: Bearer`, too. */
  readonly authHeader?: boolean;
  readonly compat?: Readonly<Record<string, unknown>>;
  readonly models?: readonly ModelEntry[];
  /** Changes to existing models of the provider, by id. */
  readonly modelOverrides?: Readonly<Record<string, Partial<Model>>>;
}

/** The usable providers of a `models.json`, and what is wrong with the others. */
export interface ModelsFile {
  readonly path: string;
  readonly providers: ReadonlyMap<string, ProviderEntry>;
  readonly diagnostics: readonly Diagnostic[];
}

const costs = { input: number(), output: number(), cacheRead: number(), cacheWrite: number(), tiers: list(whatever) };

const metadata = {
  name: word,
  reasoning: flag,
  thinkingLevelMap: record(whatever),
  input: list(oneOf("text", "image")),
  inputLimits: record(whatever),
  cost: object(costs),
  promptCache: record(whatever),
  contextWindow: number(1),
  maxTokens: number(1),
  samplingParams: record(whatever),
  headers: record(text),
  compat: record(whatever),
} satisfies Record<string, Check>;

const provider = object({
  name: word,
  baseUrl: word,
  api: word,
  apiKey: word,
  headers: record(text),
  authHeader: flag,
  compat: record(whatever),
  models: list(object({ ...metadata, id: word, api: word, baseUrl: word }, ["id"])),
  modelOverrides: record(object(metadata)),
});

/**
 * Reads a `models.json` in pi's format, in which comments are allowed. Never throws: a missing file has no providers, a
 * provider with a broken entry is left out and reported, an unknown key is reported and ignored.
 */
export async function readModelsFile(path: string): Promise<ModelsFile> {
  const none = { path, providers: new Map<string, ProviderEntry>() };
  if (lookAt(path).kind === "nothing") return { ...none, diagnostics: [] };
  let source: string;
  try {
    source = withoutComments(textAt(path));
  } catch (thrown) {
    return { ...none, diagnostics: [report("UNREADABLE", path, { problem: messageOf(thrown) })] };
  }
  const parsed = readJsonText(source);
  if ("problem" in parsed) {
    const { line, problem } = parsed;
    return { ...none, diagnostics: [report("SYNTAX", path, { line, problem })] };
  }
  const { value } = parsed;
  const problems: Problem[] = [...object({ providers: record(whatever), $schema: text })(value, [])];
  const providers = new Map<string, ProviderEntry>();
  const given = isFields(value) && isFields(value["providers"]) ? value["providers"] : {};
  for (const [name, entry] of Object.entries(given)) {
    const found = [...provider(entry, ["providers", name]), ...incomplete(name, entry)];
    problems.push(...found);
    if (found.every((problem) => problem.unknownKey !== undefined)) providers.set(name, entry as ProviderEntry);
  }
  const diagnostics: Diagnostic[] = [];
  for (const { path: inner, problem, remedy, unknownKey } of problems) {
    const line = await lineOf(source, inner);
    const found = report("BAD_ENTRY", path, { line, problem, remedy });
    diagnostics.push(unknownKey === undefined ? found : { ...found, severity: "warning" });
  }
  return { path, providers, diagnostics };
}

/** Lists the fields that the entry of an unknown provider lacks. */
function incomplete(name: string, entry: unknown): readonly Problem[] {
  if (knownProvider(name) !== undefined || !isFields(entry)) return [];
  const { models } = entry;
  const owners: [Path, Readonly<Record<string, unknown>>][] =
    Array.isArray(models) && models.length > 0
      ? models.map((model, index) => [["models", index], { ...entry, ...(isFields(model) && model) }])
      : [[[], entry]];
  return owners.flatMap(([inner, owner]) =>
    (["baseUrl", "api"] as const).flatMap((key) => {
      if (owner[key] !== undefined) return [];
      const example = key === "api" ? "openai-completions" : "http://localhost:11434/v1";
      const who = inner.length === 0 ? `provider "${name}"` : `model "${String(owner["id"])}" of provider "${name}"`;
      return [
        {
          path: ["providers", name, ...inner],
          problem: `${who} has no "${key}"`,
          remedy: `Add "${key}": "${example}".`,
        },
      ];
    }),
  );
}

function report(code: Code, path: string, details: { line?: number; problem: string; remedy?: string }): Diagnostic {
  const { message, hint } = new HooklineError(code, { path, ...details });
  const { line } = details;
  const source = { path, tier: "user" as const, ...(line !== undefined && { line }) };
  return { code, severity: CODES[code].severity, message, hint, source };
}
