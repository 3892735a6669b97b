import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { allViolations, circlesOf, FLOORS, testViolationsOf, violationsOf } from "../../../scripts/layers.ts";

const root = join(import.meta.dirname, "../../..");

test("the packages keep to their layers", () => {
  expect(allViolations()).toEqual([]);
});

test.each([
  ["ground", "decode/bad.ts", 'import { systemFiles } from "../file/system-files.ts";'],
  ["ground", "error/bad.ts", 'import { readFileSync } from "node:fs";'],
  ["ground", "file/bad.ts", 'import { Runtime } from "@hookline/runtime";'],
  ["runtime", "fold/bad.ts", 'import { dispatch } from "../run/dispatch.ts";'],
  ["runtime", "dialect/bad.ts", 'import { createProcessTransport } from "../transport/process/transport.ts";'],
  ["runtime", "replay/bad.ts", 'import { transcripts } from "@hookline/integrations";'],
  ["runtime", "transport/process/bad.ts", 'import type { Dialect } from "../../dialect/dialect.ts";'],
  ["runtime", "run/bad.ts", 'import { readFileSync } from "node:fs";'],
  ["runtime", "catalog/bad.ts", 'const x = await import("../host/runtime.ts");'],
  ["runtime", "elsewhere/bad.ts", ""],
  ["runtime", "hook/bad.ts", "// biome-ignore lint: no"],
  ["bridge", "client/bad.ts", 'import { Sessions } from "../daemon/sessions.ts";'],
  ["bridge", "moment/bad.ts", 'import { geminiTools } from "@hookline/integrations/gemini/tools.ts";'],
  ["integrations", "claude/hooks/bad.ts", 'import { codexTools } from "../../codex/tools.ts";'],
  ["integrations", "in-process/bad.ts", 'import { piTools } from "../pi/tools.ts";'],
  ["integrations", "gemini/bad.ts", 'import { readSettings } from "../../../hookline/src/settings/settings.ts";'],
  ["integrations", "gemini/bad.ts", 'import { Registry } from "../../../runtime/src/hook/registry.ts";'],
  ["integrations", "gemini/bad.ts", 'import { fleet } from "@hookline/fleet";'],
  ["integrations", "gemini/host/bad.ts", 'import { daemonsIn } from "@hookline/bridge";'],
  ["hookline", "turn/bad.ts", 'import { Agent } from "../agent/agent.ts";'],
  ["hookline", "compact/bad.ts", 'import type { Core } from "../turn/core.ts";'],
  ["hookline", "tool/bad.ts", 'import type { SessionHooks } from "../agent/session-hooks.ts";'],
  ["hookline", "provider/bad.ts", 'import type { Tool } from "../tool/tool.ts";'],
  ["hookline", "tui/panel/bad.ts", 'import { verdictOf } from "../../mode/trace.ts";'],
  ["hookline", "tui/select/bad.ts", 'const { listTrust } = await import("../../cli/trust.ts");'],
  ["hookline", "agent/command/bad.ts", 'export { readArguments } from "../../start/args.ts";'],
  // Folders on the same floor must not import each other.
  ["hookline", "mail/bad.ts", 'import { keepOutput } from "../cache/keep.ts";'],
  ["hookline", "elsewhere/bad.ts", ""],
  ["hookline", "tool/bad.ts", "// @ts-ignore"],
  ["hookline", "session/bad.ts", 'import { Loader } from "../../../runtime/src/session/load.ts";'],
  ["inspector", "view/bad.ts", 'import { readdirSync } from "node:fs";'],
  ["inspector", "view/bad.ts", 'import { Answer } from "../../../hookline/src/inspect/api.ts";'],
  ["fleet", "name/bad.ts", 'import { Link } from "../link/link.ts";'],
  ["fleet", "lane/bad.ts", 'import { Verifier } from "../audit/verify.ts";'],
  ["fleet", "place/bad.ts", 'import { readSettings } from "../../../hookline/src/settings/settings.ts";'],
  ["fleet", "link/bad.ts", 'import { Registry } from "../../../runtime/src/hook/registry.ts";'],
  ["fleet", "elsewhere/bad.ts", ""],
  ["fleet", "lane/bad.ts", 'import { HookFailure } from "@hookline/runtime/dialect";'],
  ["fleet", "kit.ts", 'export { equal } from "@hookline/runtime/engine";'],
  ["fleet", "kit.ts", 'export { BridgeSession } from "@hookline/bridge/daemon";'],
  ["hookline", "start/fleet.ts", 'import { membership } from "@hookline/fleet";'],
  ["hookline", "start/fleet-package.ts", `const fleet = await ${"import"}("@hookline/fleet");`],
  ["hookline", "start/fleet.ts", 'import { catalog } from "@hookline/fleet/kit";'],
  ["guards", "bad.ts", 'import { readCall } from "@hookline/runtime/engine";'],
  ["guards", "bad.ts", 'import { cleanText } from "@hookline/ground";'],
])("a planted violation in the %s's %s is caught", (name, path, text) => {
  expect(violationsOf(name, path, text).length).toBeGreaterThan(0);
});

test.each([
  ["ground", "test/decode/bad.test.ts", 'import { pi } from "../../../integrations/src/pi/hooks/index.ts";'],
  ["bridge", "test/fixtures/bad.ts", 'import { piTools } from "../../../integrations/src/pi/tools.ts";'],
  ["integrations", "test/hosts/bad.ts", 'import { run } from "../../../hookline/src/cli/run.ts";'],
  ["guards", "test/bad.ts", 'import { run } from "../../hookline/test/support/cli.ts";'],
  ["fleet", "test/bad.ts", 'import { HOSTS } from "@hookline/integrations/hosts";'],
])("a test of %s, %s, that needs a package above it is caught", (name, path, text) => {
  expect(testViolationsOf(name, path, text)).toHaveLength(1);
});

test("nothing but the tool path reaches an MCP server's tools", () => {
  expect(violationsOf("hookline", "agent/bad.ts", "await client.callTool({ name });")).toHaveLength(1);
  expect(violationsOf("hookline", "agent/bad.ts", "await server.callMcp(name, args, {});")).toHaveLength(1);
  expect(violationsOf("hookline", "mcp/client.ts", "await client.callTool({ name });")).toEqual([]);
});

test("what lies on a lower floor may be imported", () => {
  expect(violationsOf("hookline", "agent/good.ts", 'import { drive } from "../turn/drive.ts";')).toEqual([]);
  expect(violationsOf("hookline", "cli/good.ts", 'import { EXIT } from "@hookline/ground/system";')).toEqual([]);
  expect(violationsOf("hookline", "turn/good.ts", 'import { ask } from "./ask.ts";')).toEqual([]);
});

test.each(Object.entries(FLOORS))(
  "each folder of the %s is on one floor, and each floor has folders that are there",
  (name, floors) => {
    const entries = readdirSync(join(root, "packages", name, "src"), { withFileTypes: true });
    const placed: readonly string[] = floors.flat();
    const there = entries.filter((entry) => entry.isDirectory() || placed.includes(entry.name));
    expect([...placed].sort()).toEqual(there.map((entry) => entry.name).sort());
  },
);

test("files that need each other to be loaded are caught, whatever lies between them", () => {
  const files = { "a/one.ts": 'import { b } from "./two.ts";', "a/two.ts": 'export { c } from "../b/three.ts";' };
  const circle = (last: string) => circlesOf(new Map(Object.entries({ ...files, "b/three.ts": last })));
  expect(circle('import { a } from "../a/one.ts";')).toHaveLength(1);
  expect(circle('import "../a/one.ts";')).toHaveLength(1);
  expect(circle('import { a, type B } from "../a/one.ts";')).toHaveLength(1);
  expect(circle('import type { A } from "../a/one.ts";')).toEqual([]);
  expect(circle('const { a } = await import("../a/one.ts");')).toEqual([]);
});

test("in a straight folder no file leads back to itself by a type or a lazy import either", () => {
  const circle = (last: string) => {
    const files = { "a/one.ts": 'import type { B } from "./two.ts";', "a/two.ts": last };
    return circlesOf(new Map(Object.entries(files)), ["a"]);
  };
  expect(circle('import type { A } from "./one.ts";')).toHaveLength(1);
  expect(circle('const { a } = await import("./one.ts");')).toHaveLength(1);
  expect(circle("export const b = 1;")).toEqual([]);
});
