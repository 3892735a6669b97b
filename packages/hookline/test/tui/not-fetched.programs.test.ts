import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { Sitting } from "../support/sitting.ts";
import { Sources } from "../support/sources.ts";

let place: Workplace;
let sources: Sources;
beforeEach(() => {
  place = new Workplace();
  sources = new Sources(place);
});
afterEach(() => {
  sources.close();
  place.remove();
});

const QUESTION = /2 packages of pi are not fetched:/;

/** A screen of a person whose settings name two packages, of which the registry has one or both. */
async function sitting(...names: readonly string[]): Promise<Sitting> {
  const found = names.map((name) => {
    const manifest = { type: "module", pi: { extensions: ["./own.ts"] } };
    const text = `export default (pi) => pi.registerCommand("${name}", { description: "of ${name}", handler: () => {} });\n`;
    return [name, { bytes: sources.packed(name, manifest, { "own.ts": text }), manifest }] as const;
  });
  const env = await sources.registry(Object.fromEntries(found));
  return Sitting.start({
    env,
    files: { "~/.pi/agent/settings.json": JSON.stringify({ packages: ["npm:one", "npm:two"] }) },
    isEarly: true,
  });
}

/** The state of each package as the list says it. */
function states(report: string): string[] {
  return [...report.matchAll(/^(\w+) .*npm\/(?:node_modules\/)?(\w+)\b/gm)].map(
    ([, state, name]) => `${name} ${state}`,
  );
}

describe("packages that are not fetched, on a screen", () => {
  test("are fetched if the person says so, and run at once", async () => {
    await using open = await sitting("one", "two");
    await open.terminal.until(QUESTION);
    const screen = await open.screen();
    for (const line of ["- npm:one", "- npm:two", "Fetch now", "Go on without", "Quit"]) expect(screen).toContain(line);
    open.terminal.press("enter");
    await open.terminal.until(/Model: script/);
    expect(await open.terminal.history()).not.toMatch(/cannot be used/);
    const list = await place.run(["hooks", "list"], { env: { HOME: open.home } });
    expect(states(list.out)).toEqual(["one runs", "two runs"]);
  });

  test("that cannot be had are asked about as any hook that does not load", async () => {
    await using open = await sitting("one");
    await open.terminal.until(QUESTION);
    open.terminal.press("enter");
    await open.terminal.until(/1 hook or file cannot be used:/);
    open.terminal.press("down", "enter");
    await open.terminal.until(/1 of 2 hooks run/);
  });

  test("are done without if the person says so, and are not asked about again", async () => {
    await using open = await sitting("one", "two");
    await open.terminal.until(QUESTION);
    open.terminal.press("down", "enter");
    await open.terminal.until(/Model: script/);
    const kept = JSON.parse(readFileSync(join(open.home, ".hookline/goes-without.json"), "utf8"));
    expect(kept).toHaveLength(2);
    const list = await place.run(["hooks", "list"], { env: { HOME: open.home } });
    expect(states(list.out)).toEqual(["one broken", "two broken"]);
  });

  test("end the start if the person quits", async () => {
    await using open = await sitting("one", "two");
    await open.terminal.until(QUESTION);
    open.terminal.press("down", "down", "enter");
    expect(await open.code).toBe(1);
    expect(open.err).toContain("hookline packages fetch npm:one");
  });
});

describe("a lock that is not met, on a screen", () => {
  test.each([false, true])("is told, and with the setting frozen ends the start: %s", async (frozen) => {
    const guard = 'export default (pi) => { pi.on("tool_call", () => undefined); };\n';
    place.write(".pi/extensions/guard.ts", guard);
    expect((await place.run(["trust", "approve", "--lock", "--yes"])).code).toBe(0);
    const lock = readFileSync(join(place.project, "hookline.lock"), "utf8");
    await using open = await Sitting.start({
      files: { "hookline.lock": lock, "~/.hookline/settings.json": JSON.stringify({ frozen }) },
      isEarly: true,
    });
    if (frozen) {
      expect(await open.code).toBe(1);
      expect(open.err).toContain("guard.ts (pi) of hookline.lock was not found");
      return;
    }
    await open.terminal.until(/does not meet/);
    expect((await open.screen()).replace(/\s+/g, " ")).toContain("guard.ts (pi) of hookline.lock was not found");
  });
});
