import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Desk } from "../authors/desk.ts";

/** The guards of examples/guards/README.md, and those that pages of events begin with. */
const examples = fileURLToPath(new URL("../../../../examples", import.meta.url));
const guards = ["guards", "events"].flatMap((folder) =>
  readdirSync(`${examples}/${folder}`).flatMap((name) => (name.endsWith(".ts") ? [`${folder}/${name}`] : [])),
);

test.each(guards)("the cases of %s hold, a session finds it alive, and it has at most sixty lines", async (name) => {
  const desk = new Desk();
  try {
    const text = readFileSync(`${examples}/${name}`, "utf8");
    const path = desk.write(`.hookline/guards/${basename(name)}`, text);
    const { code, json, out } = await desk.hookline(["hooks", "test", path, "--json"]);
    expect(json.files[0].cases.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
    expect(code, out).toBe(0);
    expect(json.files[0].cases.length).toBeGreaterThan(0);
    // A session's probe fills in no field that a case leaves out.
    await desk.hookline(["trust", "approve", "--yes"]);
    const { guards: listed } = (await desk.hookline(["guards", "--json"])).json;
    const own = listed.filter(({ path: one }: { path: string }) => one.startsWith(path));
    expect(own.map(({ state }: { state: string }) => state)).toEqual(own.map(() => "in force"));
    expect(own.length).toBeGreaterThan(0);
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(60);
  } finally {
    desk.remove();
  }
});
