import type { HookTexts, Tier } from "@hookline/ground";
import type { Message } from "../catalog/message.ts";
import type { Agents, CatalogRow, Columns } from "../catalog/row.ts";
import type { Lens } from "../lens/lens.ts";
import type { Hook } from "./hook.ts";

/** Describes a key of a chat-completions body that a provider does not support. */
export interface BodyLack {
  /** Whether the key is sent anyway, unchanged. */
  readonly sent: boolean;
  /** Why, as part of a sentence. */
  readonly because: string;
}

/** The names and the tier of a tool that was named by others, such as one of an MCP server. */
export interface ToolIdentity {
  /** Every name that a hook which refuses or asks may have for it, the offered one included. */
  readonly names: readonly string[];
  /** The tier of what defines it; a person's allow rule never holds for a lower one. */
  readonly tier: Tier;
}

/**
 * The state of the event's session as it is now, for lenses that need more than the payload. A host passes getters
 * and omits what it does not have.
 */
export interface Scene {
  readonly sessionId: string;
  /** The session's file; `undefined` if the session is not kept. */
  readonly sessionFile?: string | undefined;
  readonly cwd: string;
  /** The model's id. */
  readonly model?: string | undefined;
  /** The thinking level: `off`, or how much the model thinks. */
  readonly thinking?: string | undefined;
  /** The conversation so far, on the current branch; for a sub-agent's events its own. */
  messages?(): readonly Message[];
  systemPrompt?(): string;
  /**
   * For a sub-agent's events: its id, the name of its definition, and its depth; 1 is a sub-agent of the main agent.
   */
  readonly agentId?: string | undefined;
  readonly agentType?: string | undefined;
  readonly depth?: number | undefined;
  /** The file that the sub-agent's conversation is kept in. */
  readonly agentFile?: string | undefined;
  /** The named context that is current. */
  readonly context?: string;
  /** The context's summary, todos and goals; empty if there are none. */
  readonly summary?: string;
  readonly todos?: string;
  readonly goals?: string;
  readonly recursionDepth?: number;
  readonly verbose?: boolean;
  /**
   * Describes why the model's provider does not support a key of a chat-completions body; `undefined` if it does.
   * `held`: the neutral request has a field for the value. Without this function the host sends every key.
   */
  lacks?(key: string, value: unknown, held: boolean): BodyLack | undefined;
  /** Returns the identity of an offered tool that was named by others; `undefined` for every other tool. */
  tool?(name: string): ToolIdentity | undefined;
}

/** One event of a lane's table. Several rows may share a catalog event; they fire in table order. */
export interface LaneRow extends Columns<never, unknown> {
  /** The catalog event. */
  readonly of: string;
  /** Which agents' events these hooks get; by default those that the catalog's row names. */
  readonly agents?: Agents;
  /**
   * Only for guards: the lane's hooks judge the call as it came to the lane, and by their composition agree to what one
   * of them makes of it. They are asked again only if another lane changes the call. Default: asked again after any change.
   */
  readonly isolated?: true;
  /** Returns false if this moment of the host is not this event. */
  when?(payload: never, scene: Scene): boolean;
  readonly view: Lens<never, unknown, never, unknown, Scene>;
}

/** One table, with its place in the order. */
export interface Lane {
  readonly id: string;
  readonly rows: readonly LaneRow[];
  /** Whether events are private copies: true if handlers run in this process. */
  readonly isolate: boolean;
  /** Whether a handler that is added during a dispatch runs in the same pass. */
  readonly live: boolean;
  /** Default: those of the library's handlers. */
  readonly texts?: HookTexts;
}

/** The hooks of one lane for one of its rows. */
export interface Station {
  readonly lane: Lane;
  readonly row: LaneRow;
  readonly hooks: readonly Hook[];
}

/** Everything that would run for one catalog event, in order. */
export interface Plan {
  readonly row: CatalogRow;
  /** May be empty if there is a plan for hooks in shadow. */
  readonly stations: readonly Station[];
  /** Hooks that are asked about the final payload after the dispatch has ended, and whose answers do not count. */
  readonly shadow?: Plan | undefined;
}
