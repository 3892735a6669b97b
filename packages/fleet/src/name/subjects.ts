/** The form of a name of a fleet, channel, machine, worker or writer. */
export const NAME = /^[a-z0-9-]{1,40}$/;

/** How many digits of a bundle's digest stand in subjects. */
const DIGEST_DIGITS = 16;

/** The queue of the workers: each question goes to one of them. */
export const WORKERS = "w";

/** In the place of an event: asks a worker whether it is there. */
export const PING = "ping";

/** Why a name cannot be used, in words that follow it; `undefined` if it can be. */
export function nameProblem(name: string): string | undefined {
  return NAME.test(name) ? undefined : "is not 1 to 40 of the characters a-z, 0-9 and -";
}

/** An event as one word of a subject. No event has a `_` in its name, so the way back is clear. */
export function eventWord(event: string): string {
  return event.replaceAll(".", "_");
}

/** The event that a word of a subject means. */
export function eventOf(word: string): string {
  return word.replaceAll("_", ".");
}

/** The digits of a bundle's digest that stand in subjects. */
export function digestWord(digest: string): string {
  return digest.slice(0, DIGEST_DIGITS);
}

/** The subjects, streams and buckets of one fleet. `*` in place of a name means all of them. */
export function namesOf(fleet: string) {
  const problem = nameProblem(fleet);
  if (problem !== undefined) throw new Error(`"${fleet}" ${problem}`);
  const base = `hookline.${fleet}`;
  return {
    /** Questions about an event, to workers with this bundle. */
    ask: (digest: string, event: string) => `${base}.ask.${digestWord(digest)}.${eventWord(event)}`,
    /** Where one writer of a machine puts its decisions. */
    decisions: (machine: string, writer: string) => `${base}.dec.${machine}.${writer}`,
    /** Says that a channel has something new. */
    policy: (channel: string) => `${base}.policy.${channel}`,
    /** A question to a person, and the answer to it. */
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
