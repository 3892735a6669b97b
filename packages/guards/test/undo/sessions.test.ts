import { afterAll, expect, test } from "vitest";
import { openUndo } from "../../src/undo/undo.ts";
import { type Copy, copyOf, differences } from "./support/copy.ts";
import { Draw, endTemplates, fillRepository, Place, step } from "./support/session.ts";

const SESSIONS = Number(
  process.env["HOOKLINE_UNDO_SESSIONS"] ?? (process.env["HOOKLINE_TESTS"] === "undo" ? 1_000 : 20),
);
const FIRST = Number(process.env["HOOKLINE_UNDO_SEED"] ?? 1);
const STEPS = 8;

/**
 * Whether undo restores a path. It does not restore packages, which are installed again, or the way git stores its
 * objects.
 */
const isKept = (path: string): boolean => !/^node_modules(?:\/|$)|^\.git\/objects(?:\/|$)/.test(path);

afterAll(endTemplates);

test(`${SESSIONS} random sessions are undone to a random step bit for bit`, {
  timeout: 600_000 + SESSIONS * 10_000,
}, async () => {
  for (let seed = FIRST; seed < FIRST + SESSIONS; seed += 1) {
    const place = new Place();
    const draw = new Draw(seed);
    fillRepository(place, draw);
    const undo = openUndo({ ...place, timeLimitMs: 60_000 });
    const back = draw.below(STEPS);
    const commands: string[] = [];
    let number = 0;
    let copy: Copy = new Map();
    let objects = "";
    for (let at = 0; at < STEPS; at += 1) {
      const made = await undo.checkpoint(`step ${at}`);
      if ("because" in made) throw new Error(`seed ${seed}: ${made.because}`);
      if (at === back) {
        number = made.checkpoint.number;
        copy = copyOf(place.project, isKept);
        objects = reachable(place);
      }
      commands.push(step(place, draw));
    }
    const restored = await undo.restore(number, { removesNew: true });
    const story = `seed ${seed}, to ${back}: ${commands.join("; ")}`;
    expect(restored, story).not.toHaveProperty("because");
    expect(differences(copyOf(place.project, isKept), copy), story).toEqual([]);
    expect(reachable(place), story).toBe(objects);
    place.end();
  }
});

/** All objects that refs, reflogs and the index name, or git's complaint about one that is missing. */
function reachable(place: Place): string {
  return place.run(
    "git rev-list --objects --all --reflog --indexed-objects 2>&1 | sort | sha1sum; git stash list; git fsck --full 2>&1 | grep missing",
  );
}
