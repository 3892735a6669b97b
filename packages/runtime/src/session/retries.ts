import { CODES } from "@hookline/ground";
import type { Scene } from "../hook/lane.ts";

/**
 * A group of lanes whose hooks share one limit on how often they may make the agent continue: `claude` for the hooks in
 * Claude's settings, `seeds` for all other lanes, `sub-agent` for every lane in a sub-agent (ruling 61).
 */
type Group = "seeds" | "claude" | "sub-agent";

const OWN_GROUP: Readonly<Partial<Record<string, Group>>> = { claude: "claude" };

/** The number of times that hooks of the group `seeds` may make the agent continue, by default. */
const FEEDBACK_CAP = 5;

/** The fields of an agent's run that `Retries` uses. A retry is one time that hooks make it continue. */
export interface Retried {
  readonly core: {
    readonly scene: Pick<Scene, "agentId">;
    readonly settings: {
      /** The number of times that hooks of each group may make the agent continue, if the person has set it. */
      readonly feedbackCap?: number | undefined;
      /** The number of times that Claude Code's hooks, or hooks in a sub-agent, may make the agent continue. */
      readonly claudeStopCap: number;
    };
    tell(event: { readonly type: "notice"; readonly level: "warning"; readonly text: string }): void;
  };
}

/** Counts, by group, the times that hooks have made the agent continue after one prompt. */
export class Retries {
  readonly #counts = new Map<Group, number>();
  readonly #told = new Set<Group>();

  /**
   * The number of times that the agent continued for hooks of the group `seeds`; in a sub-agent, for hooks of any lane.
   */
  get count(): number {
    return this.#counts.get("seeds") ?? this.#counts.get("sub-agent") ?? 0;
  }

  /** Whether hooks have made the agent continue at all. */
  get any(): boolean {
    return this.#counts.size > 0;
  }

  /**
   * Returns the given lanes whose hooks may make the agent continue once more, and counts a retry for each of their
   * groups.
   */
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

/**
 * Returns how often hooks of a group may make the agent continue; a limit that the person has set applies to all
 * groups.
 */
export function retryLimit({ feedbackCap, claudeStopCap }: Retried["core"]["settings"], group: Group): number {
  return feedbackCap ?? (group === "seeds" ? FEEDBACK_CAP : claudeStopCap);
}
