import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startLoopback } from "../support/loopback.ts";
import { Reader, root } from "./reader.ts";
import { stepsOf } from "./steps.ts";

let reader: Reader;

beforeEach(() => {
  reader = new Reader();
});

afterEach(() => reader.remove());

/** Settings of Claude Code with five hooks: three run, and two can never fire. */
const FIVE = `{
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "~/.claude/hooks/no-force-push.sh" }] },
      { "matcher": "bash", "hooks": [{ "type": "command", "command": "~/.claude/hooks/log-command.sh" }] }
    ],
    "PostToolUse": [
      { "matcher": "Edit|Write", "hooks": [{ "type": "command", "command": "~/.claude/hooks/format.sh" }] }
    ],
    "PreCompaction": [{ "hooks": [{ "type": "command", "command": "~/.claude/hooks/save-notes.sh" }] }],
    "Stop": [{ "hooks": [{ "type": "command", "command": "~/.claude/hooks/run-tests.sh" }] }]
  }
}
`;

test("the README shows what hookline hooks prints, and its sample refuses a call", async () => {
  for (const name of ["no-force-push", "log-command", "format", "save-notes", "run-tests"])
    reader.write(`../home/.claude/hooks/${name}.sh`, "#!/bin/sh\n", true);
  reader.write("../home/.claude/settings.json", FIVE, false);
  await reader.follow("README.md");
  const [, printed = ""] = /This prints `(.*)`/.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
  expect(printed).toMatch(/^refused: /);
  const { code, output } = await reader.run("node --conditions=hookline-source embed.mts 2>/dev/null");
  expect({ code, output }).toEqual({ code: 0, output: `${printed}\n` });
});

test("the README's sample passes the strict compiler", async () => {
  for (const step of stepsOf(join(root, "README.md")))
    if (step.kind === "file") reader.write(step.path, step.text, false);
  const options =
    "--noEmit --target esnext --module nodenext --types node --customConditions hookline-source --allowImportingTsExtensions --skipLibCheck";
  const strict =
    "--strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --noPropertyAccessFromIndexSignature --noImplicitReturns";
  const { code, output } = await reader.run(
    `node '${root}/node_modules/typescript/bin/tsc' ${options} ${strict} embed.mts`,
  );
  expect({ code, output }).toEqual({ code: 0, output: "" });
});

test("the agent's README has steps that do what they say", async () => {
  const model = await startLoopback(() => ({ text: "It is fixed." }));
  const provider = { baseUrl: `${model.url}/v1`, api: "openai-completions", apiKey: "none", models: [{ id: "local" }] };
  reader.write("../home/.hookline/models.json", JSON.stringify({ providers: { here: provider } }), false);
  try {
    await reader.follow("packages/hookline/README.md");
    expect(model.requests).toHaveLength(1);
  } finally {
    await model.close();
  }
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
  "Claude Code hooks": {
    named: ["~/.claude/settings.json", ".claude/settings.json"],
    files: { "~/.claude/settings.json": SETTINGS, ".claude/settings.json": SETTINGS.replace("true", "exit 0") },
  },
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
};

describe("whichever hooks you have", () => {
  const [, section = ""] = /^## Whichever hooks(.*?)^## /ms.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
  const rows = [...section.matchAll(/^\| \*\*(.+?)\*\*[^|]*\|([^|]*)\|/gm)];
  const tour = rows.map(([, title = "", what = ""]) => ({ title, what }));

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

  test.each(["claude", "pi", "omp", "jcli", "chibi"])(
    "who has none yet gets a guard that works from hookline hooks init %s",
    async (dialect) => {
      const { code } = await reader.run(
        `hookline hooks init ${dialect} && hookline --trust-project hooks list --strict`,
      );
      expect(code).toBe(0);
    },
  );
});
