import { expect, test } from "vitest";
import { openFiles } from "../pi/kit.ts";

const extension = (text: string) => ({ "project/.pi/extensions/own.ts": `export default () => { ${text} };` });

test("a listener of exit is a module's own clean-up, and is not reported, like a timer", async () => {
  const before = process.listeners("exit");
  try {
    await using opened = await openFiles(extension('process.on("exit", () => {});'));
    expect(opened.codes()).toEqual([]);
    expect(process.listenerCount("exit")).toBe(before.length + 1);
  } finally {
    for (const one of process.listeners("exit")) if (!before.includes(one)) process.off("exit", one);
  }
});

test("a listener of exit that a module takes from somebody else is reported", async () => {
  const own = (): void => {};
  process.on("exit", own);
  try {
    await using opened = await openFiles(
      extension('process.off("exit", process.listeners("exit").find(({ name }) => name === "own"));'),
    );
    expect(opened.codes()).toEqual(["AMBIENT_CHANGED"]);
    expect(opened.diagnostics[0]?.message).toContain("own.ts");
  } finally {
    process.off("exit", own);
  }
});
