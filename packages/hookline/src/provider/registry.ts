import { messageOf } from "@hookline/ground";
import type { Diagnostic } from "@hookline/runtime";
import type { AssistantMessage } from "@hookline/runtime/engine";
import { authorise, hasKey, headersOf, type RequestAuth } from "./auth.ts";
import { assertConfig, type Composed, composeProvider, type ProviderConfig } from "./compose.ts";
import type { Environment } from "./config-value.ts";
import { type EventStream, eventStream } from "./event-stream.ts";
import { KNOWN, knownProvider } from "./known.ts";
import { type ModelsFile, readModelsFile } from "./models-file.ts";
import { isNative, type NativeProvider, nativeAuth } from "./native.ts";
import { clientOf } from "./pi-ai.ts";
import type { Model, Provider } from "./provider.ts";
import { type ExtensionContext, type ExtensionOptions, requestOf } from "./request.ts";
import { settled } from "./settle.ts";
import { type StreamClient, streamThrough } from "./through.ts";

/** The environment, the `models.json` and the scripted model from which a registry is made. */
export interface RegistryOptions {
  readonly env: Environment;
  readonly file?: ModelsFile;
  /** The provider that answers for models whose api is `script`. */
  readonly script?: Provider;
}

/**
 * The available models, by provider. The member names are pi's, because pi's extensions call them. Reads synchronously:
 * a provider's catalogue is read when one of its models is first looked up.
 */
export class ModelRegistry {
  /** Sends a request to its model's provider. */
  readonly provider: Provider;
  readonly #env: Environment;
  #file: ModelsFile | undefined;
  readonly #registered = new Map<string, ProviderConfig | NativeProvider>();
  readonly #added = new Map<string, Model>();
  readonly #addedKeys = new Map<string, string>();
  readonly #composed = new Map<string, Composed>();

  constructor(options: RegistryOptions) {
    this.#env = options.env;
    this.#file = options.file;
    this.provider = createRoutedProvider(this, options.script);
  }

  /** The problems of `models.json` when it was last read. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#file?.diagnostics ?? [];
  }

  /** The path of `models.json`, whether or not it exists. */
  get path(): string {
    return this.#file?.path ?? "models.json";
  }

  /** Names of all providers: from `models.json`, from extensions, of added models, and those in `KNOWN`. */
  get names(): readonly string[] {
    const added = [...this.#added.values()].map(({ provider }) => provider);
    const own = [...(this.#file?.providers.keys() ?? []), ...this.#registered.keys(), ...added];
    return [...new Set([...own, ...Object.keys(KNOWN)])];
  }

  /** Returns a provider's definition, combined by `composeProvider`; `undefined` for an unknown name. */
  composed(name: string): Composed | undefined {
    const cached = this.#composed.get(name);
    if (cached !== undefined) return cached;
    const entry = this.#file?.providers.get(name);
    const registered = this.#registered.get(name);
    if (entry === undefined && registered === undefined && knownProvider(name) === undefined) return undefined;
    // A native provider may change its list of models at any time, so it is not cached.
    if (isNative(registered)) {
      const { streamSimple } = registered;
      return composeProvider(name, entry, {
        name: registered.name,
        models: registered.getModels(),
        streamSimple: streamSimple.bind(registered),
      });
    }
    const composed = composeProvider(name, entry, registered);
    this.#composed.set(name, composed);
    return composed;
  }

  /** Whether the provider has a key, or needs none at its base URL. Reads no catalogue. */
  isKeyed(name: string): boolean {
    const entry = this.#file?.providers.get(name);
    const registered = this.#registered.get(name);
    const known = knownProvider(name);
    if (isNative(registered)) return true;
    const apiKey = registered?.apiKey ?? entry?.apiKey;
    const layers = { keys: known?.keys ?? [], ...(apiKey !== undefined && { apiKey }) };
    return hasKey(layers, registered?.baseUrl ?? entry?.baseUrl ?? known?.baseUrl ?? "", this.#env);
  }

  /** Makes a model with any id for a provider in `models.json` that lists no models; undefined for other providers. */
  unlisted(provider: string, id: string): Model | undefined {
    const entry = this.#file?.providers.get(provider);
    if (entry === undefined || knownProvider(provider) !== undefined || entry.models?.length) return undefined;
    return composeProvider(provider, { ...entry, models: [{ id }] }).models[0];
  }

  /** Adds a single model, which is found before all others. `apiKey` is its provider's key as in `models.json`. */
  add(model: Model, apiKey?: string): void {
    this.#added.set(`${model.provider}/${model.id}`, model);
    if (apiKey !== undefined) this.#addedKeys.set(model.provider, apiKey);
  }

  find(provider: string, id: string): Model | undefined {
    const added = this.#added.get(`${provider}/${id}`);
    return added ?? this.composed(provider)?.models.find((model) => model.id === id);
  }

  getAll(): Model[] {
    const listed = this.names.flatMap((name) => this.composed(name)?.models ?? []);
    return [...this.#added.values(), ...listed.filter((model) => !this.#added.has(`${model.provider}/${model.id}`))];
  }

  /** Returns the models that can be used: an API key is there, or none is needed. */
  getAvailable(): Model[] {
    return this.getAll().filter((model) => this.hasConfiguredAuth(model));
  }

  hasConfiguredAuth(model: Model): boolean {
    return model.api === "script" || hasKey(this.#layers(model), model.baseUrl, this.#env);
  }

  /** Returns key and headers of a request to a model; throws if one is missing. `apiKey` overrides a configured key. */
  async authorise(model: Model, apiKey?: string): Promise<RequestAuth> {
    const layers = this.#layers(model);
    const native = this.#registered.get(model.provider);
    const own = isNative(native) ? await nativeAuth(native, this.#env) : undefined;
    const auth = await authorise(layers, model, this.#env, apiKey ?? own?.apiKey);
    return { ...auth, headers: { ...auth.headers, ...own?.headers } };
  }

  async getApiKey(model: Model): Promise<string | undefined> {
    return this.authorise(model).then(
      (auth) => auth.apiKey,
      () => undefined,
    );
  }

  async getApiKeyForProvider(provider: string): Promise<string | undefined> {
    const [model] = this.composed(provider)?.models ?? [];
    return model === undefined ? undefined : this.getApiKey(model);
  }

  async getApiKeyAndHeaders(model: Model): Promise<({ ok: true } & RequestAuth) | { ok: false; error: string }> {
    return this.authorise(model).then(
      (auth) => ({ ok: true, ...auth }),
      (thrown: unknown) => ({ ok: false, error: messageOf(thrown) }),
    );
  }

  /** Always false: there is no sign-in to subscriptions here. */
  isUsingOAuth(_model: Model): boolean {
    return false;
  }

  getProviderDisplayName(provider: string): string {
    return this.composed(provider)?.title ?? provider;
  }

  /** Returns the first problem of `models.json`, as text. */
  getError(): string | undefined {
    return this.#file?.diagnostics[0]?.message;
  }

  /** Reads `models.json` again. */
  async refresh(): Promise<void> {
    if (this.#file === undefined) return;
    this.#file = await readModelsFile(this.#file.path);
    this.#composed.clear();
  }

  /** Registers an extension's provider, by name and configuration or as one of pi's provider objects. */
  registerProvider(provider: string | NativeProvider, config?: ProviderConfig): void {
    const name = typeof provider === "string" ? provider : provider.id;
    const registered = typeof provider === "string" ? config : provider;
    if (registered === undefined) throw new Error("Provider config is required when registering by name");
    if (!isNative(registered)) {
      if (registered.streamSimple !== undefined && registered.api === undefined) {
        throw new Error(`Provider ${name}: "api" is required when registering streamSimple.`);
      }
      assertConfig(name, registered);
      composeProvider(name, this.#file?.providers.get(name), registered);
    }
    this.#registered.set(name, registered);
    this.#composed.delete(name);
  }

  /** Removes an extension's provider. If its name is also built in or in `models.json`, that provider is used again. */
  unregisterProvider(provider: string): void {
    this.#registered.delete(provider);
    this.#composed.delete(provider);
  }

  getRegisteredProviderConfig(provider: string): ProviderConfig | undefined {
    const registered = this.#registered.get(provider);
    return isNative(registered) ? undefined : registered;
  }

  /** Returns the provider object that an extension registered, if it registered one. */
  getRegisteredNativeProvider(provider: string): NativeProvider | undefined {
    const registered = this.#registered.get(provider);
    return isNative(registered) ? registered : undefined;
  }

  /** Returns a provider in pi's form; `undefined` for an unknown name. */
  getProvider(
    provider: string,
  ): { readonly id: string; readonly name: string; getModels(): readonly Model[] } | undefined {
    if (this.composed(provider) === undefined) return undefined;
    const getModels = (): readonly Model[] => this.composed(provider)?.models ?? [];
    return (
      this.getRegisteredNativeProvider(provider) ?? {
        id: provider,
        name: this.getProviderDisplayName(provider),
        getModels,
      }
    );
  }

  /** Returns the key and headers of a provider's requests; `undefined` if there are none. */
  async getProviderAuth(provider: string): Promise<{ readonly auth: RequestAuth } | undefined> {
    const [model] = this.composed(provider)?.models ?? [];
    if (model === undefined) return undefined;
    return this.authorise(model).then(
      (auth) => ({ auth }),
      () => undefined,
    );
  }

  /** Returns whether a provider has a key. The source of the key is unknown, because keys are looked up when needed. */
  getProviderAuthStatus(provider: string): { readonly configured: boolean } {
    return { configured: this.isKeyed(provider) };
  }

  getRegisteredProviderIds(): readonly string[] {
    return [...this.#registered.keys()];
  }

  /** Returns an extension's own client for a model, if there is one. */
  client(model: Model): StreamClient | undefined {
    const streamSimple = this.composed(model.provider)?.streamSimple;
    return streamSimple === undefined ? undefined : { streamSimple };
  }

  /** Makes a request for an extension; no hooks are asked about it. */
  stream(model: Model, context: ExtensionContext, options: ExtensionOptions = {}): EventStream {
    return eventStream(this.provider.stream(...requestOf(model, context, options)));
  }

  streamSimple(model: Model, context: ExtensionContext, options?: ExtensionOptions): EventStream {
    return this.stream(model, context, options);
  }

  /** Makes a request for an extension; resolves to the reply, even a failed one. */
  complete(model: Model, context: ExtensionContext, options?: ExtensionOptions): Promise<AssistantMessage> {
    return this.stream(model, context, options).result();
  }

  /** Returns the values of configured headers; `undefined` if none are configured. */
  protected async headers(
    provider: string,
    configured: Readonly<Record<string, string>>,
  ): Promise<Record<string, string> | undefined> {
    return Object.keys(configured).length === 0 ? undefined : headersOf(provider, configured, this.#env);
  }

  #layers(model: Model): Composed {
    const composed = this.composed(model.provider) ?? composeProvider(model.provider);
    const apiKey = this.#addedKeys.get(model.provider);
    return apiKey === undefined ? composed : { ...composed, apiKey };
  }
}

/**
 * The provider that the agent uses: sends each request to the provider of its model. The script answers for models with
 * the api `script`, an extension's own client for its models, and pi-ai for all others. Keys and headers are looked up
 * for each request; a key in the call is used unchanged.
 */
function createRoutedProvider(registry: ModelRegistry, script?: Provider): Provider {
  return {
    name: "hookline",
    stream(request, call) {
      const { model } = request;
      if (model.api === "script" && script !== undefined) return script.stream(request, call);
      const open = async (signal: AbortSignal) => {
        const client = registry.client(model) ?? (await clientOf(model));
        const { apiKey, headers } = await registry.authorise(model, call.apiKey);
        const authorised = { ...call, signal, ...(apiKey !== undefined && { apiKey }) };
        return streamThrough(client, { ...request, model: { ...model, headers } }, authorised);
      };
      return settled(open, model, call.signal);
    },
  };
}
