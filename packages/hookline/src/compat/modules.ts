import type { ProcessTransport } from "@hookline/runtime/internal";
import type { Model } from "../provider/provider.ts";
import type { ModelRegistry } from "../provider/registry.ts";
import type { Exports, Mentions } from "./part.ts";
import type { SideGuards } from "./side/parts.ts";

/** What the lent modules act on. */
export interface Lent {
  readonly cwd: string;
  readonly hooklineHome: string;
  readonly processes: ProcessTransport;
  readonly registry: ModelRegistry;
  /** What the session uses now; absent where there is none. */
  current?(): { readonly model: Model; readonly thinking: string } | undefined;
  /** The session's hooks, which judge what side sessions want to run; absent where there is no session. */
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
 * The packages of pi and oh-my-pi that foreign modules import and this agent has, by the specifier under their newer scope;
 * `undefined` for others. Nothing of a package is loaded before it is asked for, and of what is large only the parts
 * that the importing module mentions.
 */
export function lentModule(
  lent: Lent,
  specifier: string,
  mentions: Mentions = everything,
): Promise<Exports> | undefined {
  return Object.hasOwn(modules, specifier) ? modules[specifier]?.(lent, mentions) : undefined;
}
