import { extended, projectPath, type SessionProjection, settledLater } from "./context.ts";
import type { SessionEntry } from "./entry.ts";
import type { History } from "./history.ts";

interface Kept {
  readonly history: History;
  readonly leafId: string | null;
  /** The number of entries in the history when the content was cached. A difference reveals new entries. */
  readonly size: number;
  readonly projection: SessionProjection;
}

/** Caches the projection of a session's leaf (the content of its next request), which each turn needs several times. */
export class LeafProjection {
  #kept: Kept | undefined;

  /** Returns the content of the request that would follow a leaf. Not a copy: its arrays grow with the session. */
  of(history: History, leafId: string | null): SessionProjection {
    const { size } = history;
    const kept = this.#kept;
    if (kept?.history === history && kept.leafId === leafId && kept.size === size) return kept.projection;
    const { path, settings } = history.contextPath(leafId);
    const whole = projectPath(path);
    const projection = history.complete ? whole : settledLater(whole, settings);
    this.#kept = { history, leafId, size: history.size, projection };
    return projection;
  }

  /** Extends the cached content by an entry that the history has just got; drops it if it cannot be extended. */
  grow(history: History, entry: SessionEntry): void {
    const kept = this.#kept;
    this.#kept = undefined;
    const follows = kept?.history === history && kept.leafId === entry.parentId && kept.size === history.size - 1;
    const projection = follows && history.complete ? extended(kept.projection, entry) : undefined;
    if (projection !== undefined) this.#kept = { history, leafId: entry.id, size: history.size, projection };
  }
}
