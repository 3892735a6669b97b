import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSettings } from "../../src/settings.ts";
import { type Made, openUndo, type Refusal, type UndoOptions } from "../../src/undo/undo.ts";
import { copyOf, differences } from "./support/copy.ts";
import { Place } from "./support/session.ts";

const FILES = 60;

let place: Place;

beforeEach(() => {
  place = new Place();
});

afterEach(() => place.end());

const open = (options: Partial<UndoOptions> = {}): ReturnType<typeof openUndo> =>
  openUndo({ ...place, timeLimitMs: 60_000, ...options });

function number(made: Made | Refusal): number {
  if ("because" in made) throw new Error(made.because);
  return made.checkpoint.number;
}

function shadow(): string {
  const [name = ""] = readdirSync(join(place.home, "undo"));
  return join(place.home, "undo", name);
}

function packs(): string[] {
  return readdirSync(join(shadow(), "objects", "pack")).sort();
}

function size(): number {
  return Number(place.run(`du -sb ${join(shadow(), "objects", "pack")} | cut -f1`));
}

/** Writes so many files that a checkpoint of them is a pack; their sizes need one, two and three bytes in its entries. */
function writeMany(content: string): void {
  for (let at = 0; at < FILES; at += 1) place.write(`d${at % 7}/${at}`, `${content} ${at}\n`.repeat(1 + at ** 2));
}

test.each([["sha1"], ["sha256"]])("many new files become one pack that git can read, with %s", async (format) => {
  place.run(`git init -q --object-format=${format}`);
  writeMany("one");
  place.write("empty", "");
  place.run("head -c 3000000 /dev/urandom > big");
  const before = copyOf(place.project);
  const made = number(await open().checkpoint("x"));
  expect(packs()).toHaveLength(2);
  expect(place.run(`cd ${shadow()}; git verify-pack objects/pack/*.idx && echo whole`)).toBe("whole\n");
  place.run("rm -rf d* empty big");
  await open().restore(made);
  expect(differences(copyOf(place.project), before)).toEqual([]);
});

test("a pack that another process has added is seen", async () => {
  const early = open();
  place.write("a", "a");
  await early.checkpoint("x");
  writeMany("one");
  const made = number(await open().checkpoint("y"));
  const before = copyOf(place.project);
  place.run("rm -rf d*");
  await early.restore(made);
  expect(differences(copyOf(place.project), before)).toEqual([]);
});

test("a damaged pack restores nothing", async () => {
  writeMany("one");
  const made = number(await open().checkpoint("x"));
  const pack = join(shadow(), "objects", "pack", packs().find((name) => name.endsWith(".pack")) ?? "");
  const bytes = readFileSync(pack);
  writeFileSync(pack, bytes.fill(0, Math.floor(bytes.length / 2)));
  place.run("rm -rf d*");
  expect(await open().restore(made)).toEqual({ because: expect.stringContaining("The checkpoint is damaged") });
  expect(existsSync(join(place.project, "d1"))).toBe(false);
});

test("packs go with the checkpoints that need them; one of which little is needed is written anew", async () => {
  const { settings } = readSettings("undo", { maxBytes: 1 });
  const undo = open();
  writeMany("one");
  await undo.checkpoint("one");
  writeMany("two");
  place.write("d1/1", "kept");
  await undo.checkpoint("two");
  place.run("cp d1/8 saved; rm -rf d*; mkdir d1; mv saved d1/8");
  const last = number(await undo.checkpoint("last"));
  const before = copyOf(place.project);
  const [old = ""] = packs();
  const unfinished = join(shadow(), "objects", "pack", old.replace(/-..../, "-0000").replace(/idx$/, "pack"));
  writeFileSync(unfinished, "PACK");
  const full = size();
  open({ settings }).prune();
  expect(undo.list().map(({ label }) => label)).toEqual(["last"]);
  expect(packs()).not.toContain(old);
  expect(existsSync(unfinished)).toBe(false);
  expect(size()).toBeLessThan(full / 4);
  place.run("rm -rf d1");
  await undo.restore(last);
  expect(differences(copyOf(place.project), before)).toEqual([]);
});
