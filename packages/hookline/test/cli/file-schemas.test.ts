import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { getLanguageService, type LanguageService, TextDocument } from "vscode-json-languageservice";
import { FILE_SCHEMAS } from "../../src/cli/file-schemas.ts";
import { readModelsFile } from "../../src/provider/models-file.ts";
import { SETTINGS } from "../../src/settings/rows.ts";
import { Desk, guards } from "../authors/desk.ts";

const folder = new URL("../../schemas/", import.meta.url);

let desk: Desk;
let editor: LanguageService;

beforeEach(() => {
  desk = new Desk();
  editor = getLanguageService({ schemaRequestService: async (uri) => readFileSync(new URL(uri), "utf8") });
});

afterEach(() => desk.remove());

/** A file as an editor opens it, which finds the schema by the file's own `$schema`. */
function opened(name: string, fields: object) {
  const value = { $schema: new URL(`${name}.schema.json`, folder).href, ...fields };
  const document = TextDocument.create("file:///somewhere/file.json", "json", 1, JSON.stringify(value, null, 2));
  return { document, json: editor.parseJSONDocument(document) };
}

/** The lines that the editor marks, each with what it says. */
async function marked(name: string, fields: object): Promise<string[]> {
  const { document, json } = opened(name, fields);
  const found = await editor.doValidation(document, json);
  return found.map(({ range, message }) => `${document.getText().split("\n")[range.start.line]?.trim()} ${message}`);
}

/** Returns the completions that an editor offers at the end of a text in the file. */
async function offered(name: string, fields: object, behind: string): Promise<string[]> {
  const { document, json } = opened(name, fields);
  const at = document.positionAt(document.getText().indexOf(behind) + behind.length);
  return ((await editor.doComplete(document, at, json))?.items ?? []).map(({ label }) => label);
}

test("the schemas in the package are those that the command prints, with ids that no version or machine changes", async () => {
  for (const name of Object.keys(FILE_SCHEMAS)) {
    const text = readFileSync(new URL(`${name}.schema.json`, folder), "utf8");
    const printed = await desk.hookline(["schema", name]);
    expect([printed.code, printed.json]).toEqual([0, JSON.parse(text)]);
    expect(JSON.parse(text).$id).toBe(`${name}.schema.json`);
  }
});

describe("settings", () => {
  test("an editor marks a wrong key and a wrong value, and offers what there is", async () => {
    const wrong = { feedbackCapp: 5, hookTurnCap: -1, retry: { maxRetries: "3" }, record: "some", shadow: [7] };
    const lines = await marked("settings", wrong);
    for (const line of [
      /feedbackCapp.*not allowed/,
      /"hookTurnCap": -1,? .*minimum/,
      /"maxRetries": "3",? .*type/,
      /"record": "some",? .*accepted/,
      /7 .*type/,
    ])
      expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(line)]));
    expect(lines).toHaveLength(5);
    expect(await offered("settings", { record: "" }, '"record": "')).toEqual(expect.arrayContaining(['"decisions"']));
    expect(await offered("settings", { ttsr: {} }, '"ttsr": {')).toEqual(
      expect.arrayContaining(["enabled", "repeatGap"]),
    );
  });

  test("every default is right, nested or with dots, and hookline accepts what the editor does", async () => {
    const all = Object.entries(SETTINGS).flatMap(([path, { default: usual }]) =>
      usual === undefined ? [] : [[path, usual]],
    );
    const dotted = Object.fromEntries(all);
    expect(await marked("settings", dotted)).toEqual([]);
    desk.write("~/.hookline/settings.json", JSON.stringify({ $schema: "./x.json", feedbackCap: 3 }));
    const { json } = await desk.hookline(["hooks", "list", "--json"]);
    expect(json.diagnostics).toEqual([]);
  });
});

test("mcp.json: a server without a command, a wrong limit and an unknown key are marked", async () => {
  const good = { command: "node", args: ["server.js"], env: { A: "$B" }, timeout: 1000 };
  expect(await marked("mcp", { mcpServers: { one: good, two: { type: "http", url: "http://127.0.0.1:9/" } } })).toEqual(
    [],
  );
  expect(await marked("mcp", { mcpServers: { one: { ...good, timeout: "1s" } } })).toEqual([
    expect.stringMatching(/"timeout": "1s"/),
  ]);
  expect(await marked("mcp", { mcpServers: { one: { ...good, comand: "x" } } })).toEqual([
    expect.stringMatching(/comand/),
  ]);
  expect(await marked("mcp", { mcpServers: { one: { args: [] } } })).not.toEqual([]);
  expect(await marked("mcp", {})).toEqual([expect.stringMatching(/mcpServers/)]);
  desk.write("~/.hookline/mcp.json", JSON.stringify({ $schema: "./x.json", mcpServers: {} }));
  expect((await desk.hookline(["mcp", "--json"])).code).toBe(0);
});

test("models.json: the editor and hookline mark the same mistakes", async () => {
  const model = { id: "m", name: "M", contextWindow: 1000, cost: { input: 1, output: 2 }, input: ["text"] };
  const provider = { baseUrl: "http://127.0.0.1:9/v1", api: "openai-completions", apiKey: "KEY", models: [model] };
  const files: readonly (readonly [object, boolean])[] = [
    [provider, true],
    [{ ...provider, models: [{ ...model, id: undefined }] }, false],
    [{ ...provider, models: [{ ...model, contextWindow: 0 }] }, false],
    [{ ...provider, models: [{ ...model, input: ["sound"] }] }, false],
    [{ ...provider, authHeader: "yes" }, false],
    [{ ...provider, apikey: "KEY" }, false],
    [{ ...provider, modelOverrides: { m: { id: "other" } } }, false],
  ];
  for (const [entry, isRight] of files) {
    const fields = { providers: { mine: entry } };
    expect((await marked("models", fields)).length === 0, JSON.stringify(entry)).toBe(isRight);
    const path = desk.write("~/.hookline/models.json", JSON.stringify({ $schema: "./x.json", ...fields }));
    expect((await readModelsFile(path)).diagnostics.length === 0, JSON.stringify(entry)).toBe(isRight);
  }
});

test("hookline.lock: what hookline writes is right, and a torn hash is marked", async () => {
  guards(desk);
  desk.write(
    ".hookline/guards/a.ts",
    'import { guard } from "@hookline/runtime/guard";\nexport default guard({ name: "a", on: "tool.before", run: () => undefined, cases: [] });\n',
  );
  expect((await desk.hookline(["trust", "approve", "--lock", "--yes"])).code).toBe(0);
  const lock = JSON.parse(desk.read("hookline.lock"));
  expect(lock.hooks).toHaveLength(1);
  expect(await marked("lock", lock)).toEqual([]);
  const [hook] = lock.hooks;
  expect(await marked("lock", { ...lock, hooks: [{ ...hook, files: [{ path: "a", sha256: "torn" }] }] })).toEqual([
    expect.stringMatching(/"sha256": "torn"/),
  ]);
  const { hash: _, ...rest } = hook;
  expect(await marked("lock", { ...lock, hooks: [rest] })).toEqual([expect.stringMatching(/hash/)]);
  expect(await marked("lock", { ...lock, version: 9 })).toEqual([expect.stringMatching(/"version": 9/)]);
  desk.write("hookline.lock", JSON.stringify({ $schema: "./x.json", ...lock }));
  expect((await desk.hookline(["--frozen", "hooks", "list", "--strict"])).err).toBe("");
});

test("*.hooks-test.yaml: a wrong expectation, an unknown key and a case without one are marked, by hookline too", async () => {
  const files: readonly (readonly [object, boolean])[] = [
    [{ cases: [{ tool: "bash", args: { command: "ls" }, expect: "none" }] }, true],
    [
      {
        event: "pi:tool_call",
        fixtures: { "a.txt": "x" },
        cases: [
          {
            tool: "bash",
            table: [
              ["args.command", "expect"],
              ["ls", "none"],
            ],
          },
        ],
      },
      true,
    ],
    [{ cases: [{ tool: "bash", expect: { decision: "none" } }] }, true],
    [{ cases: [{ tool: "bash", expect: "refuse" }] }, false],
    [{ cases: [{ tool: "bash" }] }, false],
    [{ cases: [{ tol: "bash", expect: "none" }] }, false],
    [{ cases: [{ tool: "bash", expect: { decison: "none" } }] }, false],
    [{ case: [] }, false],
    [{ cases: [] }, false],
  ];
  for (const [fields, isRight] of files) {
    expect((await marked("hooks-test", fields)).length === 0, JSON.stringify(fields)).toBe(isRight);
    desk.write(
      "a.hooks-test.yaml",
      `# yaml-language-server: $schema=./x.json\n${JSON.stringify({ $schema: "./x.json", ...fields })}`,
    );
    const { code, out, err } = await desk.hookline(["hooks", "test", "a.hooks-test.yaml"]);
    expect(code === 0, `${JSON.stringify(fields)}\n${out}${err}`).toBe(isRight);
  }
});

test("an unknown name is answered with the nearest", async () => {
  const { code, err } = await desk.hookline(["schema", "setings"]);
  expect([code, err]).toEqual([2, expect.stringContaining('Did you mean "settings"?')]);
});

test("the folder of the schemas is in the package", () => {
  const { files } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  expect(files).toContain("schemas");
});
