import { expect, onTestFinished, test } from "vitest";
import { COMMANDS } from "../../src/start/commands.ts";
import { Desk } from "../authors/desk.ts";

const NAMES = COMMANDS.map(({ name }) => name).filter((name) => name.includes(" "));

test.each(NAMES)("`hookline %s`, which help lists, is there", async (name) => {
  const desk = new Desk();
  onTestFinished(() => desk.remove());
  const { out, err } = await desk.hookline([...name.split(" "), "--no-such-option"]);
  expect(out + err).not.toContain("There is no `hookline");
});
