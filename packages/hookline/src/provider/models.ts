import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { messageOf, readJsonText } from "@hookline/ground";
import { wrongUse } from "@hookline/ground/system";
import { HooklineError } from "@hookline/runtime";
import { fromUrl } from "./ad-hoc.ts";
import { noKey } from "./auth.ts";
import { invalid, ways } from "./choice-error.ts";
import type { Environment } from "./config-value.ts";
import { demoModel } from "./demo.ts";
import { KNOWN, knownProvider } from "./known.ts";
import { LentRegistry } from "./lent-registry.ts";
import { lineOf } from "./locate.ts";
import { lookUp } from "./lookup.ts";
import { readModelsFile } from "./models-file.ts";
import type { Model } from "./provider.ts";
import type { ModelRegistry } from "./registry.ts";
import { type Script, scriptProblems } from "./reply.ts";
import { createScriptProvider, scriptModel } from "./script.ts";

/** The flags that choose a model. */
export interface ModelFlags {
  /** The model as `PROVIDER/ID`, or an id alone. */
  readonly model?: string;
  readonly baseUrl?: string;
  readonly api?: string;
  /** The file with the scripted model's replies. */
  readonly script?: string;
}

/** The registry, and the chosen model. */
export interface OpenedModels {
  readonly registry: ModelRegistry;
  readonly model: Model;
  /** Why there is no model, if the demo replaces it. */
  readonly missing?: HooklineError;
}

/**
 * Sets up the registry, whose `provider` sends requests, and chooses the model. Throws a `HooklineError` that says what
 * to do if no model is available. Problems in `models.json` are not thrown, but are in `registry.diagnostics`.
 */
export async function openModels(options: {
  readonly flags: ModelFlags;
  readonly env: Environment;
  /** hookline's home folder, which contains `models.json`. */
  readonly home: string;
  /** Uses a demo as the model if none is chosen and none can be used. */
  readonly orDemo?: boolean;
}): Promise<OpenedModels> {
  const { flags, env, home } = options;
  const file = await readModelsFile(join(home, "models.json"));
  if (flags.script === undefined) {
    const registry = new LentRegistry({ env, file });
    try {
      return { registry, model: chooseModel(flags, registry, env) };
    } catch (missing) {
      if (options.orDemo !== true || !HooklineError.isInstance(missing) || missing.code !== "NO_MODEL") throw missing;
      const { model, script } = demoModel(missing);
      return { registry: new LentRegistry({ env, file, script }), model, missing };
    }
  }
  const script = await readScript(flags.script);
  const name = basename(flags.script);
  const registry = new LentRegistry({ env, file, script: createScriptProvider(script, name) });
  const model = { ...scriptModel(script, name), ...named(flags.model) };
  registry.add(model);
  return { registry, model };
}

/** Returns the model that the flags choose, otherwise `models.json`, otherwise the keys in the environment. */
export function chooseModel(flags: ModelFlags, registry: ModelRegistry, env: Environment): Model {
  let model: Model;
  if (flags.baseUrl !== undefined) model = fromUrl(flags, flags.baseUrl, registry, env);
  else if (flags.api !== undefined) {
    throw wrongUse("--api", "has an effect only with --base-url", "Add --base-url URL.");
  } else model = flags.model === undefined ? firstUsable(registry) : lookUp(flags.model, registry);
  const provider = registry.composed(model.provider);
  if (provider !== undefined && !registry.hasConfiguredAuth(model)) {
    throw invalid(
      "--model",
      `names ${model.provider}/${model.id}, which cannot be asked. ${noKey(provider)}`,
      ways(registry),
    );
  }
  return model;
}

/** Returns the first model in `models.json`, otherwise the default of the first known provider with a key. */
function firstUsable(registry: ModelRegistry): Model {
  const own = registry.names.filter((name) => knownProvider(name) === undefined);
  for (const name of [...own, ...Object.keys(KNOWN).filter((one) => registry.isKeyed(one))]) {
    const models = registry.composed(name)?.models ?? [];
    const model = models.find((one) => one.id === knownProvider(name)?.model) ?? models[0];
    if (model !== undefined && registry.hasConfiguredAuth(model)) return model;
  }
  // The person may mean a provider in a broken part of the file, so the error names the file's first problem.
  const [broken] = registry.diagnostics;
  const file = broken === undefined ? "models.json adds none" : `models.json cannot be used (${broken.message})`;
  const remedy = broken === undefined ? ways(registry) : `${broken.hint} Or: ${ways(registry)}`;
  throw new HooklineError("NO_MODEL", { file, remedy });
}

/** Returns the provider and id that `--model` sets for the scripted model. */
function named(name: string | undefined): Partial<Model> {
  if (name === undefined) return {};
  const slash = name.indexOf("/");
  return slash < 1 ? { id: name } : { provider: name.slice(0, slash), id: name.slice(slash + 1) };
}

/**
 * Reads a script for the scripted model from a YAML or JSON file.
 * Throws a `HooklineError` with the file, the line and what to do: UNREADABLE, SYNTAX, BAD_ENTRY, UNKNOWN_KEY.
 */
export async function readScript(path: string): Promise<Script> {
  const source = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new HooklineError("UNREADABLE", { path, problem: messageOf(cause) }, { cause });
  });
  const value = path.endsWith(".json") ? readJson(path, source) : await readYaml(path, source);
  const [first] = scriptProblems(value);
  if (first === undefined) return value as Script;
  const line = await lineOf(source, first.path);
  const { problem, remedy } = first;
  throw new HooklineError("BAD_ENTRY", { path, line, problem, remedy }, { source: { path, line, tier: "user" } });
}

function readJson(path: string, source: string): unknown {
  const parsed = readJsonText(source);
  if ("problem" in parsed) throw syntax(path, parsed.line, parsed.problem);
  return parsed.value;
}

async function readYaml(path: string, source: string): Promise<unknown> {
  const { parse } = await import("@hookline/ground/yaml");
  try {
    return parse(source, { prettyErrors: true });
  } catch (cause) {
    const line = (cause as { linePos?: readonly [{ line: number }] }).linePos?.[0].line ?? 1;
    const [problem = ""] = messageOf(cause).split(/ at line |\n/);
    throw syntax(path, line, problem, cause);
  }
}

function syntax(path: string, line: number, problem: string, cause?: unknown): HooklineError {
  return new HooklineError("SYNTAX", { path, line, problem }, { source: { path, line, tier: "user" }, cause });
}
