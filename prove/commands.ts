import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { baseOf, type CommandReader, type CommandWord, loadReader, type ReadCommand } from "@hookline/runtime/command";
import { allows, commandPattern, holdsFor } from "../packages/integrations/src/claude/hooks/bash-rule.ts";
import { root } from "../scripts/step.ts";
import type { Claim } from "./claim.ts";
import { IS_APART, type Started, startedBy } from "./commands/bash.ts";
import { type Drawn, drawn, plain, soup, TARGETS } from "./commands/texts.ts";
import { Chance } from "./stage/chance.ts";
import { type Experiment, findingOf, type Tally } from "./stage/experiment.ts";

const TEXTS = 20_000;
const QUICK = 240;
const BATCH = 125;
const AT_ONCE = 8;
const SEED = 43;

/** Rules that allow a command without asking. A text that they allow must start nothing else, and write nothing. */
const ALLOWED = ["git ok *", "echo *", "true *", "cat *", "env *", "nohup *"].map(commandPattern);
const ALLOWED_STARTS = /^git\0ok(?:\0|$)/;

/** Returns a pattern that matches the arguments of a started program if this command may have started it. */
function patternOf([first, ...rest]: readonly CommandWord[]): RegExp {
  const program = first === undefined ? undefined : baseOf(first);
  const parts = rest.map((word) =>
    word.pieces.every((piece) => piece === undefined) ? "(?:\0[\\s\\S]*)?" : `\0${source(word)}`,
  );
  const whole = `${program === undefined ? "[\\s\\S]*" : escaped(program)}${parts.join("")}`;
  // A variable without a value produces no argument.
  return new RegExp(program === undefined ? `^(?:${whole}|${parts.join("").replace(/^\0/, "")})$` : `^${whole}$`);
}

function source({ pieces, isSplit }: CommandWord): string {
  const of = (text: string): string => (isSplit ? escaped(text).replaceAll(/\s+/g, "[\\s\0]+") : escaped(text));
  return pieces.map((piece) => (piece === undefined ? "[\\s\\S]*" : `(?:${piece.map(of).join("|")})`)).join("");
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

const isTarget = ({ words: [first] }: ReadCommand): boolean =>
  (TARGETS as readonly (string | undefined)[]).includes(first === undefined ? undefined : baseOf(first));

/** Returns how the reading of a text differs from its run by bash; `undefined` if it does not. */
export function difference(
  { text, reaches }: Drawn,
  { commands, files, isLate }: Started,
  reader: CommandReader,
): string | undefined {
  if (isLate) return undefined;
  const reading = reader.read(text);
  const started = commands.map((words) => words.join("\0"));
  const all = reading.commands.map((one) => ({ one, pattern: patternOf(one.words) }));
  const missed = started.find((line) => !all.some(({ pattern }) => pattern.test(line)));
  const shown = JSON.stringify(text);
  if (missed !== undefined) return `it ran ${JSON.stringify(missed)}, which is neither certain nor possible: ${shown}`;
  const absent = all.find(
    ({ one, pattern }) =>
      reaches !== undefined &&
      one.certainty === "certain" &&
      (reaches || !one.isConditional) &&
      isTarget(one) &&
      !started.some((line) => pattern.test(line)),
  );
  if (absent !== undefined)
    return `it did not run ${absent.one.words.map((word) => word.text).join(" ")}, which is certain: ${shown}`;
  if (!allows(ALLOWED, text, reader)) return undefined;
  const other = started.find((line) => !ALLOWED_STARTS.test(line));
  return other === undefined && files.length === 0
    ? undefined
    : `it was allowed, and ran ${JSON.stringify(other)} or wrote ${files.join(", ")}: ${shown}`;
}

const agrees: Experiment = {
  id: "a real bash",
  async run(tally, { full }) {
    const reader = await loadReader();
    const seed = Number(process.env["HOOKLINE_SEED"] ?? SEED);
    const chance = new Chance(seed);
    const all = Array.from({ length: full ? TEXTS : QUICK }, () => {
      const kind = chance.below(10);
      return kind < 7 ? drawn(chance) : kind < 8 ? soup(chance) : plain(chance);
    });
    const texts = IS_APART
      ? all
      : all.filter(({ text }) => !/\b(?:su|runuser|chroot|unshare)\b|--reset-env|\/usr\/local\/bin/.test(text));
    let ran = 0;
    let allowed = 0;
    let next = 0;
    const work = async (): Promise<void> => {
      if (next >= texts.length) return;
      const some = texts.slice(next, (next += BATCH));
      const results = await startedBy(
        some.map(({ text }) => text),
        TARGETS,
      );
      for (const [index, one] of some.entries()) {
        const started = results[index] as Started;
        if (started.commands.length > 0) ran += 1;
        if (allows(ALLOWED, one.text, reader)) allowed += 1;
        tally.trial(difference(one, started, reader));
      }
      await work();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    tally.figure(`seed ${seed}, ${ran} texts started something, ${allowed} were allowed`);
  },
};

/** The four rules whose false alarms are counted, by the tag of lines in the file that do run their command. */
const RULES: Readonly<Record<string, string>> = {
  "runs:rm": "rm *",
  "runs:git-push": "git push *",
  "runs:curl": "curl *",
  "runs:npm-publish": "npm publish *",
};
const EVERYDAY = join(root, "../shared/spec/everyday.txt");
const MOST_ALARMS = 0.02;

function alarms(reader: CommandReader, tally: Tally): void {
  const lines = readFileSync(EVERYDAY, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("# "));
  const counts = { asked: 0, refused: 0, untagged: 0 };
  for (const line of lines) {
    const [written = "", tag] = line.split(/\t(?=runs:[a-z-]+$)/);
    const text = written.startsWith("M:") ? written.slice(2).replaceAll("\\n", "\n") : written;
    const held = Object.entries(RULES).map(
      ([of, rule]) => [of, holdsFor(commandPattern(rule), text, "deny", reader)] as const,
    );
    const kinds = held.map(([, one]) => (typeof one === "object" ? one.kind : one));
    if (tag !== undefined) {
      const own = held.find(([of]) => of === tag)?.[1];
      tally.trial(own === "certain" ? undefined : `${tag} is not refused: ${line}`);
      continue;
    }
    counts.untagged += 1;
    if (kinds.includes("hidden") || kinds.includes("unknown")) counts.asked += 1;
    if (kinds.includes("hidden")) counts.refused += 1;
    tally.trial(kinds.includes("certain") || kinds.includes("possible") ? `it is refused: ${line}` : undefined);
  }
  const { asked, refused, untagged } = counts;
  tally.trial(asked / untagged > MOST_ALARMS ? `${asked} of ${untagged} lines are asked about` : undefined);
  tally.trial(
    refused / untagged > MOST_ALARMS
      ? `${refused} of ${untagged} lines are refused where nobody can be asked`
      : undefined,
  );
  tally.figure(`of ${untagged} everyday lines ${asked} are asked about, ${refused} refused where nobody can be asked`);
}

const rarelyWrong: Experiment = {
  id: "everyday commands",
  async run(tally) {
    if (!existsSync(EVERYDAY)) tally.skip("the list of everyday commands is not here");
    else alarms(await loadReader(), tally);
  },
};

export const claim: Claim = {
  name: "commands",
  says: "what is read of a shell text is what bash does with it: nothing certain stays away, nothing runs that is neither certain nor possible, and nothing is allowed that no rule names",
  run: (size) => findingOf([agrees, rarelyWrong], size),
};
