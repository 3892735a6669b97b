import type { HandlerType } from "./fields.ts";
import type { Level, OwnerLevel, OwnerTier } from "./places.ts";

/** The URLs and header variables that http handlers may use, merged from all settings. */
export interface HttpRules {
  /** The `allowedHttpHookUrls` of the settings files. A URL must match a pattern in each list. */
  readonly urls?: readonly (readonly string[])[];
  /** The `httpHookAllowedEnvVars` of the settings files. A variable must be in each list. */
  readonly variables?: readonly (readonly string[])[];
}

/** The plugin that contains a handler. */
export interface PluginPlace {
  /** The plugin's full name, `name@marketplace`. */
  readonly name: string;
  readonly root: string;
  /**
   * The plugins folder that contains the plugin; absent for the user's default folder. Approvals cover this value, and
   * the default folder's path differs between machines.
   */
  readonly plugins?: string;
  /** The user's values for the plugin's options, by key. */
  readonly options: Readonly<Record<string, string>>;
}

/** The skill that contains a handler. */
export interface SkillPlace {
  readonly name: string;
  readonly path: string;
  readonly folder: string;
}

/** The agent whose file contains a handler. The handler gets only events of sub-agents that this file defines. */
export interface AgentPlace {
  readonly name: string;
  readonly path: string;
}

/** The file that contains handlers, and the user, project, plugin, skill or agent that it belongs to. */
export interface Owner {
  readonly path: string;
  readonly tier: OwnerTier;
  readonly level: OwnerLevel;
  readonly folder: string;
  readonly plugin?: PluginPlace;
  readonly skill?: SkillPlace;
  readonly agent?: AgentPlace;
}

/** One handler of one event, as plain data from the settings. */
export interface Definition {
  readonly event: string;
  readonly type: HandlerType;
  readonly matcher?: string;
  /** A permission rule that a call must match for the handler to run. */
  readonly if?: string;
  readonly timeoutMs: number;
  readonly statusMessage?: string;
  readonly onFailure: "continue" | "block";
  /** For `command`: a shell command, or the program to start if there are `args`. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly shell?: "bash" | "powershell";
  /** The handler runs in the background; nothing waits for it. */
  readonly isAsync?: true;
  /** The handler runs in the background, and exit code 2 wakes the agent. */
  readonly wakes?: { readonly message?: string; readonly summary?: string };
  /** For `http`: the URL to which the event is posted. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly allowedEnvVars?: readonly string[];
  readonly http?: HttpRules;
  /** For `prompt` and `agent`: the template of the prompt. */
  readonly prompt?: string;
  readonly model?: string;
  /** For `prompt` on `PreToolUse`: a refusal refuses only the call and does not end the turn. */
  readonly continueOnBlock?: true;
  /** For `mcp_tool`: the name of the MCP server. */
  readonly server?: string;
  readonly tool?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly level: OwnerLevel;
  /** The environment variables that the settings define in `env`. */
  readonly env?: Readonly<Record<string, string>>;
  /** The settings file's folder; a leading `/` in a rule's path means this folder. */
  readonly folder: string;
  readonly plugin?: PluginPlace;
  readonly skill?: SkillPlace;
  readonly agent?: AgentPlace;
  /** The handler is removed after its first run; only for a skill's handlers. */
  readonly isOnce?: true;
  /**
   * Matchers of the same handler in earlier settings files. An event that matches one of them is left to that handler.
   */
  readonly unless?: readonly (string | undefined)[];
}

/** The permission rules of one settings file. */
export interface RuleSet {
  /** The value of the settings file's key `permissions`. */
  readonly permissions: unknown;
  readonly level: Level;
  /** The folder that a leading `/` in a rule's path means. */
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
