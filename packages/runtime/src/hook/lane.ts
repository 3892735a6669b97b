import type { HookTexts, Tier } from "@hookline/ground";
import type { Message } from "../catalog/message.ts";
import type { Agents, CatalogRow, Columns } from "../catalog/row.ts";
import type { Lens } from "../lens/lens.ts";
import type { Hook } from "./hook.ts";

/** Describes a key of a chat-completions body that a provider does not support. */
export interface BodyLack {
  /** Whether the host sends the key to the provider unchanged, although the provider may not support it. */
  readonly sent: boolean;
  /** The reason, as a clause for a message, such as "the reply is always read as a stream". */
  readonly because: string;
}

/** The names and the tier of a tool that hookline did not name itself, such as one of an MCP server. */
export interface ToolIdentity {
  /** Every name by which hooks that refuse or ask may match the tool, including the offered name. */
  readonly names: readonly string[];
  /** The tier of whatever defines the tool. A person's allow rule never applies to a tool of a lower tier. */
  readonly tier: Tier;
}

/**
 * The present state of the event's session, for lenses that need more than the payload. A host passes getters and omits
 * what it does not have.
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
  /** Returns the conversation so far, on the current branch; for a sub-agent's events the sub-agent's own. */
  messages?(): readonly Message[];
  systemPrompt?(): string;
  /**
   * The sub-agent's id, the name of its definition, and its depth (1 for a sub-agent of the main agent); only for a
   * sub-agent's events.
   */
  readonly agentId?: string | undefined;
  readonly agentType?: string | undefined;
  readonly depth?: number | undefined;
  /** The file that contains the sub-agent's conversation. */
  readonly agentFile?: string | undefined;
  /** The name of the current context; `context` is chibi's word for a session. */
  readonly context?: string;
  /** The current context's summary, todos and goals; empty if there are none. */
  readonly summary?: string;
  readonly todos?: string;
  readonly goals?: string;
  readonly recursionDepth?: number;
  readonly verbose?: boolean;
  /**
   * Describes why the model's provider does not support a key of a chat-completions body; `undefined` if it does.
   * `held`: a field of the request holds the value (`isHeld`). Without this function the host sends every key.
   */
  lacks?(key: string, value: unknown, held: boolean): BodyLack | undefined;
  /** Returns the names and tier of an offered tool that hookline did not name itself; otherwise `undefined`. */
  tool?(name: string): ToolIdentity | undefined;
}

/** One event of a lane's table. Several rows may share a catalog event; they fire in table order. */
export interface LaneRow extends Columns<never, unknown> {
  /** The name of the catalog event that the row belongs to. */
  readonly of: string;
  /** The agents of a session that fire the event: `all`, or only the `main` one. Default: as in the catalog's row. */
  readonly agents?: Agents;
  /**
   * Set only for guards: each hook of the lane judges the call as it came to the lane, and its judgement also holds for
   * edits by hooks of the lane. They are asked again only if another lane changes the call. Default: asked again after
   * any change.
   */
  readonly isolated?: true;
  /** Returns false if this payload is not an event of this row. */
  when?(payload: never, scene: Scene): boolean;
  readonly view: Lens<never, unknown, never, unknown, Scene>;
}

/** A dialect's table of events, with what all its hooks have in common. */
export interface Lane {
  readonly id: string;
  readonly rows: readonly LaneRow[];
  /** Whether each hook gets private copies of events: true if handlers run in this process. */
  readonly isolate: boolean;
  /** Whether a handler that is added during a dispatch runs in the same pass. */
  readonly live: boolean;
  /**
   * The fields of an answer that contain text for the model or the person, and the size limit of each text. Default:
   * `reason`, `feedback` and the other texts in hookline's own answers.
   */
  readonly texts?: HookTexts;
}

/** The hooks of one lane for one of the lane's rows. */
export interface Station {
  readonly lane: Lane;
  readonly row: LaneRow;
  readonly hooks: readonly Hook[];
}

/** Everything that would run for one catalog event, in order. */
export interface Plan {
  readonly row: CatalogRow;
  /** The stations to ask; may be empty if there is a plan for hooks in shadow. */
  readonly stations: readonly Station[];
  /** Hooks that are asked about the final payload after the dispatch has ended, and whose answers do not count. */
  readonly shadow?: Plan | undefined;
}
