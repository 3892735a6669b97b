import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openUndo } from "../../src/undo/undo.ts";
import { copyOf, differences } from "./support/copy.ts";
import { Place } from "./support/session.ts";

const PROGRAM = join(import.meta.dirname, "fixtures", "killed-at.ts");
/** Every so many changes of the file system a process is killed; 1 kills at each. */
const STRIDE = Number(process.env["HOOKLINE_UNDO_STRIDE"] ?? (process.env["HOOKLINE_TESTS"] === "undo" ? 1 : 5));

let place: Place;

beforeEach(() => {
  place = new Place();
  place.run(
    "git init -q -b main; mkdir d; for i in 1 2 3; do echo $i > d/$i; done; git add .; git commit -qm one; echo edit > d/1",
  );
});

afterEach(() => place.end());

/** Runs the program that is killed at a step; returns whether it was. */
function isKilledAt(step: number, number?: number): boolean {
  const { project, home, personHome } = place;
  const options = JSON.stringify({ project, home, personHome, timeLimitMs: 600_000 });
  const args = [
    "--conditions=hookline-source",
    PROGRAM,
    `${step}`,
    options,
    ...(number === undefined ? [] : [`${number}`]),
  ];
  const { signal, status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(signal === "SIGKILL" || status === 0, `step ${step}: ${stderr}`).toBe(true);
  return signal === "SIGKILL";
}

const isFile = (path: string): boolean => !/^\.git\/objects/.test(path);

async function taken(label: string): Promise<number> {
  const made = await openUndo({ ...place, timeLimitMs: 600_000 }).checkpoint(label);
  if ("because" in made) throw new Error(made.because);
  return made.checkpoint.number;
}

async function restored(number: number): Promise<void> {
  const result = await openUndo({ ...place, timeLimitMs: 600_000 }).restore(number, { removesNew: true });
  expect(result).not.toHaveProperty("because");
}

test("a restore that is killed at any step loses neither what was there nor what was to come back", async () => {
  const old = copyOf(place.project, isFile);
  const number = await taken("old");
  place.run(
    "rm -rf d/2 d/3; echo newer > d/1; echo made > d/4; chmod 600 d/1; git checkout -q -b new; git add -A; git commit -qm two; git branch -D main",
  );
  const newer = copyOf(place.project, isFile);
  const later = await taken("newer");
  let kills = 0;
  for (let step = 1; isKilledAt(step, number); step += STRIDE) {
    kills += 1;
    await restored(later);
    expect(differences(copyOf(place.project, isFile), newer), `step ${step}, forward`).toEqual([]);
    isKilledAt(step, number);
    await restored(number);
    expect(differences(copyOf(place.project, isFile), old), `step ${step}, back`).toEqual([]);
    await restored(later);
  }
  expect(kills).toBeGreaterThan(2);
});

test("a checkpoint that is killed at any step changes nothing, and the next one is whole", async () => {
  const before = copyOf(place.project);
  let kills = 0;
  for (let step = 1; isKilledAt(step); step += STRIDE * 2) {
    kills += 1;
    expect(differences(copyOf(place.project), before), `step ${step}`).toEqual([]);
  }
  const number = await taken("after");
  place.run("rm -rf d .git");
  await restored(number);
  expect(differences(copyOf(place.project, isFile), new Map([...before].filter(([path]) => isFile(path))))).toEqual([]);
  expect(place.run("git fsck 2>&1")).not.toContain("missing");
  expect(kills).toBeGreaterThan(2);
});
