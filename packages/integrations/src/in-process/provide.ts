import { messageOf } from "@hookline/ground";
import type { Surroundings } from "@hookline/runtime/dialect";

/** The exports of a module. */
export type Exports = Readonly<Record<string, unknown>>;

/** Describes the module that imports a package, so that only the exports which it needs are made. */
export interface ModuleUse {
  readonly around: Surroundings;
  /** Whether any of the module's files contains this word. If not, costly exports of that name can be left out. */
  mentions(word: string): boolean;
  /** Whether the host provides this package too. The host's exports win, so only those that it lacks are needed. */
  readonly hosted: boolean;
}

/** A package that modules import and that a dialect replaces. */
export interface ProvidedModule {
  /** The specifier under which the host is asked for the package. */
  readonly canonical: string;
  /** Returns the exports that work without a host. */
  pure(use: ModuleUse): Exports | Promise<Exports>;
}

/** A dialect's packages, by each specifier under which they can be imported. */
export type Provided = ReadonlyMap<string, ProvidedModule>;

/** Provides packages to the module loader while it loads one module. */
export interface Providing {
  provides(specifier: string): boolean;
  provide(specifier: string): Promise<Exports> | undefined;
  /** Returns the message of the first error of `provide`; `undefined` if there was none. */
  problem(): string | undefined;
}

/**
 * Provides a dialect's packages: the host's exports, and those of `pure` for names that the host lacks. The host can
 * ask which words the module contains, and leave out costly exports that are not used. For any other specifier only the
 * host is asked, once per session; one that it does not know is resolved as usual.
 */
export function createProviding(provided: Provided, around: Surroundings, mentions: Mentions): Providing {
  let problem: string | undefined;
  const asked = new Map<string, Promise<Exports> | undefined>();
  // A host's function may have only the first parameter, and then ignores `mentions`.
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

/** Returns the host's module for a specifier. The host is asked once per session. */
function lent(around: Surroundings, specifier: string): Promise<Exports> | undefined {
  const { services, shared } = around;
  if (services.modules === undefined) return undefined;
  const key = `inprocess.module:${specifier}`;
  if (!shared.has(key)) shared.set(key, services.modules(specifier));
  return shared.get(key) as Promise<Exports> | undefined;
}
