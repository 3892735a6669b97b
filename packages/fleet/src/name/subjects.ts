/** Form of the names of fleets, channels, machines, workers and writers. */
export const NAME = /^[a-z0-9-]{1,40}$/;

/** How many digits of a bundle's digest subjects contain. */
const DIGEST_DIGITS = 16;

/** The workers' queue: each question goes to one of them. */
export const WORKERS = "w";

/** Replaces the event in a subject to ask a worker whether it serves a bundle. */
export const PING = "ping";

/** Returns why a name cannot be used, such as `must be 1 to 40 …`; `undefined` if it can be. */
export function nameProblem(name: string): string | undefined {
  return NAME.test(name) ? undefined : "must be 1 to 40 of the characters a-z, 0-9 and -";
}

/** Writes an event as one word of a subject: `tool.before` as `tool_before`. No event has a `_` in its name. */
export function eventWord(event: string): string {
  return event.replaceAll(".", "_");
}

/** Returns the event that `eventWord` wrote as this word. */
export function eventOf(word: string): string {
  return word.replaceAll("_", ".");
}

/** Returns the digits of a bundle's digest that subjects contain. */
export function digestWord(digest: string): string {
  return digest.slice(0, DIGEST_DIGITS);
}

/** Returns the names of one fleet's subjects, streams and buckets. `*` in place of a name means all of them. */
export function namesOf(fleet: string) {
  const problem = nameProblem(fleet);
  if (problem !== undefined) throw new Error(`"${fleet}" ${problem}`);
  const base = `hookline.${fleet}`;
  return {
    /** Subject of questions about an event, for workers with this bundle. */
    ask: (digest: string, event: string) => `${base}.ask.${digestWord(digest)}.${eventWord(event)}`,
    /** Subject of the decisions of one writer of a machine. */
    decisions: (machine: string, writer: string) => `${base}.dec.${machine}.${writer}`,
    /** Subject of the notice that a channel has something new. */
    policy: (channel: string) => `${base}.policy.${channel}`,
    /** Subject of a question to a person, and of the answer. */
    approval: (machine: string, id: string) => `${base}.approval.${machine}.${id}`,
    approved: (machine: string, id: string) => `${base}.approved.${machine}.${id}`,
    /** The prefix of a machine's inboxes. Only it may listen there, and only workers may write there. */
    inbox: (machine: string) => `${base}.inbox.${machine}`,
    /** The stream of decisions. */
    stream: `HL_${fleet}_DEC`,
    buckets: { policy: `hl_${fleet}_policy`, blobs: `hl_${fleet}_blobs`, presence: `hl_${fleet}_presence` },
  } as const;
}

/** The names of one fleet. */
export type Names = ReturnType<typeof namesOf>;
