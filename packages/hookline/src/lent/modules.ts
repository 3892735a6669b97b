import type { GuardSession } from "@hookline/guards";
import type { ProcessTransport } from "@hookline/runtime/engine";
import type { Model } from "../provider/provider.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import type { Exports, Mentions } from "./part.ts";

/** The parts of the agent that the provided modules use. */
export interface Lent {
  readonly cwd: string;
  readonly hooklineHome: string;
  readonly processes: ProcessTransport;
  readonly registry: ModelRegistry;
  /** The place and the settings of the guards that come with hookline. */
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

/** Lends the guards that come with hookline, and nothing else. */
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
 * The packages that modules of hooks import and this agent provides, those of pi by the specifier in their newer scope;
 * `undefined` for others. A package is loaded only when it is imported, and of a large one only the parts that the
 * importing module mentions.
 */
export function lentModule(
  lent: Lent,
  specifier: string,
  mentions: Mentions = everything,
): Promise<Exports> | undefined {
  return Object.hasOwn(modules, specifier) ? modules[specifier]?.(lent, mentions) : undefined;
}
