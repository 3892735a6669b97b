import { describe, expect, test } from "vitest";
import { proveCells } from "../../prove/cells.ts";
import type { Case } from "../case.ts";
import { readCases } from "../requirement.ts";
import { holding, only } from "./plant.ts";

const pre = readCases("chibi").filter(({ hooks }) => hooks.some(({ event }) => event === "pre_message"));
const without = (...ids: string[]): Case[] =>
  pre.filter(({ id }) => !ids.some((end) => id === `chibi.pre_message.${end}`));
const survivors = async (cases: readonly Case[], dialect = only(["pre_message"])): Promise<readonly string[]> => {
  const { notes } = await proveCells(dialect, cases);
  return notes.filter((note) => !note.includes(": left out "));
};

describe("proving cells", () => {
  test("finds the cells that a single case leaves untested", async () => {
    const found = await survivors([holding]);
    expect(found).toContain("chibi pre_message: timeoutMs: Infinity");
    expect(found).toContain("chibi pre_message: failed: closed when exited");
    expect(found).toContain("chibi pre_message: kind: observe");
    expect(found).toContain("chibi pre_message: schedule: parallel");
    expect(found).not.toContain("chibi pre_message: fold: only the first answer");
    expect(found).not.toContain("chibi pre_message: get: no prompt");
  });

  test.each<[string, string[], string]>([
    ["time", ["time"], "chibi pre_message: timeoutMs: 60000"],
    ["failures", ["failure"], "chibi pre_message: failed: closed when exited"],
    ["several answers", ["last-wins", "odd"], "chibi pre_message: fold: only the first answer"],
    ["what later hooks see", ["last-wins", "sees"], "chibi pre_message: feeds.prompt: chain"],
    ["odd answers", ["odd"], "chibi pre_message: read: keeps odd fields"],
    ["what is seen", ["sees", "last-wins"], "chibi pre_message: get: no context_name"],
  ])("misses the cases on %s", async (_, gone, cell) => {
    expect(await survivors(without(...gone))).toContain(cell);
  });

  test("misses a field that no payload and no answer has", async () => {
    const bare = pre.map((one) => ({ ...one, payload: { text: one.payload["text"] } }));
    expect(await survivors(bare)).toContain("chibi pre_message: no payload has images");
    const silent = pre.map((one) => ({ ...one, hooks: one.hooks.map(({ event }) => ({ event })) }));
    expect(await survivors(silent)).toContain("chibi pre_message: no answer has prompt");
  });

  test("misses the order of two rows of one moment", async () => {
    const cases = readCases("chibi").filter(({ event }) => event === "prompt.build");
    const dialect = only(["pre_system_prompt", "post_system_prompt"]);
    const order = "chibi: post_system_prompt before pre_system_prompt";
    expect(await survivors(cases, dialect)).not.toContain(order);
    const left = cases.filter(({ id }) => id !== "chibi.pre_system_prompt.before-post");
    expect(await survivors(left, dialect)).toContain(order);
  });

  test("a case that does not hold is named, and is no proof of anything", async () => {
    const dialect = only(["pre_message"], (row) => ({ ...row, timeoutMs: 1000 }));
    const found = await survivors(pre, dialect);
    expect(found[0]).toMatch(/^chibi\.pre_message\.\w+ does not hold: /);
    expect(found).toContain("chibi pre_message: timeoutMs: 500");
  });
});
