import { Retries } from "@hookline/runtime/session";
import type { HostRetries } from "../host/host.ts";
import type { SessionParts } from "./session.ts";

/** How often hooks may make a host's agent continue after one prompt. Source: docs/reference/sources.md, ruling 61. */
const CAP = 8;

/** Counts how often a session's hooks have made the agent continue since the person's last prompt. */
export class SentOn implements HostRetries {
  readonly cap = CAP;
  readonly #parts: Pick<SessionParts, "scene" | "settings" | "told">;
  #retries = new Retries();
  #count = 0;
  /** Whether hooks may have made the agent continue, uncounted, before this session was opened. */
  #isLate = false;

  constructor(parts: Pick<SessionParts, "scene" | "settings" | "told">) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#retries.count;
  }

  get any(): boolean {
    return this.#count > 0;
  }

  begin(): void {
    this.#retries = new Retries();
    this.#count = 0;
  }

  /** Records that this session was opened late: hooks may have made the agent continue before, uncounted. */
  join(): void {
    this.#isLate = true;
  }

  grant(lanes: readonly string[], isContinued: boolean | undefined): ReadonlySet<string> {
    const { scene, settings, told } = this.#parts;
    if (isContinued === false) this.#isLate = false;
    if (isContinued === true && this.#isLate && this.#count === 0) {
      if (lanes.length > 0) told.push(LATE);
      return NONE;
    }
    const tell = ({ text }: { readonly text: string }): void => void told.push(text);
    const heard = this.#retries.grant({ core: { scene, settings, tell } }, lanes);
    if (heard.size === 0) return heard;
    if (this.#count >= CAP) {
      told.push(`hookline: Hooks have made the agent continue ${CAP} times after one prompt; it stops now.`);
      return NONE;
    }
    this.#count += 1;
    return heard;
  }
}

const NONE: ReadonlySet<string> = new Set();

const LATE =
  "hookline: Hooks want the agent to continue. hookline was started in the middle of this prompt and does not know how often they made it continue before, so it stops now.";
