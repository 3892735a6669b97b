import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseJson } from "@hookline/ground";
import { readModelsFile } from "../provider/models-file.ts";
import type { NativeProvider } from "../provider/native.ts";
import type { Model } from "../provider/provider.ts";
import { ModelRegistry } from "../provider/registry.ts";
import type { ExtensionContext, ExtensionOptions } from "../provider/request.ts";
import type { ModelChoice } from "./model-choice.ts";
import { piAgentDir } from "./pi-paths.ts";

const ABSENT: Instead = {
  "put a key into models.json or the environment": `setRuntimeApiKey removeRuntimeApiKey listCredentials login logout`,
  "ask with stream or complete": "streamDeferred fetchDeferred cancelDeferred",
  "ask getAuth": "getCompatibilityRequestConfig",
};

interface CreateOptions {
  readonly modelsPath?: string | null;
}

/** Exists only because extensions import it. Is never thrown: only pi itself offers signing in and out. */
export class CredentialSynchronizationError extends Error {
  readonly providerId: string;
  readonly operation: string;
  readonly credential: unknown;

  constructor(providerId: string, operation: string, credential: unknown, options?: ErrorOptions) {
    super(`The credential of "${providerId}" could not be kept (${operation})`, options);
    this.name = "CredentialSynchronizationError";
    this.providerId = providerId;
    this.operation = operation;
    this.credential = credential;
  }
}

/** Makes pi's class `ModelRuntime` for the models of this agent. */
export function modelRuntimes(lent: { readonly registry: ModelRegistry }) {
  /** pi's newer interface to models. Uses the agent's registry, unless it is created with another `models.json`. */
  class ModelRuntime implements ModelChoice {
    readonly registry: ModelRegistry;

    private constructor(registry: ModelRegistry) {
      this.registry = registry;
    }

    static async create({ modelsPath }: CreateOptions = {}): Promise<ModelRuntime> {
      const isOwn = typeof modelsPath === "string" && dirname(modelsPath) !== piAgentDir();
      if (!isOwn) return new ModelRuntime(lent.registry);
      return new ModelRuntime(new ModelRegistry({ env: process.env, file: await readModelsFile(modelsPath) }));
    }

    getModels(provider?: string): readonly Model[] {
      return this.registry.getAll().filter((model) => provider === undefined || model.provider === provider);
    }

    getModel(provider: string, id: string): Model | undefined {
      return this.registry.find(provider, id);
    }

    getProviders() {
      return this.registry.names.flatMap((id) => this.registry.getProvider(id) ?? []);
    }

    getProvider(id: string) {
      return this.registry.getProvider(id);
    }

    getProviderAuthStatus(id: string) {
      return this.registry.getProviderAuthStatus(id);
    }

    getRegisteredNativeProvider(id: string) {
      return this.registry.getRegisteredNativeProvider(id);
    }

    registerNativeProvider(provider: NativeProvider): void {
      this.registry.registerProvider(provider);
    }

    async getAvailable(provider?: string): Promise<readonly Model[]> {
      return this.getAvailableSnapshot().filter((model) => provider === undefined || model.provider === provider);
    }

    getAvailableSnapshot(): readonly Model[] {
      return this.registry.getAvailable();
    }

    getError(): string | undefined {
      return this.registry.getError();
    }

    hasConfiguredAuth(provider: string): boolean {
      return this.registry.isKeyed(provider);
    }

    isUsingOAuth(_provider: string): boolean {
      return false;
    }

    isUsingSubscription(_provider: string): boolean {
      return false;
    }

    /** Returns API key and headers for a model, or for a provider; undefined if there are none. */
    async getAuth(wanted: Model | string): Promise<{ readonly auth: object } | undefined> {
      if (typeof wanted === "string") return this.registry.getProviderAuth(wanted);
      return this.registry.authorise(wanted).then(
        (auth) => ({ auth }),
        () => undefined,
      );
    }

    async checkAuth(provider: string): Promise<{ readonly type: "api-key" } | undefined> {
      return this.hasConfiguredAuth(provider) ? { type: "api-key" } : undefined;
    }

    getRegisteredProviderConfig(provider: string): unknown {
      return this.registry.getRegisteredProviderConfig(provider);
    }

    getRegisteredProviderIds(): readonly string[] {
      return this.registry.getRegisteredProviderIds();
    }

    registerProvider(...given: Parameters<ModelRegistry["registerProvider"]>): void {
      this.registry.registerProvider(...given);
    }

    unregisterProvider(provider: string): void {
      this.registry.unregisterProvider(provider);
    }

    async refresh(): Promise<void> {
      await this.registry.refresh();
    }

    stream(model: Model, context: ExtensionContext, options?: ExtensionOptions) {
      return this.registry.stream(model, context, options);
    }

    streamSimple(model: Model, context: ExtensionContext, options?: ExtensionOptions) {
      return this.registry.stream(model, context, options);
    }

    complete(model: Model, context: ExtensionContext, options?: ExtensionOptions) {
      return this.registry.complete(model, context, options);
    }

    completeSimple(model: Model, context: ExtensionContext, options?: ExtensionOptions) {
      return this.registry.complete(model, context, options);
    }
  }
  defineAbsent(ModelRuntime, ABSENT);
  return { ModelRuntime };
}

/** Returns a provider's entry in pi's `auth.json`, unchanged. */
export function readStoredCredential(provider: string, path = join(piAgentDir(), "auth.json")): unknown {
  try {
    const stored: unknown = parseJson(readFileSync(path));
    return typeof stored === "object" && stored !== null && Object.hasOwn(stored, provider)
      ? (stored as Readonly<Record<string, unknown>>)[provider]
      : undefined;
  } catch {
    return undefined;
  }
}

/** Names of members that hookline lacks, separated by spaces. The key is the advice that calling one throws. */
type Instead = Readonly<Record<string, string>>;

/** Adds the members that pi's class has and hookline's lacks. Each throws an error that says what to do instead. */
function defineAbsent(
  { name: owner, prototype }: { readonly name: string; readonly prototype: object },
  table: Instead,
): void {
  for (const [instead, names] of Object.entries(table))
    for (const name of names.trim().split(/\s+/))
      Object.defineProperty(prototype, name, {
        value: (): never => {
          throw new Error(`${owner}.${name} is not available: ${instead}.`);
        },
        configurable: true,
        writable: true,
      });
}
