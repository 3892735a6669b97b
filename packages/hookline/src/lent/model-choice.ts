import picomatch from "picomatch";
import type { Model } from "../provider/provider.ts";
import { isThinkingLevel, levelsOf } from "../provider/thinking.ts";

/** The models that a text such as `provider/id` may name: all of them, and those that can be used now. */
export interface ModelChoice {
  getModels(): readonly Model[];
  getAvailableSnapshot(): readonly Model[];
}

interface Chosen {
  readonly model: Model | undefined;
  readonly thinkingLevel?: string;
  readonly warning: string | undefined;
  readonly error: string | undefined;
}

/**
 * Finds the model that a text names: `provider/id`, an id, or a part of one, optionally with `:` and a thinking level.
 */
export function resolveCliModel(options: {
  readonly cliProvider?: string;
  readonly cliModel?: string;
  readonly cliThinking?: string;
  readonly modelRuntime: ModelChoice;
}): Chosen {
  const { cliProvider, cliModel, cliThinking, modelRuntime } = options;
  const fail = (error: string): Chosen => ({ model: undefined, warning: undefined, error });
  if (cliModel === undefined || cliModel === "") return { model: undefined, warning: undefined, error: undefined };
  const models = modelRuntime
    .getModels()
    .filter(({ provider }) => cliProvider === undefined || provider === cliProvider);
  if (models.length === 0) return fail(`There are no models of the provider "${cliProvider ?? ""}"`);
  const whole = matching(cliModel, models);
  const { pattern, level } = split(cliModel);
  const model = whole ?? matching(pattern, models);
  if (model === undefined) return fail(`There is no model "${cliModel}"`);
  const thinkingLevel = cliThinking ?? (whole === undefined ? level : undefined);
  return { model, ...(thinkingLevel !== undefined && { thinkingLevel }), warning: undefined, error: undefined };
}

/** Finds the models that match any of the patterns. A pattern without a match becomes a warning. */
export async function resolveModelScopeWithDiagnostics(patterns: readonly string[], runtime: ModelChoice) {
  const models = runtime.getAvailableSnapshot();
  const scoped = new Map<string, { model: Model; thinkingLevel?: string }>();
  const diagnostics: object[] = [];
  for (const text of patterns) {
    const { pattern, level } = split(text);
    const matches = picomatch(pattern, { nocase: true });
    const one = matching(pattern, models);
    const found = /[*?[]/.test(pattern)
      ? models.filter(({ id, provider }) => matches(id) || matches(`${provider}/${id}`))
      : one === undefined
        ? []
        : [one];
    if (found.length === 0)
      diagnostics.push({ type: "warning", code: "no-match", message: `No model matches "${text}"`, pattern: text });
    for (const model of found) {
      const isPossible = level !== undefined && levelsOf(model).includes(level);
      scoped.set(`${model.provider}/${model.id}`, { model, ...(isPossible && { thinkingLevel: level }) });
    }
  }
  return { scopedModels: [...scoped.values()], diagnostics };
}

function split(text: string) {
  const at = text.lastIndexOf(":");
  const level = text.slice(at + 1);
  return at > 0 && isThinkingLevel(level) ? { pattern: text.slice(0, at), level } : { pattern: text, level: undefined };
}

function matching(text: string, models: readonly Model[]): Model | undefined {
  const wanted = text.toLowerCase();
  const names = ({ id, provider, name }: Model): string[] =>
    [`${provider}/${id}`, id, name].map((one) => one.toLowerCase());
  return (
    models.find((model) => names(model).includes(wanted)) ??
    models.find((model) => names(model).some((name) => name.includes(wanted)))
  );
}
