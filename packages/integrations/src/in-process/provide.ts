import { messageOf } from "@hookline/ground";
import type { Surroundings } from "@hookline/runtime/dialect";

/** The exports of a module. */
export type Exports = Readonly<Record<string, unknown>>;

/** The load that a provided module is made for. */
export interface ModuleUse {
  readonly around: Surroundings;
  /** Whether any file of the loading module contains this word; costly exports are omitted otherwise. */
  mentions(word: string): boolean;
  /** Whether the host provides this package, so that only missing names are needed. */
  readonly hosted: boolean;
}

/** One package that foreign modules import and a dialect replaces. */
export interface ProvidedModule {
  /** The specifier that the host is asked for. */
  readonly canonical: string;
  /** Exports that need no host. */
  pure(use: ModuleUse): Exports | Promise<Exports>;
}

/** A dialect's packages, by every specifier that names them. */
export type Provided = ReadonlyMap<string, ProvidedModule>;

/** The two questions of a module transport, answered for one load. */
export interface Providing {
  provides(specifier: string): boolean;
  provide(specifier: string): Promise<Exports> | undefined;
  /** Why a provided module was not available, if that was the problem. */
  problem(): string | undefined;
}

/**
 * Provides a dialect's packages: the host's exports, and the pure exports for names that it does not have. The host can
 * ask which words the module contains, so that it can omit costly exports that are not used. Other specifiers come only
 * from the host, asked once per session; unknown ones are resolved as usual.
 */
export function createProviding(provided: Provided, around: Surroundings, mentions: Mentions): Providing {
  let problem: string | undefined;
  const asked = new Map<string, Promise<Exports> | undefined>();
  // A host that cares for no words has one parameter less.
  const ask: HostModules = around.services.modules?.bind(around.services) ?? (() => undefined);
  const host = (name: string): Promise<Exports> | undefined => {
    if (!asked.has(name)) asked.set(name, ask(name, mentions));
    return asked.get(name);
  };
  return {
    provides: (specifier) => provided.has(specifier) || lent(around, specifier) !== undefined,
    provide(specifier) {
      const own = provided.get(specifier);
      if (own === undefined) return lent(around, specifier);
      return combined(own, specifier, { around, mentions, host }).catch((thrown: unknown) => {
        problem ??= messageOf(thrown);
        throw thrown;
      });
    },
    problem: () => problem,
  };
}

type Mentions = ModuleUse["mentions"];
type HostModules = (specifier: string, mentions: Mentions) => Promise<Exports> | undefined;

interface Combining {
  readonly around: Surroundings;
  readonly mentions: Mentions;
  host(name: string): Promise<Exports> | undefined;
}

async function combined(
  own: ProvidedModule,
  specifier: string,
  { around, mentions, host }: Combining,
): Promise<Exports> {
  const lent = await (host(own.canonical) ?? host(specifier));
  const lacking = (word: string): boolean => lent?.[word] === undefined && mentions(word);
  return { ...(await own.pure({ around, mentions: lacking, hosted: lent !== undefined })), ...lent };
}

/** The host's module for a specifier; asked once per session. */
function lent(around: Surroundings, specifier: string): Promise<Exports> | undefined {
  const { services, shared } = around;
  if (services.modules === undefined) return undefined;
  const key = `inprocess.module:${specifier}`;
  if (!shared.has(key)) shared.set(key, services.modules(specifier));
  return shared.get(key) as Promise<Exports> | undefined;
}
