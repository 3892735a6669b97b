import { randomInt } from "node:crypto";
import { beginPause, clockOf, endPause, pauseRefusal } from "@hookline/bridge";
import { EXIT, type Io, plain, wrongUse } from "@hookline/ground/system";
import { HOSTS } from "@hookline/integrations/hosts";
import { whyNotTyped } from "../../consent/at-terminal.ts";
import type { Arguments } from "../../start/args.ts";
import { atOf } from "./wanted.ts";

const MOST_MINUTES = 60;

/** `hookline bridge pause MINUTES`: other agents act without the guards of the person and of projects. */
export async function pauseGuards({ words }: Arguments, io: Io): Promise<number> {
  const minutes = minutesOf(words[0]);
  const { hooklineHome } = atOf(io);
  const refuse = (why: string): number => {
    io.err(`${plain(why)}\n`);
    return EXIT.failed;
  };
  const hosts = await Promise.all(Object.values(HOSTS).map((load) => load()));
  const agents = hosts.flatMap(({ label, process }) => (process === undefined ? [] : [{ label, ...process }]));
  const why = await whyNotTyped({ hooklineHome, agents });
  if (why !== undefined) return refuse(`Only a person pauses guards, in a terminal of their own: ${why}.`);
  const refusal = pauseRefusal(hooklineHome);
  if (refusal !== undefined) return refuse(refusal);
  io.out(
    `For ${minutes} ${minutes === 1 ? "minute" : "minutes"}, other agents will act without your guards and those of projects. What an administrator or a fleet requires stays, and so does the protection of hookline's own files.\n`,
  );
  // The random number is shown on the terminal, so a program that starts this command cannot answer for the person.
  const code = String(randomInt(1000, 10_000));
  if ((await io.ask?.(`Type ${code} to pause them: `))?.trim() !== code) return refuse("Guards are not paused.");
  const until = beginPause(hooklineHome, minutes, `process ${process.ppid}`);
  io.out(`Guards are paused until ${clockOf(until)}. \`hookline bridge resume\` ends that.\n`);
  return EXIT.fine;
}

/** `hookline bridge resume`: ends a pause of the guards early. Anybody may run it, even an agent. */
export async function resumeGuards(_: Arguments, io: Io): Promise<number> {
  const has = endPause(atOf(io).hooklineHome);
  io.out(has ? "Guards are asked again.\n" : "Guards are not paused.\n");
  return EXIT.fine;
}

function minutesOf(text: string | undefined): number {
  const minutes = /^\d{1,2}$/.test(text ?? "") ? Number(text) : 0;
  if (minutes >= 1 && minutes <= MOST_MINUTES) return minutes;
  throw wrongUse(
    "MINUTES",
    text === undefined ? "is missing" : `is not a whole number from 1 to ${MOST_MINUTES}: ${text}`,
    `Give a number from 1 to ${MOST_MINUTES}; \`hookline bridge resume\` ends a pause.`,
  );
}
