import { expect, test } from "vitest";
import { COMPACTION_CANCELLED, type Complete } from "../../src/compact/complete.ts";
import { chooseUnits, isWorthRolling, planRolling, unitsOf } from "../../src/compact/rolling.ts";
import { assistant, result, sessionOf, user } from "./talk.ts";

const scene = { summary: "so far", goals: "win", todos: "" };
const talk = sessionOf([
  user("one"),
  assistant("", ["a", "b"]),
  result("a", "A"),
  result("b", "B"),
  user("two"),
  assistant("three"),
  user("four"),
]);
const units = unitsOf(talk.buildSessionProjection());
const answering = (text: string): Complete & { prompts: string[] } => {
  const prompts: string[] = [];
  const complete = async ({ prompt }: { readonly prompt: string }) => {
    prompts.push(prompt);
    return { text, usage: assistant("").usage };
  };
  return Object.assign(complete, { prompts });
};
const idOf = (index: number): string => units[index]?.entryIds[0] ?? "";

test("a reply and the results of its calls go or stay as one", () => {
  expect(units.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
    ["user"],
    ["assistant", "toolResult", "toolResult"],
    ["user"],
    ["assistant"],
    ["user"],
  ]);
  expect(isWorthRolling(units)).toBe(true);
  expect(isWorthRolling(units.slice(1))).toBe(false);
});

test("the model chooses by ids; it is told goals and summary, and never offered the last message", async () => {
  const complete = answering(`Sure: ["${idOf(1)}", "unknown", "${idOf(4)}"] as you wished.`);
  expect(await chooseUnits(units, scene, complete)).toEqual([units[1]]);
  expect(complete.prompts[0]).toContain("<goals>\nwin\n</goals>");
  expect(complete.prompts[0]).toContain("about 3 of these");
  expect(complete.prompts[0]).not.toContain(`- ${idOf(4)}:`);
});

test.each(["no list", "[]", "[1, 2]", "{"])("where it says %j the oldest half goes", async (text) => {
  expect(await chooseUnits(units, scene, answering(text))).toEqual(units.slice(0, 3));
});

test("a provider that fails lets the oldest go, a cancellation ends it", async () => {
  expect(await chooseUnits(units, scene, () => Promise.reject(new Error("down")))).toEqual(units.slice(0, 3));
  await expect(chooseUnits(units, scene, () => Promise.reject(new Error(COMPACTION_CANCELLED)))).rejects.toThrow();
});

test("what goes before the first kept message is cut off, what goes behind it is taken out", () => {
  const plan = planRolling(
    units,
    [units[0], units[1], units[3]].flatMap((unit) => unit ?? []),
  );
  expect(plan?.firstKeptEntryId).toBe(idOf(2));
  expect(plan?.dropped).toEqual([idOf(3)]);
  expect(plan?.archived).toHaveLength(5);
});

test("a choice that leaves nothing, or takes nothing, is no plan", () => {
  expect(planRolling(units, units)).toBeUndefined();
  expect(planRolling(units, [])).toBeUndefined();
});
