import type { GuardSession } from "@hookline/guards";
import type { ProcessTransport } from "@hookline/runtime/engine";
import type { Model } from "../provider/provider.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import type { Exports, Mentions } from "./part.ts";

/** Connects the packages that hookline lends to hooks, such as `pi-ai`, to the running agent. */
export interface Lent {
  readonly cwd: string;
  readonly hooklineHome: string;
  readonly processes: ProcessTransport;
  readonly registry: ModelRegistry;
  /** The folder and the settings of the guards that come with hookline. */
  readonly guards?: GuardSession;
  /** The session's current model and thinking level; absent if there is no session. */
  current?(): { readonly model: Model; readonly thinking: string } | undefined;
}

type Load = (lent: Lent, mentions: Mentions) => Promise<Exports>;

const ai: Load = async (lent, mentions) => (await import("./ai.ts")).aiExports(lent, mentions);
const wholeAi: Load = async (lent) => (await import("./ai-whole.ts")).wholeAi(lent);

const GUARDS = "@hookline/guards";

async function boundGuards(session: GuardSession): Promise<Exports> {
  const { guardsIn } = await import("@hookline/guards/parts");
  return guardsIn(session);
}

/** Makes the loader that provides only the package with hookline's own guards. */
export function guardsFor(session: GuardSession): (specifier: string) => Promise<Exports> | undefined {
  return (specifier) => (specifier === GUARDS ? boundGuards(session) : undefined);
}

const modules: Readonly<Record<string, Load>> = {
  "@earendil-works/pi-coding-agent": async (lent, mentions) =>
    (await import("./coding-agent.ts")).codingAgentExports(lent, mentions),
  "@earendil-works/pi-ai": ai,
  "@earendil-works/pi-ai/compat": ai,
  "@earendil-works/pi-ai/models": wholeAi,
  "@earendil-works/pi-ai/providers/all": () => import("@earendil-works/pi-ai/providers/all"),
  "@earendil-works/pi-agent-core": async (lent) => (await import("./agent-core.ts")).agentCore(lent),
  "@earendil-works/pi-tui": () => import("@earendil-works/pi-tui"),
  [GUARDS]: (lent) => boundGuards(lent.guards ?? lent),
  "@oh-my-pi/omptype": () => import("arktype"),
  "@oh-my-pi/omptype/zod": () => import("zod"),
};

const everything: Mentions = () => true;

/**
 * Returns the exports of a package that this agent provides to modules of hooks; undefined for any other package.
 * Packages of pi must be given with the newer scope, `@earendil-works`. A package is loaded when it is imported. Of a
 * large one, only the parts that the importing module mentions are loaded.
 */
export function lentModule(
  lent: Lent,
  specifier: string,
  mentions: Mentions = everything,
): Promise<Exports> | undefined {
  return Object.hasOwn(modules, specifier) ? modules[specifier]?.(lent, mentions) : undefined;
}
