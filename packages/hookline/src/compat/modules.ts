import type { ProcessTransport } from "@hookline/runtime/internal";
import type { Model } from "../provider/provider.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import type { Exports, Mentions } from "./part.ts";
import type { SideGuards } from "./side/parts.ts";

/** What the provided modules use of the agent. */
export interface Lent {
  readonly cwd: string;
  readonly hooklineHome: string;
  readonly processes: ProcessTransport;
  readonly registry: ModelRegistry;
  /** The session's current model and thinking level; absent if there is no session. */
  current?(): { readonly model: Model; readonly thinking: string } | undefined;
  /** The session's hooks, which judge what side sessions want to run; absent if there is no session. */
  readonly guards?: SideGuards;
}

type Load = (lent: Lent, mentions: Mentions) => Promise<Exports>;

const ai: Load = async (lent, mentions) => (await import("./ai.ts")).aiExports(lent, mentions);
const wholeAi: Load = async (lent) => (await import("./ai-whole.ts")).wholeAi(lent);

const modules: Readonly<Record<string, Load>> = {
  "@earendil-works/pi-coding-agent": async (lent, mentions) =>
    (await import("./coding-agent.ts")).codingAgentExports(lent, mentions),
  "@earendil-works/pi-ai": ai,
  "@earendil-works/pi-ai/compat": ai,
  "@earendil-works/pi-ai/models": wholeAi,
  "@earendil-works/pi-ai/providers/all": () => import("@earendil-works/pi-ai/providers/all"),
  "@earendil-works/pi-agent-core": async (lent) => (await import("./agent-core.ts")).agentCore(lent),
  "@earendil-works/pi-tui": () => import("@earendil-works/pi-tui"),
  "@oh-my-pi/omptype": () => import("arktype"),
  "@oh-my-pi/omptype/zod": () => import("zod"),
};

const everything: Mentions = () => true;

/**
 * The packages of pi and oh-my-pi that foreign modules import and this agent provides, by the specifier in their newer
 * scope; `undefined` for others. A package is loaded only when it is imported, and of a large one only the parts that
 * the importing module mentions.
 */
export function lentModule(
  lent: Lent,
  specifier: string,
  mentions: Mentions = everything,
): Promise<Exports> | undefined {
  return Object.hasOwn(modules, specifier) ? modules[specifier]?.(lent, mentions) : undefined;
}
