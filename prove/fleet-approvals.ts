import { setTimeout as sleep } from "node:timers/promises";
import { type ApproverAnswer, writeVerdict } from "../packages/fleet/src/approval/message.ts";
import { writePresence } from "../packages/fleet/src/presence/presence.ts";
import { hasNats } from "../packages/fleet/test/support/fleet.ts";
import type { Claim } from "./claim.ts";
import {
  APPROVERS,
  FORGERIES,
  IMPOSTURES,
  Office,
  type Open,
  presence,
  type Sent,
  verdictOn,
} from "./fleet-approvals/office.ts";
import type { Dice } from "./stage/dice.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { schedules } from "./stage/schedules.ts";

const FULL = 300;
const QUICK = 30;
/** The time that a machine may take until it has received an answer, in ms. */
const PATIENCE_MS = 30_000;

/** The required state of one question. */
interface Fate {
  readonly open: Open;
  /** The number of answers that must not count. */
  wrong: number;
  isAsleep: boolean;
  /** The approvers so far, in order. */
  readonly approved: string[];
  /** The answer that decides the question, and its author; `undefined` until there is one. */
  taken: { readonly answer: ApproverAnswer["answer"]; readonly by: string } | undefined;
}

/** Counts a valid answer: one refusal decides, and so do as many approvals by different people as the root requires. */
function count({ open: { threshold }, approved }: Fate, answer: ApproverAnswer["answer"], by: string): Fate["taken"] {
  if (answer === "deny") return { answer, by };
  if (!approved.includes(by)) approved.push(by);
  return approved.length < threshold ? undefined : { answer, by: approved.join(", ") };
}

/** Sends right and wrong answers to open questions in random order; returns what was wrong with the outcome. */
async function decide(office: Office, dice: Dice, seed: number): Promise<string | undefined> {
  const fates: Fate[] = [];
  for (let n = 0; n < 2; n++)
    fates.push({
      open: await office.ask(dice, `${seed}-${n}`),
      wrong: 0,
      isAsleep: false,
      approved: [],
      taken: undefined,
    });
  const played: string[] = [];
  const right: Sent[] = [];
  try {
    for (let left = 4 + dice.below(8); left > 0; left--) {
      const at = dice.below(fates.length);
      const fate = fates[at] as Fate;
      const { asked, names } = fate.open;
      // An approver may approve again, which counts only once.
      const [first] = fate.approved;
      const isAgain = first !== undefined && dice.chance(0.4);
      const answer = isAgain ? "allow" : dice.pick(["allow", "deny"] as const);
      const good = verdictOn(asked, answer);
      if (dice.chance(0.1)) {
        // An answer that has not yet arrived would be late, too.
        if (fate.taken !== undefined) await decided(fate);
        else if (!(await until(() => fate.open.approvals() === fate.approved.length)))
          return "an approval was not heard";
        played.push(`${at} sleeps`);
        fate.open.sleep(asked.expires - Date.now() + 1000);
        fate.isAsleep = true;
      }
      const isGood = isAgain || dice.chance(0.35);
      const signer = isAgain ? first : dice.pick(APPROVERS);
      const creds = await office.fleet.creds(signer, "approver");
      const kind = dice.pick(Object.keys(FORGERIES));
      const other = verdictOn((fates[1 - at] as Fate).open.asked, "allow");
      const sent = isGood
        ? { data: writeVerdict(good, creds), token: creds.token }
        : await FORGERIES[kind]?.({ office, dice, good, other });
      if (sent === undefined) return "there is no such answer";
      played.push(`${at} gets ${isGood ? `${answer} of ${signer}` : `an answer ${kind}`}`);
      await office.send(asked, sent.data, sent.token);
      if (fate.taken === undefined) {
        if (isGood && !fate.isAsleep && names.includes(signer)) fate.taken = count(fate, answer, signer);
        else fate.wrong += 1;
      }
      if (isGood) right.push(sent);
    }
    for (const [at, fate] of fates.entries()) {
      const problem = await settled(fate);
      if (problem !== undefined)
        return `question ${at}: ${problem} (${fate.open.threshold} of ${fate.open.names.join(", ")}; ${played.join("; ")})`;
    }
    return undefined;
  } finally {
    for (const { open } of fates) await open.end();
    office.old.push(...right);
  }
}

/** Waits until a condition holds; false if that takes longer than `PATIENCE_MS`. */
async function until(isTrue: () => boolean): Promise<boolean> {
  for (const end = performance.now() + PATIENCE_MS; !isTrue(); await sleep(5))
    if (performance.now() > end) return false;
  return true;
}

/** Returns the decision on a question; nothing if that takes too long. */
function decided({ open }: Pick<Fate, "open">): ReturnType<Open["end"]> {
  return Promise.race([open.said, sleep(PATIENCE_MS, undefined, { ref: false })]);
}

async function settled({ open, wrong, taken }: Fate): Promise<string | undefined> {
  if (taken === undefined) {
    // Once the last wrong answer was reported, none of them has counted.
    if (!(await until(() => open.refusals() >= wrong)))
      return `${open.refusals()} of ${wrong} wrong answers were told of`;
    const said = await open.end();
    return said && `${said.approved ? "approved" : "denied"} by ${said.by} without an answer that counts`;
  }
  const said = await decided({ open });
  if (said === undefined) return "the right answer did not count";
  if (said.approved !== (taken.answer === "allow") || said.by !== taken.by)
    return `it was ${JSON.stringify(said)}, not ${taken.answer} by ${taken.by}`;
  return open.refusals() === wrong ? undefined : `${open.refusals()} of ${wrong} wrong answers were told of`;
}

const approvals: Experiment = {
  id: "approvals from elsewhere",
  async run(tally, { full }) {
    if (!hasNats) return tally.skip("nats-server is not installed");
    await using office = await Office.open();
    await schedules(tally, full ? FULL : QUICK, (dice, seed) => decide(office, dice, seed));
    tally.figure(`${office.old.length} right answers among the wrong ones`);
  },
};

const machines: Experiment = {
  id: "what machines tell of themselves",
  async run(tally, { full }) {
    if (!hasNats) return tally.skip("nats-server is not installed");
    await using office = await Office.open();
    const victim = await office.fleet.creds("laptop-1", "agent");
    await schedules(tally, full ? FULL : QUICK, async (dice) => {
      const said = presence(victim.machine, dice.below(1000));
      for (let left = 3 + dice.below(4); left > 0; left--) {
        const kind = dice.pick(Object.keys(IMPOSTURES));
        const isOwn = dice.chance(0.3);
        const sent = isOwn
          ? { data: writePresence(said, victim), token: victim.token }
          : await IMPOSTURES[kind]?.({ office, dice, said });
        if (sent === undefined) return "there is no such presence";
        await office.present(victim.machine, sent.data, sent.token);
        const read = await office.presenceOf(victim.machine);
        if (read === undefined) return "nothing is there";
        if (!isOwn && read.ok) return `a presence ${kind} is believed`;
        if (isOwn && !(read.ok && JSON.stringify(read.presence) === JSON.stringify(said)))
          return `its own is not believed: ${JSON.stringify(read)}`;
      }
      return undefined;
    });
  },
};

export const claim: Claim = {
  name: "fleet-approvals",
  says: "an approval from elsewhere counts once, for its call, in time and from an approver whom the root names, as many as it says; nobody speaks for another machine",
  run: (size) => findingOf([approvals, machines], size),
};
