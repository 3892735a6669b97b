import { rightsOf } from "../../packages/fleet/src/identity/roles.ts";
import { eventWord, namesOf, PING } from "../../packages/fleet/src/name/subjects.ts";
import { ROLES, type Role } from "../../packages/fleet/src/sign/creds.ts";
import type { Dice } from "../stage/dice.ts";

export const FLEET = "acme";
const names = namesOf(FLEET);
const { policy, blobs, presence } = names.buckets;
export const STREAMS = [names.stream, ...[policy, blobs, presence].map((bucket) => `KV_${bucket}`)] as const;

/** A machine that tries things. */
export interface Machine {
  readonly role: Role;
  readonly name: string;
}

/** Two machines of each role. */
export const MACHINES: readonly Machine[] = ROLES.flatMap((role) =>
  ["the", "other"].map((which) => ({ role, name: `${which}-${role}` })),
);

/** The calls of JetStream's interface, after `$JS.API.`; % is replaced by a stream. */
const CALLS = [
  "INFO",
  "STREAM.NAMES",
  "STREAM.LIST",
  ...["CREATE", "UPDATE", "DELETE", "PURGE", "INFO", "SNAPSHOT", "RESTORE", "MSG.GET", "MSG.DELETE"].map(
    (verb) => `STREAM.${verb}.%`,
  ),
  ...["CREATE", "NAMES", "LIST"].map((verb) => `CONSUMER.${verb}.%`),
  ...["CREATE", "DURABLE.CREATE", "INFO", "DELETE", "MSG.NEXT"].map((verb) => `CONSUMER.${verb}.%.c`),
  "DIRECT.GET.%",
];

/** Every pattern in the rights of every role, for each machine, and patterns that no role has. */
const PATTERNS: readonly string[] = [
  ...new Set([
    ...MACHINES.flatMap(({ role, name }) => {
      const { pub, sub } = rightsOf(role, FLEET, name);
      return [...pub, ...sub];
    }),
    ...STREAMS.flatMap((stream) => CALLS.map((call) => `$JS.API.${call.replace("%", stream)}`)),
    ...STREAMS.map((stream) => `$JS.ACK.${stream}.c.1.1.1.1.1`),
    "$SYS.REQ.ACCOUNT.PING.>",
    "$SYS.REQ.CLAIMS.UPDATE",
    "_INBOX.>",
    "hookline.>",
    "anything",
    ">",
  ]),
];

const WORDS: readonly string[] = [
  ...MACHINES.map(({ name }) => name),
  ...STREAMS,
  "0123456789abcdef",
  eventWord("tool.before"),
  PING,
  "stable",
  "w1",
  "channel",
  FLEET,
  "other",
  "dec",
  "ask",
];

/** Returns a subject without wildcards that a machine may try to write to. */
export function subjectOf(dice: Dice): string {
  const words = dice.pick(PATTERNS).split(".");
  const filled = words.flatMap((word) => {
    if (word === "*") return [dice.pick(WORDS)];
    if (word === ">") return Array.from({ length: 1 + dice.below(3) }, () => dice.pick(WORDS));
    return [word];
  });
  return changed(filled, dice).join(".");
}

/** Returns a subject, with or without wildcards, that a machine may try to listen to. */
export function listenedTo(dice: Dice): string {
  const words = dice.pick(PATTERNS.filter((one) => !one.startsWith("$JS"))).split(".");
  if (dice.chance(0.3)) return [...words.slice(0, dice.below(words.length)), ">"].join(".");
  const wide = words.map((word) => (word !== ">" && dice.chance(0.15) ? "*" : word));
  return wide.map((word) => (word === "*" && dice.chance(0.5) ? dice.pick(WORDS) : word)).join(".");
}

/** Returns a subject that a pattern matches. */
export function matchOf(pattern: string, dice: Dice): string {
  const fill = (word: string): string[] => {
    if (word === "*") return [dice.pick(WORDS)];
    return word === ">" ? Array.from({ length: 1 + dice.below(2) }, () => dice.pick(WORDS)) : [word];
  };
  return pattern.split(".").flatMap(fill).join(".");
}

function changed(words: readonly string[], dice: Dice): readonly string[] {
  if (dice.chance(0.6)) return words;
  const at = dice.below(words.length);
  const word = dice.pick(WORDS);
  return dice.pick([
    [...words, word],
    words.length === 1 ? words : words.slice(0, -1),
    words.map((one, i) => (i === at ? word : one)),
  ]);
}

/** Whether a pattern matches a subject, by NATS's rules. */
export function matches(pattern: string, subject: string): boolean {
  const [wanted, found] = [pattern.split("."), subject.split(".")];
  for (const [i, word] of wanted.entries()) {
    if (word === ">") return found.length > i;
    if (found[i] === undefined || (word !== "*" && word !== found[i])) return false;
  }
  return wanted.length === found.length;
}

type Who = (machine: Machine, words: readonly string[]) => boolean;

const is =
  (...roles: readonly Role[]): Who =>
  ({ role }) =>
    roles.includes(role);
/** Allows the roles, if the word after the rule's prefix is the machine's own name. */
const own =
  (...roles: readonly Role[]): Who =>
  ({ role, name }, [first]) =>
    roles.includes(role) && first === name;

/**
 * The subjects that the fleet's design allows each role, by their prefix. Anything not listed is forbidden to
 * everybody.
 */
type Rules = Readonly<Record<string, Who>>;

export const WRITES: Rules = {
  [`hookline.${FLEET}.dec`]: own("agent", "worker"),
  [`hookline.${FLEET}.approval`]: own("agent"),
  [`hookline.${FLEET}.approved`]: is("approver"),
  [`hookline.${FLEET}.ask`]: ({ role }, [, event]) => role === "agent" || (role === "publisher" && event === PING),
  [`hookline.${FLEET}.policy`]: is("publisher"),
  [`hookline.${FLEET}.inbox`]: is("worker"),
  [`$KV.${policy}`]: is("publisher"),
  [`$KV.${blobs}`]: is("publisher"),
  [`$KV.${presence}`]: own("agent", "worker"),
  // The messages that this call returns are checked separately (`READS`).
  "$JS.API.DIRECT.GET": is("agent", "worker", "publisher", "auditor"),
  [`$JS.API.STREAM.INFO.${names.stream}`]: is("auditor"),
};

export const HEARS: Rules = {
  [`hookline.${FLEET}.inbox`]: own(...ROLES),
  [`hookline.${FLEET}.ask`]: is("worker"),
  [`hookline.${FLEET}.policy`]: is("agent", "worker"),
  [`hookline.${FLEET}.approval`]: is("approver"),
  [`hookline.${FLEET}.approved`]: own("agent"),
};

/** Rights to read, by the subject of the stored message. */
export const READS: Rules = {
  [`hookline.${FLEET}.dec`]: (machine, words) => machine.role === "auditor" || own("agent", "worker")(machine, words),
  [`$KV.${policy}`]: is("agent", "worker", "publisher"),
  [`$KV.${blobs}`]: is("agent", "worker", "publisher"),
  [`$KV.${presence}`]: is("publisher", "auditor"),
};

/** Whether the rules allow a machine to use a subject. */
export function lets(rules: Rules, machine: Machine, subject: string): boolean {
  const found = Object.entries(rules).find(([begin]) => subject === begin || subject.startsWith(`${begin}.`));
  if (found === undefined) return false;
  const [begin, who] = found;
  return who(machine, subject.slice(begin.length + 1).split("."));
}
