import { setTimeout as pause } from "node:timers/promises";
import { Sitting } from "../../packages/hookline/test/support/sitting.ts";
import type { Experiment } from "../stage/experiment.ts";
import { eventsOf, hangingModule, MODULES, SMALL, USUAL } from "./modules.ts";

/** Matches events before there is a prompt; Esc ends the wait for their handlers too. */
const EARLY = /^(session_start|resources_discover)$/;
/** Matches an event after the person has left; a second Ctrl+C ends the wait for its handlers. */
const LATE = /^session_shutdown$/;

const PATIENCE_MS = 10_000;
const counter = globalThis as { hanging?: number };

/** Resolves to true when the condition holds, or to false after a timeout. */
async function until(holds: () => boolean): Promise<boolean> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    if (holds()) return true;
    await pause(20);
  }
  return false;
}

async function trial(lane: string, event: string): Promise<string | undefined | "absent"> {
  counter.hanging = 0;
  const isEarly = EARLY.test(event);
  const call = { name: "bash", arguments: { command: "echo ran" } };
  await using sitting = await Sitting.start({
    args: ["--trust-project"],
    isEarly,
    files: {
      [MODULES[lane] as string]: hangingModule(event, { times: 1 }),
      "~/.hookline/settings.json": JSON.stringify(SMALL),
    },
    replies: [{ text: "Calling.", toolCalls: [call] }, { text: "Answer one." }, { text: "Answer two.", repeat: true }],
  });
  // A spinner keeps the screen changing, so it is read without waiting for it to settle.
  const shows = (text: RegExp): boolean => text.test(sitting.terminal.text());
  const hangs = (): boolean => (counter.hanging ?? 0) > 0;
  if (!isEarly) sitting.say("Run it");
  await until(() => hangs() || shows(isEarly ? /Model: script/ : /Answer one\./));
  if (!hangs()) return "absent";
  sitting.terminal.press("escape");
  if (isEarly && !(await until(() => shows(/Model: script/)))) return "Esc does not end the wait at the start";
  await pause(50);
  sitting.say("And now?");
  return (await until(() => shows(/And now\?[\s\S]*Answer (one|two)\./)))
    ? undefined
    : "the next prompt is not answered after Esc";
}

/** R28: on a terminal, Esc ends a turn in which a handler hangs, and the next prompt is answered. */
export const sittings: Experiment = {
  id: "R28, terminal",
  async run(tally, { full }) {
    let absent = 0;
    for (const lane of Object.keys(MODULES)) {
      const events = eventsOf(lane).filter((name) => !LATE.test(name) && (full || USUAL.test(name)));
      for (const event of events) {
        const problem = await trial(lane, event);
        if (problem === "absent") absent += 1;
        else tally.trial(problem && `${lane} ${event}: ${problem}`);
      }
    }
    tally.figure(`${absent} events do not occur in such a turn`);
  },
};
