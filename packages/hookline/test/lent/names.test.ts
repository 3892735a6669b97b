import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as compat from "@earendil-works/pi-ai/compat";
import { expect, test } from "vitest";
import { AI_NAMES } from "../../src/lent/ai.ts";
import { LENT_NAMES } from "../../src/lent/coding-agent.ts";
import { STUB_NAMES } from "../../src/lent/stubs.ts";
import { describeWithPeer, NEWER } from "../differential/peer.ts";
import { lentPlace } from "./lent.ts";

/** Values that pi's own examples and the seed import from `pi-coding-agent`, of all releases. Source: spec/pi.md 4. */
const CENSUS = `
  getAgentDir createBashTool createReadTool createEditTool createWriteTool createFindTool createGrepTool createLsTool
  createBashToolDefinition createReadToolDefinition createEditToolDefinition createWriteToolDefinition
  createFindToolDefinition createGrepToolDefinition createLsToolDefinition CustomEditor convertToLlm
  serializeConversation BorderedLoader DynamicBorder getMarkdownTheme getSettingsListTheme defineTool
  withFileMutationQueue DEFAULT_MAX_BYTES DEFAULT_MAX_LINES truncateHead truncateLine formatSize parseFrontmatter
  CONFIG_DIR_NAME VERSION isToolCallEventType createLocalBashOperations keyHint keyText AssistantMessageComponent
  SessionManager
`;

/** Names that the dialect has without a host. */
const OF_DIALECT = new Set(
  "getAgentDir defineTool DEFAULT_MAX_BYTES DEFAULT_MAX_LINES truncateHead truncateLine formatSize parseFrontmatter CONFIG_DIR_NAME VERSION isToolCallEventType".split(
    " ",
  ),
);

test("every value that extensions are known to import from pi-coding-agent exists", async () => {
  await using place = lentPlace();
  const exports = await place.use("pi-coding-agent");
  const wanted = CENSUS.trim()
    .split(/\s+/)
    .filter((name) => !OF_DIALECT.has(name));
  expect(wanted.filter((name) => exports[name] === undefined)).toEqual([]);
});

test("every promised name has a value", async () => {
  await using place = lentPlace();
  const [agent, ai] = await Promise.all([place.use("pi-coding-agent"), place.use("pi-ai")]);
  expect(LENT_NAMES.filter((name) => agent[name] === undefined)).toEqual([]);
  expect(AI_NAMES.filter((name) => ai[name] === undefined)).toEqual([]);
});

test("pi-ai has every name of the package", () => {
  const ofDialect = ["StringEnum", "Type", "calculateCost"];
  expect([...AI_NAMES, ...ofDialect].sort()).toEqual(Object.keys(compat).sort());
});

test("pi-tui has every name that extensions are known to import", async () => {
  await using place = lentPlace();
  const tui = await place.use("pi-tui");
  const wanted =
    "Text matchesKey visibleWidth truncateToWidth Key Container Box isKeyRelease Editor wrapTextWithAnsi Markdown parseKey fuzzyFilter Input CURSOR_MARKER SelectList SettingsList Spacer";
  expect(wanted.split(" ").filter((name) => tui[name] === undefined)).toEqual([]);
});

test("a package that is not pi's is not provided", async () => {
  await using place = lentPlace();
  expect(place.use("pi-nothing")).toBeUndefined();
  expect(place.use("../constructor")).toBeUndefined();
});

/** The names of what the real package exports. */
function realNames(folder: string): string[] {
  const entry = pathToFileURL(join(folder, "dist/index.js")).href;
  const program = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(entry)}))));`;
  return JSON.parse(spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }).stdout);
}

/** Returns the public members of each class, from the declarations of the real package. */
function declaredMembers(folder: string): Map<string, string[]> {
  const files = readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" });
  const members = new Map<string, string[]>();
  for (const path of files.filter((name) => name.endsWith(".d.ts"))) {
    const text = readFileSync(join(folder, "dist", path), "utf8");
    for (const [, name = "", body = ""] of text.matchAll(/^export declare class (\w+)[^{]*\{\n([\s\S]*?)^\}/gm)) {
      const lines = [
        ...body.matchAll(/^ {4}(?!private|static|protected|constructor)(?:get |set )?([a-z]\w+)(?=[(<])/gm),
      ];
      members.set(name, [...new Set(lines.map(([, member = ""]) => member))]);
    }
  }
  return members;
}

describeWithPeer("beside the real package", (folder) => {
  test("exactly the names that it exports are promised", async () => {
    const dialect = [...OF_DIALECT, "stripFrontmatter", "createEventBus", "truncateTail"];
    const guards = realNames(folder).filter((name) => /^is\w+ToolResult$/.test(name));
    const real = realNames(folder);
    const own = [...LENT_NAMES, ...dialect, ...guards].filter((name) => real.includes(name) || !NEWER.includes(name));
    expect(own.sort()).toEqual(real.sort());
  });

  test("classes have the public members that it declares", async () => {
    const declared = declaredMembers(folder);
    await using place = lentPlace();
    const ours = await place.use("pi-coding-agent");
    const missing = LENT_NAMES.filter((name) => !STUB_NAMES.includes(name)).flatMap((name) =>
      (declared.get(name) ?? [])
        .filter((member) => !(member in (ours[name].prototype ?? {})))
        .map((member) => `${name}.${member}`),
    );
    expect(missing).toEqual([]);
  });
});
