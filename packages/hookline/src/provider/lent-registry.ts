import type { ProviderConfig } from "./compose.ts";
import type { NativeProvider } from "./native.ts";
import type { Model } from "./provider.ts";
import { ModelRegistry } from "./registry.ts";
import { StoredKeys } from "./stored-keys.ts";

/** Returns the key for another attempt after a request was refused; `lastChance` asks for another account's key. */
export type KeyResolver = (asked?: { readonly lastChance?: boolean }) => Promise<string | undefined>;

/**
 * The registry that extensions get, with the members of oh-my-pi's registry that pi's lacks. Models are listed in files
 * and never fetched, so no discovery is ever running.
 */
export class LentRegistry extends ModelRegistry {
  /** Looks up keys. Has the name of oh-my-pi's store of credentials, but stores nothing. */
  readonly authStorage = new StoredKeys(this);
  /** The providers that were registered for each extension. */
  readonly #sources = new Map<string, Set<string>>();
  /** Models that must not be used for now, each with the time at which they may be used again. */
  readonly #suppressed = new Map<string, number>();
  #refreshing: Promise<void> = Promise.resolve();

  /** Whether the provider has a model. */
  hasProvider(provider: string): boolean {
    return (this.composed(provider)?.models.length ?? 0) > 0;
  }

  getAvailableForProviders(providers: Iterable<string>): Model[] {
    const wanted = new Set([...providers].map((name) => name.trim().toLowerCase()));
    return this.getAvailable().filter(({ provider }) => wanted.has(provider.toLowerCase()));
  }

  /** Whether the provider has an API key or needs none. */
  hasConcreteAuth(provider: string): boolean {
    return this.hasProvider(provider) && this.isKeyed(provider);
  }

  /** Whether the provider's key is the output of a command. */
  hasCommandBackedApiKey(provider: string): boolean {
    return this.composed(provider)?.apiKey?.startsWith("!") ?? false;
  }

  getProviderBaseUrl(provider: string): string | undefined {
    const registered = this.getRegisteredProviderConfig(provider)?.baseUrl;
    return registered ?? this.composed(provider)?.models.find(({ baseUrl }) => baseUrl)?.baseUrl;
  }

  /** The configured headers for all requests to a provider; `undefined` if there are none. */
  getProviderHeaders(provider: string): Promise<Record<string, string> | undefined> {
    return this.headers(provider, { ...this.composed(provider)?.headers });
  }

  /** The configured headers for a model and its provider; `undefined` if there are none. */
  resolveModelHeaders(model: Model): Promise<Record<string, string> | undefined> {
    return this.headers(model.provider, { ...model.headers, ...this.composed(model.provider)?.headers });
  }

  /** Returns a function that looks up the key of a model or provider at each call. With `lastChance`, it finds none. */
  resolver(target: string | Pick<Model, "provider" | "id">): KeyResolver {
    return async ({ lastChance = false } = {}) => {
      if (lastChance) return undefined;
      if (typeof target === "string") return this.getApiKeyForProvider(target);
      const model = this.find(target.provider, target.id);
      return model === undefined ? this.getApiKeyForProvider(target.provider) : this.getApiKey(model);
    };
  }

  /** Registers a provider, on behalf of an extension if `sourceId` names one. */
  override registerProvider(provider: string | NativeProvider, config?: ProviderConfig, sourceId?: string): void {
    super.registerProvider(provider, config);
    if (sourceId === undefined) return;
    const names = this.#sources.get(sourceId) ?? new Set();
    this.#sources.set(sourceId, names.add(typeof provider === "string" ? provider : provider.id));
  }

  /** Removes what was registered on behalf of an extension. */
  clearSourceRegistrations(sourceId: string): void {
    for (const provider of this.#sources.get(sourceId) ?? []) this.unregisterProvider(provider);
    this.#sources.delete(sourceId);
  }

  /** Removes what was registered on behalf of extensions that are not listed. */
  syncExtensionSources(active: readonly string[]): void {
    for (const sourceId of [...this.#sources.keys()])
      if (!active.includes(sourceId)) this.clearSourceRegistrations(sourceId);
  }

  /** Records that a model (`PROVIDER/ID`) must not be used until a time. Code that chooses models may check this. */
  suppressSelector(selector: string, untilMs: number): void {
    this.#suppressed.set(selector, untilMs);
  }

  isSelectorSuppressed(selector: string): boolean {
    return (this.#suppressed.get(selector) ?? 0) > Date.now();
  }

  clearSuppressedSelector(selector: string): void {
    this.#suppressed.delete(selector);
  }

  clearSuppressedSelectors(): void {
    this.#suppressed.clear();
  }

  /** Reads all of `models.json` again, like `refresh`; a single provider cannot be read. */
  refreshProvider(_provider?: string): Promise<void> {
    return this.refresh();
  }

  refreshInBackground(): void {
    // A failure is ignored here, because `getError` reports it.
    this.#refreshing = this.refresh().catch(() => {});
  }

  awaitBackgroundRefresh(): Promise<void> {
    return this.#refreshing;
  }

  awaitInitialBackgroundRefresh(): Promise<void> {
    return this.#refreshing;
  }

  async refreshRuntimeProviders(): Promise<void> {}

  async refreshDiscoverableProviders(_providers?: Iterable<string>): Promise<void> {}

  async hydrateCredentialScopedModelCaches(): Promise<void> {}

  async reapplyModelPolicies(): Promise<void> {}

  /** Returns the same model, because nothing more is known about it. */
  async refreshSelectedModelMetadata(model: Model): Promise<Model> {
    return model;
  }

  hasLazyRuntimeMetadata(_provider: string): boolean {
    return false;
  }

  getDiscoverableProviders(): readonly string[] {
    return [];
  }

  getProviderDiscoveryState(_provider: string): undefined {
    return undefined;
  }

  isProviderDiscoveryPending(_provider: string): boolean {
    return false;
  }
}
