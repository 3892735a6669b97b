import type { Scene } from "@hookline/runtime";
import { CODES, type Content, type LaneAnswer, type UserMessage } from "@hookline/runtime/internal";
import type { LoopSettings, Run } from "./core.ts";

/**
 * Lanes whose retries are counted together. Hooks in Claude's settings have Claude Code's limit; those of the seeds'
 * dialects and of the library share one. In a sub-agent all share a separate one. Source: decision 61.
 */
type Group = "seeds" | "claude" | "sub-agent";

const OWN_GROUP: Readonly<Partial<Record<string, Group>>> = { claude: "claude" };

/** The default limit of the seeds' lanes. */
const FEEDBACK_CAP = 5;

/** What retries are counted for: a run of the agent, or what stands for one. */
export interface Retried {
  readonly core: {
    readonly scene: Pick<Scene, "agentId">;
    readonly settings: Pick<LoopSettings, "feedbackCap" | "claudeStopCap">;
    tell(event: { readonly type: "notice"; readonly level: "warning"; readonly text: string }): void;
  };
}

/** The retries that hooks have asked for in one prompt, by group. */
export class Retries {
  readonly #counts = new Map<Group, number>();
  readonly #told = new Set<Group>();

  /** How many were granted to the seeds' lanes; in a sub-agent to all lanes. */
  get count(): number {
    return this.#counts.get("seeds") ?? this.#counts.get("sub-agent") ?? 0;
  }

  /** Whether any was granted. */
  get any(): boolean {
    return this.#counts.size > 0;
  }

  /** The lanes that want another try and are still within their limit; counts one try for each of their groups. */
  grant(run: Retried, lanes: readonly string[]): ReadonlySet<string> {
    const groupOf = (lane: string): Group =>
      run.core.scene.agentId === undefined ? (OWN_GROUP[lane] ?? "seeds") : "sub-agent";
    const groups = new Set(lanes.map(groupOf));
    const heard = new Set([...groups].filter((group) => this.#has(run, group)));
    return new Set(lanes.filter((lane) => heard.has(groupOf(lane))));
  }

  #has({ core }: Retried, group: Group): boolean {
    const count = this.#counts.get(group) ?? 0;
    const limit = limitOf(core.settings, group);
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

/** A limit that the person has set applies to all groups. */
function limitOf({ feedbackCap, claudeStopCap }: Retried["core"]["settings"], group: Group): number {
  return feedbackCap ?? (group === "seeds" ? FEEDBACK_CAP : claudeStopCap);
}

/** How often the hooks of a separately counted lane may send a reply back. */
export function ownLimit(settings: LoopSettings): number {
  return limitOf(settings, "claude");
}

/**
 * Counts hooks' requests for another try, which are in a field of their answer. Returns false if all of them have
 * reached their limit: the reply then goes through, and the person is told, once a prompt.
 */
export function mayRetry(run: Run, said: readonly LaneAnswer[], field: "feedback" | "continue" = "feedback"): boolean {
  const lanes = said.flatMap(({ lane, answer }) => (answer[field] ? [lane] : []));
  return run.retries.grant(run, lanes).size > 0;
}

/** Text as a message from the person; typed text and hooks' feedback reach the model like this. */
export function userMessage(text: string, images: readonly Content[] = []): UserMessage {
  return { role: "user", content: [{ type: "text", text }, ...images], timestamp: Date.now() };
}
