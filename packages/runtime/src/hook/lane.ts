import type { Message } from "../catalog/message.ts";
import type { CatalogRow, Columns } from "../catalog/row.ts";
import type { Lens } from "../lens/lens.ts";
import type { Hook } from "./hook.ts";

/** What a provider lacks for one key of a chat-completions body. */
export interface BodyLack {
  /** Whether the key is sent all the same, as it is. */
  readonly sent: boolean;
  /** Why, as part of a sentence. */
  readonly because: string;
}

/**
 * What a lens may know beside the payload: the session that the event belongs to, as it is now.
 * A host gives getters; what it does not have it leaves out.
 */
export interface Scene {
  readonly sessionId: string;
  /** The file that the session is kept in; `undefined` where it is not kept. */
  readonly sessionFile?: string | undefined;
  readonly cwd: string;
  /** The model's id. */
  readonly model?: string | undefined;
  /** The thinking level: `off`, or how much the model thinks. */
  readonly thinking?: string | undefined;
  /** The conversation so far, on the current branch. */
  messages?(): readonly Message[];
  systemPrompt?(): string;
  /** The named context that is current. */
  readonly context?: string;
  /** The context's summary, todos and goals; empty text where there are none. */
  readonly summary?: string;
  readonly todos?: string;
  readonly goals?: string;
  readonly recursionDepth?: number;
  readonly verbose?: boolean;
  /**
   * What the model's provider lacks for a key of a chat-completions body; `undefined` where the key has its place.
   * `held`: the neutral request has a field for the value. A host without it sends every key.
   */
  lacks?(key: string, value: unknown, held: boolean): BodyLack | undefined;
}

/** One event of a lane's table. Several rows may share a catalog event; they fire in table order. */
export interface LaneRow extends Columns<never, unknown> {
  /** The catalog event. */
  readonly of: string;
  /** False where this moment of the host is not this event. */
  when?(payload: never, scene: Scene): boolean;
  readonly view: Lens<never, unknown, never, unknown, Scene>;
}

/** One table's place in the order. */
export interface Lane {
  readonly id: string;
  readonly rows: readonly LaneRow[];
  /** Whether events are private copies: true where handlers run in this process. */
  readonly isolate: boolean;
  /** Whether a handler that is added during a dispatch runs in the same pass. */
  readonly live: boolean;
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
  readonly stations: readonly Station[];
}
