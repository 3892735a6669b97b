import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as compat from "@earendil-works/pi-ai/compat";
import { expect, test } from "vitest";
import { AI_NAMES } from "../../src/compat/ai.ts";
import { LENT_NAMES } from "../../src/compat/coding-agent.ts";
import { describeWithPeer } from "../differential/peer.ts";
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

/** What the dialect has of them without a host. */
const OF_DIALECT = new Set(
  "getAgentDir defineTool DEFAULT_MAX_BYTES DEFAULT_MAX_LINES truncateHead truncateLine formatSize parseFrontmatter CONFIG_DIR_NAME VERSION isToolCallEventType".split(
    " ",
  ),
);

test("every value that extensions are known to import from pi-coding-agent is there", async () => {
  await using place = lentPlace();
  const exports = await place.use("pi-coding-agent");
  const wanted = CENSUS.trim()
    .split(/\s+/)
    .filter((name) => !OF_DIALECT.has(name));
  expect(wanted.filter((name) => exports[name] === undefined)).toEqual([]);
});

test("no name that is promised is without a value", async () => {
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

test("a package that is not pi's is not answered for", async () => {
  await using place = lentPlace();
  expect(place.use("pi-nothing")).toBeUndefined();
  expect(place.use("../constructor")).toBeUndefined();
});

/** The exports of the real package with the methods of those that are classes, read in a process of its own. */
function realExports(folder: string): Record<string, string[]> {
  const program = `
    const all = await import(${JSON.stringify(pathToFileURL(join(folder, "dist/index.js")).href)});
    const methods = (value) => (value?.prototype ? Object.getOwnPropertyNames(value.prototype) : []);
    console.log(JSON.stringify(Object.fromEntries(Object.entries(all).map(([name, value]) => [name, methods(value)]))));
  `;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  return JSON.parse(stdout);
}

describeWithPeer("beside the real package", (folder) => {
  test("nothing is promised under a name that it does not have", () => {
    const real = realExports(folder);
    expect(LENT_NAMES.filter((name) => !(name in real))).toEqual([]);
  });

  test("classes have the members of the real ones, but for those that belong to what only the real program has", async () => {
    const real = realExports(folder);
    await using place = lentPlace();
    const ours = await place.use("pi-coding-agent");
    const missing = LENT_NAMES.flatMap((name) =>
      (real[name] ?? [])
        .filter((member) => !member.startsWith("_") && !(member in (ours[name].prototype ?? {})))
        .map((member) => `${name}.${member}`),
    );
    expect(missing).toEqual([
      // About signing in to subscriptions, which is not done here.
      "ModelRegistry.getProviderAuthStatus",
      "ModelRegistry.getProvider",
      "ModelRegistry.getProviderAuth",
      "ModelRegistry.getRegisteredNativeProvider",
      "CustomEditor.setWorkingStatusIndicator",
      // Private in the real ones.
      "UserMessageComponent.rebuild",
      "CustomMessageComponent.rebuild",
    ]);
  });
});
