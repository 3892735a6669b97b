import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, textOf } from "@hookline/runtime";
import type { Guard } from "@hookline/runtime/guard";
import { expect, onTestFinished, test } from "vitest";
import * as face from "../src/index.ts";
import { guardsIn } from "../src/parts.ts";

const { checkpoints, commands, secrets, undo, verify } = face;
const KEY = ["sk", "live", "Zx81kQpLmW40vBtR92aYhNcD"].join("_");

/** A session of a program that has these guards, in a folder with a file that exists nowhere else. */
async function embedded(guardsOf: (place: { cwd: string; home: string }) => readonly Guard[]) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "hookline-embedded-")));
  const [cwd, home] = [mkdtempSync(join(top, "project-")), mkdtempSync(join(top, "home-"))];
  writeFileSync(join(cwd, "notes.txt"), "mine\n");
  const runtime = createRuntime({ home });
  onTestFinished(async () => {
    await runtime.close();
    rmSync(top, { recursive: true, force: true });
  });
  const session = await runtime.open({ scene: { sessionId: "1", cwd } });
  const place = { cwd, home };
  for (const guard of guardsOf(place)) session.on(guard);
  return { session, cwd, place };
}

test("hooks in files are lent the public functions, and nothing else", () => {
  expect(Object.keys(guardsIn({}))).toEqual(Object.keys(face).sort());
});

test("a program's session asks the guards: a loss is refused, and passes with a note where undo holds it", async () => {
  const call = { tool: "bash", toolCallId: "1", args: { command: "rm notes.txt" } };
  const run = async () => ({ content: [{ type: "text" as const, text: `key ${KEY}` }] });
  const { session: alone } = await embedded((place) => [...commands({}, place), ...secrets({}, place)]);
  const refused = await alone.wrap(call, run);
  expect(refused).toMatchObject({ blocked: true });
  expect(textOf(refused.content)).toContain("would delete notes.txt, which exists nowhere else");

  const { session: together } = await embedded((place) => [
    ...commands({}, place),
    ...secrets({}, place),
    ...undo({}, place),
  ]);
  const passed = await together.wrap(call, run);
  expect(passed.blocked).toBe(false);
  expect(passed.remarks?.join()).toContain("`hookline undo` brings it back");
  expect(textOf(passed.content)).toBe("key [secret: stripe key 1]");
});

test("a program lists the checkpoints of its session, and brings one back", async () => {
  const { session, cwd, place } = await embedded((place) => undo({}, place));
  const notes = join(cwd, "notes.txt");
  const call = (toolCallId: string, command: string, act: () => void) =>
    session.wrap({ tool: "bash", toolCallId, args: { command } }, async () => {
      act();
      return { content: [] };
    });
  await call("1", "echo more > notes.txt", () => writeFileSync(notes, "more\n"));
  await call("2", "rm notes.txt", () => rmSync(notes));
  const kept = checkpoints({}, place);
  expect(await kept.list()).toEqual([
    { number: 2, label: "rm notes.txt", atMs: expect.any(Number) },
    { number: 1, label: "echo more > notes.txt", atMs: expect.any(Number) },
  ]);
  expect(await kept.preview()).toEqual(["bring back notes.txt"]);
  expect(await kept.restore()).toEqual({ number: 2, before: 3, changes: ["bring back notes.txt"], aside: [] });
  expect(readFileSync(notes, "utf8")).toBe("more\n");
  expect(await kept.restore(1)).toMatchObject({ number: 1, changes: ["overwrite notes.txt"] });
  expect(readFileSync(notes, "utf8")).toBe("mine\n");
  expect(await kept.restore(1)).toEqual({ number: 1, changes: [], aside: [] });
  writeFileSync(join(cwd, "new.txt"), "new\n");
  expect(await kept.preview(1, { removesNew: true })).toEqual(["delete new.txt"]);
  await expect(kept.restore(9)).rejects.toThrow("There is no checkpoint 9.");
  expect(() => checkpoints({}, { ...place, cwd: place.home })).toThrow(/^No undo here: .* is a home folder/);
  expect(() => checkpoints({ keepDays: 0 }, place)).toThrow("guards.undo.keepDays must be a whole number over 0");
});

test("a program's session is sent back by a check that fails since its change", async () => {
  const { session, cwd } = await embedded((place) => verify({ run: ["test -f notes.txt"] }, place));
  await session.emit("prompt.before", { text: "clean up" });
  const call = { tool: "bash", toolCallId: "1", args: { command: "rm notes.txt" } };
  await session.wrap(call, async () => {
    rmSync(join(cwd, "notes.txt"));
    return { content: [] };
  });
  const stop = { prompt: "clean up", reply: "done", messages: [], retryCount: 0, stopHookActive: false };
  const { answer } = await session.emit("agent.stop", stop);
  expect(answer.feedback).toEqual([expect.stringContaining("The check `test -f notes.txt` fails since your change")]);
});
