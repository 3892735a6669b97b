import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../packages/ground/src/error/error.ts";
import { describeDamage } from "../packages/hookline/src/session/damage.ts";
import { loadHead, loadSession } from "../packages/hookline/src/session/load.ts";
import type { Claim } from "./claim.ts";
import { chance } from "./sessions/chance.ts";
import { mutate } from "./sessions/mutate.ts";
import { sampleSession, wholeLines } from "./sessions/sample.ts";
import { type Experiment, findingOf, type Tally } from "./stage/experiment.ts";
import { folder } from "./stage/ground.ts";

/** Damage costs only the lines that it hits; it is counted, and reading changes nothing on disk. */
const damageIsLocal: Experiment = {
  id: "R47",
  async run(tally, { full }) {
    using top = folder();
    const dice = chance();
    const bytes = sampleSession(top.path);
    const whole = new Set(wholeLines(bytes.toString("utf8")));
    const path = join(top.path, "damaged.jsonl");
    let hurt = 0;
    for (let round = 0; round < (full ? 5000 : 600); round++) {
      const mutated = mutate(bytes, dice);
      writeFileSync(path, mutated.bytes);
      // Small files are read completely; the other way is for large ones.
      const problem = damaged(path, mutated.bytes, whole, round % 2 === 0 ? undefined : 1);
      if (problem !== "none") hurt += 1;
      tally.trial(
        problem === undefined || problem === "none"
          ? undefined
          : `${mutated.ways.join("+")} (seed ${dice.seed}, round ${round}): ${problem}`,
      );
    }
    unhurt(tally, bytes, path, whole);
    tally.figure(`${hurt} files with lost lines, seed ${dice.seed}`);
  },
};

/** An undamaged file shows no damage. */
function unhurt(tally: Tally, bytes: Buffer, path: string, whole: ReadonlySet<string>): void {
  writeFileSync(path, bytes);
  for (const tailFirst of [undefined, 1]) {
    const problem = damaged(path, bytes, whole, tailFirst);
    tally.trial(problem === "none" ? undefined : `an undamaged file: ${problem ?? "is said to be damaged"}`);
  }
}

/** What is wrong with how a damaged file was read; `none` if the damage had no effect. */
function damaged(path: string, bytes: Buffer, whole: ReadonlySet<string>, tailFirst: number | undefined) {
  const lines = bytes.toString("utf8").split("\n").map(bare);
  const kept = lines.filter((line) => whole.has(line));
  const others = lines.filter((line) => line !== "" && !whole.has(line));
  try {
    const loaded = loadSession(path, tailFirst);
    if (!readFileSync(path).equals(bytes)) return "the reading has changed the file";
    if (loaded.state !== "session")
      return kept.length > 1 ? `${kept.length} whole lines, and it is ${loaded.state}` : undefined;
    const head = loaded.unread === undefined ? undefined : loadHead(loaded.unread);
    const read = new Set(
      [...(head?.entries ?? []), ...loaded.entries, loaded.header].map((entry) => JSON.stringify(entry)),
    );
    // A flipped bit in the header may turn the version into an older one, which is then migrated line by line.
    const migrated = "migrated" in loaded;
    const lost = migrated ? [] : kept.filter((line) => !read.has(line) && !line.startsWith('{"type":"session",'));
    if (lost.length > 0) return `${lost.length} whole lines were not read`;
    const { damage } = loaded;
    const counted = damage.badLines + (head?.badLines ?? 0) + (damage.torn ? 1 : 0) + (damage.headerMissing ? 1 : 0);
    const bad = others.filter((line) => wholeLines(line).length === 0);
    if (bad.length > 0 && counted === 0) return `${bad.length} bad lines, and no damage is told`;
    if (counted > 0 && describeDamage(path, damage) === undefined && head === undefined)
      return "damage that is not described";
    return others.length > 0 || kept.length < whole.size ? undefined : "none";
  } catch (thrown) {
    return `it broke off: ${messageOf(thrown)}`;
  }
}

/** A line without the characters that do it no harm. */
function bare(line: string): string {
  return line.replace(/^[\uFEFF\0]+/, "").replace(/[\0\r]+$/, "");
}

export const claim: Claim = {
  name: "damaged",
  says: "damage to a session file costs only the lines that it hits, is reported, and stays on disk unchanged",
  run: (size) => findingOf([damageIsLocal], size),
};
