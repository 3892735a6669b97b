import { CODES, type Content, type LaneAnswer, type UserMessage } from "@hookline/runtime/internal";
import type { LoopSettings, Run } from "./core.ts";

/**
 * Lanes whose retries are counted together. Hooks of Claude's settings have the limit that they have there; those of the
 * seeds' dialects, and of the library, share one. Source: decision 61.
 */
type Group = "seeds" | "claude";

const OWN_GROUP: Readonly<Partial<Record<string, Group>>> = { claude: "claude" };

/** What holds for the seeds' lanes where the person has set nothing. */
const FEEDBACK_CAP = 5;

/** The retries that hooks have asked for in one prompt, by group. */
export class Retries {
  readonly #counts = new Map<Group, number>();
  readonly #told = new Set<Group>();

  /** How many were granted to the lanes of the seeds. */
  get ofSeeds(): number {
    return this.#counts.get("seeds") ?? 0;
  }

  /** Whether any was granted. */
  get any(): boolean {
    return this.#counts.size > 0;
  }

  /** The lanes, of those that wish for another try, that are still heard; counts one try for each of their groups. */
  grant(run: Run, lanes: readonly string[]): ReadonlySet<string> {
    const groups = new Set(lanes.map(groupOf));
    const heard = new Set([...groups].filter((group) => this.#has(run, group)));
    return new Set(lanes.filter((lane) => heard.has(groupOf(lane))));
  }

  #has({ core }: Run, group: Group): boolean {
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

function groupOf(lane: string): Group {
  return OWN_GROUP[lane] ?? "seeds";
}

/** A limit that the person has set binds all groups. */
function limitOf({ feedbackCap, claudeStopCap }: LoopSettings, group: Group): number {
  return feedbackCap ?? (group === "claude" ? claudeStopCap : FEEDBACK_CAP);
}

/** How often the hooks of a lane that is counted by itself may send a reply back. */
export function ownLimit(settings: LoopSettings): number {
  return limitOf(settings, "claude");
}

/**
 * Counts hooks' wish for another try, which is in a field of their answer. False when all who wish have reached their
 * limit: the reply then goes through, and the person is told, once a prompt.
 */
export function mayRetry(run: Run, said: readonly LaneAnswer[], field: "feedback" | "continue" = "feedback"): boolean {
  const lanes = said.flatMap(({ lane, answer }) => (answer[field] ? [lane] : []));
  return run.retries.grant(run, lanes).size > 0;
}

/** Text as a message of the person's, as typed text and hooks' feedback reach the model. */
export function userMessage(text: string, images: readonly Content[] = []): UserMessage {
  return { role: "user", content: [{ type: "text", text }, ...images], timestamp: Date.now() };
}
