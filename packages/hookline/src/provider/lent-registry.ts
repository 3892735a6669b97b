import type { ProviderConfig } from "./compose.ts";
import type { NativeProvider } from "./native.ts";
import type { Model } from "./provider.ts";
import { ModelRegistry } from "./registry.ts";
import { StoredKeys } from "./stored-keys.ts";

/** What asks for a key again when a request was refused; `lastChance` asks for another account's. */
export type KeyResolver = (asked?: { readonly lastChance?: boolean }) => Promise<string | undefined>;

/**
 * The registry as extensions are given it: with the members that oh-my-pi's registry has besides pi's.
 * Models are listed in files here and never looked for on the network, so nothing is ever being discovered.
 */
export class LentRegistry extends ModelRegistry {
  /** The keys that requests are authorised with; nothing is stored. */
  readonly authStorage = new StoredKeys(this);
  /** Which providers were registered in the name of which extension. */
  readonly #sources = new Map<string, Set<string>>();
  /** Models that are not to be used for now, with the time at which they may be again. */
  readonly #suppressed = new Map<string, number>();
  #refreshing: Promise<void> = Promise.resolve();

  /** Whether there is a model of the provider. */
  hasProvider(provider: string): boolean {
    return (this.composed(provider)?.models.length ?? 0) > 0;
  }

  getAvailableForProviders(providers: Iterable<string>): Model[] {
    const wanted = new Set([...providers].map((name) => name.trim().toLowerCase()));
    return this.getAvailable().filter(({ provider }) => wanted.has(provider.toLowerCase()));
  }

  /** Whether there is a key for the provider, or none is needed. */
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

  /** The headers that are configured for all requests to a provider; `undefined` where there are none. */
  getProviderHeaders(provider: string): Promise<Record<string, string> | undefined> {
    return this.headers(provider, { ...this.composed(provider)?.headers });
  }

  /** The headers that are configured for a model and its provider; `undefined` where there are none. */
  resolveModelHeaders(model: Model): Promise<Record<string, string> | undefined> {
    return this.headers(model.provider, { ...model.headers, ...this.composed(model.provider)?.headers });
  }

  /** Finds the key of a model or a provider at each call; there is no other account to go to at the last chance. */
  resolver(target: string | Pick<Model, "provider" | "id">): KeyResolver {
    return async ({ lastChance = false } = {}) => {
      if (lastChance) return undefined;
      if (typeof target === "string") return this.getApiKeyForProvider(target);
      const model = this.find(target.provider, target.id);
      return model === undefined ? this.getApiKeyForProvider(target.provider) : this.getApiKey(model);
    };
  }

  /** Registers a provider, in the name of an extension where `sourceId` names one. */
  override registerProvider(provider: string | NativeProvider, config?: ProviderConfig, sourceId?: string): void {
    super.registerProvider(provider, config);
    if (sourceId === undefined) return;
    const names = this.#sources.get(sourceId) ?? new Set();
    this.#sources.set(sourceId, names.add(typeof provider === "string" ? provider : provider.id));
  }

  /** Takes back what was registered in the name of an extension. */
  clearSourceRegistrations(sourceId: string): void {
    for (const provider of this.#sources.get(sourceId) ?? []) this.unregisterProvider(provider);
    this.#sources.delete(sourceId);
  }

  /** Takes back what was registered in the names of extensions that are not listed. */
  syncExtensionSources(active: readonly string[]): void {
    for (const sourceId of [...this.#sources.keys()])
      if (!active.includes(sourceId)) this.clearSourceRegistrations(sourceId);
  }

  /** Notes that a model (`PROVIDER/ID`) is not to be used until a time; who chooses models may ask for it. */
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

  /** Reads `models.json` again, as `refresh` does; providers are not read one by one. */
  refreshProvider(_provider?: string): Promise<void> {
    return this.refresh();
  }

  refreshInBackground(): void {
    // What is wrong with the file stands in `getError`.
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

  /** The model itself: nothing more about it is to be had. */
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
