import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Loopback, startLoopback } from "../support/loopback.ts";
import { Reader, root } from "./reader.ts";

let reader: Reader;
let model: Loopback;

/** A reader with a model: one at hand on this machine, listed in the home. */
beforeEach(async () => {
  reader = new Reader();
  model = await startLoopback(() => ({ text: "It is fixed." }));
  const provider = { baseUrl: `${model.url}/v1`, api: "openai-completions", apiKey: "none", models: [{ id: "local" }] };
  reader.write("../home/.hookline/models.json", JSON.stringify({ providers: { here: provider } }), false);
  reader.write("../home/.hookline/settings.json", JSON.stringify({ model: "here/local" }), false);
});

afterEach(async () => {
  await model.close();
  reader.remove();
});

test("the README's steps do what they say", async () => {
  await reader.run("hookline hooks init jcli");
  await reader.follow("README.md");
  expect(model.requests).toHaveLength(1);
  const { code, output } = await reader.run("node --conditions=hookline-source embed.mjs");
  expect(output).toContain("ran ls");
  expect(code).toBe(0);
});

test("the agent's README has steps that do what they say", async () => {
  await reader.follow("packages/hookline/README.md");
  expect(model.requests).toHaveLength(1);
});

const EXTENSION = 'export default (pi) => pi.on("tool_call", () => undefined);\n';
const HOOKS = "stop:\n  - command: cat\n";
const SETTINGS = '{ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }] } }';
const PLUGIN =
  '#!/bin/sh\necho \'{"name":"p","description":"p","parameters":{"type":"object","properties":{}},"hooks":["on_start"]}\'\n';

/** The places that the tour names for each kind of hooks, and a hook of each. */
const TOUR: Readonly<
  Record<string, { readonly named: readonly string[]; readonly files: Readonly<Record<string, string>> }>
> = {
  "pi extensions": {
    named: ["~/.pi/agent/extensions", ".pi/extensions"],
    files: { "~/.pi/agent/extensions/a.ts": EXTENSION, ".pi/extensions/b.ts": EXTENSION },
  },
  "omp hooks or extensions": {
    named: [".omp/hooks/{pre,post}", "~/.omp/agent/…"],
    files: {
      ".omp/hooks/pre/a.ts": EXTENSION,
      ".omp/hooks/post/b.ts": EXTENSION,
      "~/.omp/agent/hooks/pre/c.ts": EXTENSION,
      "~/.omp/agent/extensions/d.ts": EXTENSION,
    },
  },
  "a `hooks.yaml`": {
    named: ["~/.jdata/agent/hooks.yaml", ".jcli/hooks.yaml"],
    files: { "~/.jdata/agent/hooks.yaml": HOOKS, ".jcli/hooks.yaml": HOOKS },
  },
  "chibi plugins": {
    named: ["~/.chibi/plugins", ".hookline/plugins"],
    files: { "~/.chibi/plugins/a": PLUGIN, ".hookline/plugins/b": PLUGIN },
  },
  "Claude Code hooks": {
    named: ["~/.claude/settings.json", ".claude/settings.json"],
    files: { "~/.claude/settings.json": SETTINGS, ".claude/settings.json": SETTINGS.replace("true", "exit 0") },
  },
};

describe("five minutes, whichever hooks you have", () => {
  const [, section = ""] = /^## Five minutes(.*?)^## /ms.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
  const rows = [...section.matchAll(/^\| \*\*(.+?)\*\*[^|]*\|[^|]*\|(.*)\|$/gm)];
  const tour = rows.flatMap(([, title = "", what = ""]) => (title === "none yet" ? [] : [{ title, what }]));

  test("is for all of the dialects", () => {
    expect(tour.map(({ title }) => title)).toEqual(Object.keys(TOUR));
  });

  test.each(tour)("$title are found at each of the places", async ({ title, what }) => {
    const { named = [], files = {} } = TOUR[title] ?? {};
    for (const place of named) expect(what).toContain(`\`${place}\``);
    for (const [path, text] of Object.entries(files))
      reader.write(path.replace(/^~/, "../home"), text, text === PLUGIN);
    const { code, output } = await reader.run("hookline --trust-project hooks --json");
    const { sources } = JSON.parse(output) as { readonly sources: readonly { path: string; state: string }[] };
    const running = sources.filter(({ state }) => state === "runs").map(({ path }) => path);
    const written = Object.keys(files).map((path) => join(reader.project, path.replace(/^~/, "../home")));
    expect(running.sort()).toEqual(written.sort());
    expect(code).toBe(0);
  });

  test.each(["pi", "omp", "jcli", "chibi"])(
    "who has none yet gets a guard that works from hookline hooks init %s",
    async (dialect) => {
      const { code } = await reader.run(
        `hookline hooks init ${dialect} && hookline --trust-project hooks list --strict`,
      );
      expect(code).toBe(0);
    },
  );
});
