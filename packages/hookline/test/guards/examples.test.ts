import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Desk } from "../authors/desk.ts";

/** The guards of examples/guards/README.md. */
const folder = fileURLToPath(new URL("../../../../examples/guards", import.meta.url));
const guards = readdirSync(folder).filter((name) => name.endsWith(".ts"));

test.each(guards)("the cases of %s hold, and it has at most sixty lines", async (name) => {
  const desk = new Desk();
  try {
    const text = readFileSync(`${folder}/${name}`, "utf8");
    const path = desk.write(`.hookline/guards/${name}`, text);
    const { code, json, out } = await desk.hookline(["hooks", "test", path, "--json"]);
    expect(json.files[0].cases.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
    expect(code, out).toBe(0);
    expect(json.files[0].cases.length).toBeGreaterThan(0);
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(60);
  } finally {
    desk.remove();
  }
});
