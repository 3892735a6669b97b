import type { HandlerType } from "./fields.ts";
import type { Level, OwnerLevel, OwnerTier } from "./places.ts";

/** The network addresses and variables that a handler may use, from all settings combined. */
export interface HttpRules {
  /** Lists of `allowedHttpHookUrls`; a URL must fit a pattern of each. */
  readonly urls?: readonly (readonly string[])[];
  /** Lists of `httpHookAllowedEnvVars`; a variable must be in each. */
  readonly variables?: readonly (readonly string[])[];
}

/** Where a plugin's hooks find its files. */
export interface PluginPlace {
  /** `name@marketplace`. */
  readonly name: string;
  readonly root: string;
  /**
   * The folder of plugins that it belongs to, if not the person's usual one, which is another on each machine and so no
   * part of what is approved.
   */
  readonly plugins?: string;
  /** The person's choices for it, by key. */
  readonly options: Readonly<Record<string, string>>;
}

/** The skill that contains a handler. */
export interface SkillPlace {
  readonly name: string;
  readonly path: string;
  readonly folder: string;
}

/** The agent that contains a handler: it gets only events of sub-agents defined by this file. */
export interface AgentPlace {
  readonly name: string;
  readonly path: string;
}

/** The owner of the handlers of a file. */
export interface Owner {
  readonly path: string;
  readonly tier: OwnerTier;
  readonly level: OwnerLevel;
  readonly folder: string;
  readonly plugin?: PluginPlace;
  readonly skill?: SkillPlace;
  readonly agent?: AgentPlace;
}

/** One handler of one event: plain data, as the settings define it. */
export interface Definition {
  readonly event: string;
  readonly type: HandlerType;
  readonly matcher?: string;
  /** A permission rule that the call must meet. */
  readonly if?: string;
  readonly timeoutMs: number;
  readonly statusMessage?: string;
  readonly onFailure: "continue" | "block";
  /** For `command`: the text for a shell, or with `args` a program. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly shell?: "bash" | "powershell";
  /** Started and not waited for. */
  readonly isAsync?: true;
  /** As `isAsync`; exit code 2 wakes the agent. */
  readonly wakes?: { readonly message?: string; readonly summary?: string };
  /** For `http`. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly allowedEnvVars?: readonly string[];
  readonly http?: HttpRules;
  /** For `prompt` and `agent`. */
  readonly prompt?: string;
  readonly model?: string;
  /** For `prompt` on `PreToolUse`: a no refuses the call and does not end the turn. */
  readonly continueOnBlock?: true;
  /** For `mcp_tool`. */
  readonly server?: string;
  readonly tool?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly level: OwnerLevel;
  /** Variables that `env` of the settings sets. */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of the settings file, which paths of rules are taken from. */
  readonly folder: string;
  readonly plugin?: PluginPlace;
  readonly skill?: SkillPlace;
  readonly agent?: AgentPlace;
  /** Removed after its first run; only for a skill's handlers. */
  readonly isOnce?: true;
  /** Matchers of the same handler in earlier settings: what they match is run there. */
  readonly unless?: readonly (string | undefined)[];
}

/** The permission rules of one settings file. */
export interface RuleSet {
  /** The value of `permissions`. */
  readonly permissions: unknown;
  readonly level: Level;
  /** The meaning of a leading `/` in a rule's path. */
  readonly folder: string;
  readonly path: string;
}

/** Whether a candidate's definition is a handler. */
export function isDefinition(value: unknown): value is Definition {
  const { event, type } = (value ?? {}) as Partial<Definition>;
  return typeof event === "string" && typeof type === "string";
}

/** Whether a candidate's definition is a file's permission rules. */
export function isRuleSet(value: unknown): value is RuleSet {
  return typeof value === "object" && value !== null && "permissions" in value;
}
