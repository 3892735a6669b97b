import { CODES } from "@hookline/ground";
import type { Scene } from "../hook/lane.ts";

/**
 * A group of lanes whose retries are counted together. Hooks in Claude's settings have Claude Code's limit; the lanes
 * of all other dialects and of the library share one (`seeds`). In a sub-agent all lanes share one. Source: decision
 * 61.
 */
type Group = "seeds" | "claude" | "sub-agent";

const OWN_GROUP: Readonly<Partial<Record<string, Group>>> = { claude: "claude" };

/** The default limit of the group `seeds`. */
const FEEDBACK_CAP = 5;

/** A run of the agent, or what a caller uses for one; retries are counted per run. */
export interface Retried {
  readonly core: {
    readonly scene: Pick<Scene, "agentId">;
    readonly settings: {
      /** The limit that a person has set for all groups. */
      readonly feedbackCap?: number | undefined;
      /** The limit of Claude Code's hooks and of sub-agents. */
      readonly claudeStopCap: number;
    };
    tell(event: { readonly type: "notice"; readonly level: "warning"; readonly text: string }): void;
  };
}

/** The retries that hooks have asked for in one prompt, by group. */
export class Retries {
  readonly #counts = new Map<Group, number>();
  readonly #told = new Set<Group>();

  /** The number of retries granted to the group `seeds`; in a sub-agent, to all lanes. */
  get count(): number {
    return this.#counts.get("seeds") ?? this.#counts.get("sub-agent") ?? 0;
  }

  /** Whether any retry was granted. */
  get any(): boolean {
    return this.#counts.size > 0;
  }

  /** Returns the lanes that want a retry and are within their limit; counts one retry for each of their groups. */
  grant(run: Retried, lanes: readonly string[]): ReadonlySet<string> {
    const groupOf = (lane: string): Group =>
      run.core.scene.agentId === undefined ? (OWN_GROUP[lane] ?? "seeds") : "sub-agent";
    const groups = new Set(lanes.map(groupOf));
    const heard = new Set([...groups].filter((group) => this.#has(run, group)));
    return new Set(lanes.filter((lane) => heard.has(groupOf(lane))));
  }

  #has({ core }: Retried, group: Group): boolean {
    const count = this.#counts.get(group) ?? 0;
    const limit = retryLimit(core.settings, group);
    if (count < limit) {
      this.#counts.set(group, count + 1);
      return true;
    }
    if (this.#told.has(group)) return false;
    this.#told.add(group);
    const text = CODES.FEEDBACK_CAP.message.replace("{count}", String(count + 1)).replace("{limit}", String(limit));
    core.tell({ type: "notice", level: "warning", text });
    return false;
  }
}

/** Returns the limit of retries for a group; a limit that the person has set applies to all groups. */
export function retryLimit({ feedbackCap, claudeStopCap }: Retried["core"]["settings"], group: Group): number {
  return feedbackCap ?? (group === "seeds" ? FEEDBACK_CAP : claudeStopCap);
}
