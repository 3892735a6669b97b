import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isFields, parseJson } from "@hookline/ground";
import { piAgentDir } from "./pi-paths.ts";
import { compactionTokens, SETTING_FIELDS, type SettingField } from "./pi-settings-fields.ts";

type Scope = "global" | "project";
type Settings = Record<string, unknown>;
type SettingChange = { readonly path: string; readonly value: unknown };
type ModelName = { readonly provider: string; readonly id: string };

/** Stores settings. `write` gets the stored text and returns the new one, or undefined to change nothing. */
interface SettingsStorage {
  withLock(scope: Scope, write: (current: string | undefined) => string | undefined): void;
}

interface SettingsOptions {
  readonly projectTrusted?: boolean;
}

interface SettingsError {
  readonly scope: Scope;
  readonly path?: string;
  readonly error: Error;
}

/**
 * pi's settings as its extensions read and change them: the user's file, overridden by a trusted project's file. The
 * methods for single settings are made from {@link SETTING_FIELDS}. Hookline's own settings are in other files.
 */
export class SettingsManager {
  readonly #storage: SettingsStorage;
  readonly #paths: Readonly<Partial<Record<Scope, string>>>;
  readonly #settings: Record<Scope, Settings> = { global: {}, project: {} };
  #overrides: Settings = {};
  #isTrusted: boolean;
  #errors: SettingsError[] = [];

  private constructor(
    storage: SettingsStorage,
    options: SettingsOptions = {},
    paths: Readonly<Partial<Record<Scope, string>>> = {},
  ) {
    this.#storage = storage;
    this.#paths = paths;
    this.#isTrusted = options.projectTrusted ?? true;
    this.#read();
  }

  static create(cwd: string, agentDir = piAgentDir(), options: SettingsOptions = {}): SettingsManager {
    const paths = { global: join(agentDir, "settings.json"), project: join(cwd, ".pi/settings.json") };
    return new SettingsManager(fileStorage(paths), options, paths);
  }

  static fromStorage(storage: SettingsStorage, options: SettingsOptions = {}): SettingsManager {
    return new SettingsManager(storage, options);
  }

  static inMemory(settings: Settings = {}, options: SettingsOptions = {}): SettingsManager {
    const texts: Partial<Record<Scope, string>> = { global: JSON.stringify(settings) };
    return new SettingsManager(
      {
        withLock(scope, write) {
          const next = write(texts[scope]);
          if (next !== undefined) texts[scope] = next;
        },
      },
      options,
    );
  }

  getGlobalSettings(): Settings {
    return structuredClone(this.#settings.global);
  }

  getProjectSettings(): Settings {
    return structuredClone(this.#settings.project);
  }

  isProjectTrusted(): boolean {
    return this.#isTrusted;
  }

  setProjectTrusted(trusted: boolean): void {
    this.#isTrusted = trusted;
    this.#read();
  }

  async reload(): Promise<void> {
    this.#read();
  }

  /** Overrides values of both files in this object only. */
  applyOverrides(overrides: Settings): void {
    this.#overrides = merged(this.#overrides, overrides);
  }

  /** Does nothing: changes are written immediately. */
  async flush(): Promise<void> {}

  drainErrors(): SettingsError[] {
    return this.#errors.splice(0);
  }

  setDefaultModelAndProvider(provider: string, modelId: string): void {
    this.#change("global", { path: "defaultProvider", value: provider }, { path: "defaultModel", value: modelId });
  }

  getModelThinkingLevel(provider: string, modelId: string): unknown {
    return this.#levels()[`${provider}/${modelId}`];
  }

  setModelThinkingLevel(provider: string, modelId: string, level: string): void {
    const value = { ...this.#levels(), [`${provider}/${modelId}`]: level };
    this.#change("global", { path: "modelThinkingLevels", value });
  }

  removeModelThinkingLevel(provider: string, modelId: string): void {
    const { [`${provider}/${modelId}`]: _, ...value } = this.#levels();
    this.#change("global", { path: "modelThinkingLevels", value });
  }

  getCompactionReserveTokens(model?: ModelName): number {
    return this.#compactionTokens("reserveTokens", model);
  }

  getCompactionKeepRecentTokens(model?: ModelName): number {
    return this.#compactionTokens("keepRecentTokens", model);
  }

  getCompactionSettings(model?: ModelName): { enabled: boolean; reserveTokens: number; keepRecentTokens: number } {
    return {
      enabled: this.#value("compaction.enabled", true) as boolean,
      reserveTokens: this.getCompactionReserveTokens(model),
      keepRecentTokens: this.getCompactionKeepRecentTokens(model),
    };
  }

  getBranchSummarySettings(): object {
    return { reserveTokens: 16_384, skipPrompt: false, ...objectOf(this.#value("branchSummary")) };
  }

  getRetrySettings(): object {
    const { provider: _, ...own } = objectOf(this.#value("retry"));
    return { enabled: true, maxRetries: 3, baseDelayMs: 2000, maxAgentDelayMs: 60_000, ...own };
  }

  getProviderRetrySettings(): object {
    return { maxRetryDelayMs: 60_000, ...objectOf(this.#value("retry.provider")) };
  }

  /** Returns the person's editor: the setting, otherwise the one in the environment. */
  getExternalEditorCommand(): string {
    const own = this.#value("externalEditor");
    const { VISUAL, EDITOR } = process.env;
    return typeof own === "string" && own !== "" ? own : VISUAL || EDITOR || "nano";
  }

  getTerminalCapabilityOverrides(): object {
    const { hyperlinks, images, trueColor } = objectOf(this.#value("terminal"));
    return {
      ...(typeof hyperlinks === "boolean" && { hyperlinks }),
      ...((images === "kitty" || images === "iterm2") && { images }),
      ...(images === false && { images: null }),
      ...(typeof trueColor === "boolean" && { trueColor }),
    };
  }

  /** Returns a setting for its method `getName`: the stored value, or the default if that is absent or invalid. */
  read({ path, fallback, oneOf }: SettingField): unknown {
    const value = this.#value(path);
    const isAbsent = value === undefined || value === null || (oneOf !== undefined && !oneOf.includes(value));
    return structuredClone(isAbsent ? fallback : value);
  }

  /** Stores a setting for its methods `setName` and `setProjectName`. */
  write(scope: Scope, { path }: SettingField, value: unknown): void {
    this.#change(scope, { path, value });
  }

  #levels(): Settings {
    return objectOf(this.#value("modelThinkingLevels"));
  }

  #compactionTokens(name: string, model: ModelName | undefined): number {
    const overrides = objectOf(this.#value("compaction.modelOverrides"));
    const own = model === undefined ? {} : objectOf(overrides[`${model.provider}/${model.id}`]);
    const value = own[name] ?? this.#value(`compaction.${name}`, compactionTokens[name]);
    if (typeof value !== "number" || value < 0)
      throw new Error(`The setting "compaction.${name}" is not a number of tokens: ${JSON.stringify(value)}`);
    return value;
  }

  #value(path: string, fallback?: unknown): unknown {
    const layers = [this.#overrides, ...(this.#isTrusted ? [this.#settings.project] : []), this.#settings.global];
    for (const layer of layers) {
      const found = path.split(".").reduce<unknown>((at, key) => objectOf(at)[key], layer);
      if (found !== undefined) return found;
    }
    return fallback;
  }

  #read(): void {
    for (const scope of ["global", "project"] as const)
      this.#storage.withLock(scope, (text) => {
        this.#settings[scope] = this.#parsed(scope, text);
        return undefined;
      });
  }

  #parsed(scope: Scope, text: string | undefined): Settings {
    try {
      return text === undefined ? {} : objectOf(parseJson(text));
    } catch (thrown) {
      const path = this.#paths[scope];
      this.#errors.push({ scope, ...(path !== undefined && { path }), error: thrown as Error });
      return {};
    }
  }

  /** Changes single values. Everything else in the file is kept, including concurrent changes by others. */
  #change(scope: Scope, ...changes: readonly SettingChange[]): void {
    if (scope === "project" && !this.#isTrusted)
      throw new Error("The project is not trusted, so its settings are not changed");
    this.#storage.withLock(scope, (text) => {
      const errors = this.#errors.length;
      const settings = this.#parsed(scope, text);
      // A settings file that cannot be read is not overwritten.
      if (this.#errors.length > errors) return undefined;
      for (const { path, value } of changes) put(settings, path.split("."), value);
      this.#settings[scope] = settings;
      return `${JSON.stringify(settings, null, 2)}\n`;
    });
  }
}

for (const field of SETTING_FIELDS) {
  define(`get${field.name}`, function get(this: SettingsManager) {
    return this.read(field);
  });
  if (field.reads === "only") continue;
  define(`set${field.name}`, function set(this: SettingsManager, value: unknown) {
    this.write("global", field, value);
  });
  if (field.project === true)
    define(`setProject${field.name}`, function set(this: SettingsManager, value: unknown) {
      this.write("project", field, value);
    });
}

function define(name: string, value: (this: SettingsManager, value: unknown) => unknown): void {
  Object.defineProperty(SettingsManager.prototype, name, { value, configurable: true, writable: true });
}

function fileStorage(paths: Readonly<Record<Scope, string>>): SettingsStorage {
  return {
    withLock(scope, write) {
      const path = paths[scope];
      const next = write(textAt(path));
      if (next === undefined) return;
      mkdirSync(dirname(path), { recursive: true });
      const fresh = `${path}.${process.pid}.new`;
      writeFileSync(fresh, next);
      renameSync(fresh, path);
    },
  };
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function put(settings: Settings, [key = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length > 0) {
    const inner = { ...objectOf(settings[key]) };
    put(inner, rest, value);
    settings[key] = inner;
  } else if (value === undefined) delete settings[key];
  else settings[key] = structuredClone(value);
}

function merged(under: Settings, over: Settings): Settings {
  const both = { ...under };
  for (const [key, value] of Object.entries(over))
    both[key] = isFields(value) && isFields(both[key]) ? merged(objectOf(both[key]), value) : value;
  return both;
}

function objectOf(value: unknown): Settings {
  return isFields(value) ? value : {};
}
