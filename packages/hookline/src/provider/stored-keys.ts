import type { KeyResolver } from "./lent-registry.ts";

/** The members of the registry with which keys are looked up. */
export interface Keyed {
  readonly names: readonly string[];
  isKeyed(provider: string): boolean;
  hasProvider(provider: string): boolean;
  getApiKeyForProvider(provider: string): Promise<string | undefined>;
  resolver(provider: string): KeyResolver;
  refresh(): Promise<void>;
}

/**
 * oh-my-pi's store of credentials, without storing: keys come from `models.json` and the environment. There is no
 * sign-in either, so methods for storing and signing in throw an error that says where to put a key.
 */
export class StoredKeys {
  readonly #keyed: Keyed;

  constructor(keyed: Keyed) {
    this.#keyed = keyed;
  }

  getApiKey(provider: string): Promise<string | undefined> {
    return this.#keyed.getApiKeyForProvider(provider);
  }

  peekApiKey(provider: string): Promise<string | undefined> {
    return this.#keyed.getApiKeyForProvider(provider);
  }

  resolver(provider: string): KeyResolver {
    return this.#keyed.resolver(provider);
  }

  hasAuth(provider: string): boolean {
    return this.#keyed.hasProvider(provider) && this.#keyed.isKeyed(provider);
  }

  hasConcreteAuth(provider: string): boolean {
    return this.hasAuth(provider);
  }

  hasResolvableAuth(provider: string): boolean {
    return this.hasAuth(provider);
  }

  /** Whether a credential is stored; always false. */
  has(_provider: string): boolean {
    return false;
  }

  hasOAuth(_provider: string): boolean {
    return false;
  }

  get(_provider: string): undefined {
    return undefined;
  }

  getAll(): Readonly<Record<string, never>> {
    return {};
  }

  list(): readonly string[] {
    return [];
  }

  listStoredCredentials(): readonly never[] {
    return [];
  }

  getOAuthCredential(_provider: string): undefined {
    return undefined;
  }

  async getOAuthAccess(_provider: string): Promise<undefined> {
    return undefined;
  }

  listOAuthAccounts(_provider: string): readonly never[] {
    return [];
  }

  getOAuthAccountIdentity(_provider: string): undefined {
    return undefined;
  }

  describeCredentialSource(_provider: string): undefined {
    return undefined;
  }

  /** Whether there is another account to switch to; always false. */
  async rotateSessionCredential(_provider: string): Promise<boolean> {
    return false;
  }

  reload(): Promise<void> {
    return this.#keyed.refresh();
  }

  set(provider: string): Promise<never> {
    return refuse("set", provider);
  }

  remove(provider: string): Promise<never> {
    return refuse("remove", provider);
  }

  login(provider: string): Promise<never> {
    return refuse("login", provider);
  }

  logout(provider: string): Promise<never> {
    return refuse("logout", provider);
  }

  setRuntimeApiKey(provider: string): never {
    throw refusal("setRuntimeApiKey", provider);
  }
}

async function refuse(member: string, provider: string): Promise<never> {
  throw refusal(member, provider);
}

function refusal(member: string, provider: string): Error {
  const instead = `give the provider "${provider}" an "apiKey" in models.json, or register it with one (pi.registerProvider)`;
  return new Error(`authStorage.${member} is not available: hookline stores no credentials. Instead, ${instead}.`);
}
