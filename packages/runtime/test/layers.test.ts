import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  agentViolationsOf,
  allViolations,
  circlesOf,
  FLOORS,
  fleetViolationsOf,
  violationsOf,
} from "../../../scripts/layers.ts";

test("the packages keep to their layers", () => {
  expect(allViolations()).toEqual([]);
});

test.each([
  ["fold/bad.ts", 'import { dispatch } from "../run/dispatch.ts";'],
  ["dialect/pi/bad.ts", 'import { createProcessTransport } from "../../transport/process/transport.ts";'],
  ["transport/process/bad.ts", 'import type { Dialect } from "../../dialect/dialect.ts";'],
  ["run/bad.ts", 'import { readFileSync } from "node:fs";'],
  ["catalog/bad.ts", 'const x = await import("../host/runtime.ts");'],
  ["elsewhere/bad.ts", ""],
  ["hook/bad.ts", "// biome-ignore lint: no"],
])("a planted violation in the runtime's %s is caught", (path, text) => {
  expect(violationsOf(path, text)).toHaveLength(1);
});

test.each([
  ["turn/bad.ts", 'import { Agent } from "../agent/agent.ts";'],
  ["compact/bad.ts", 'import type { Core } from "../turn/core.ts";'],
  ["tool/bad.ts", 'import type { SessionHooks } from "../agent/session-hooks.ts";'],
  ["provider/bad.ts", 'import type { Tool } from "../tool/tool.ts";'],
  ["tui/panel/bad.ts", 'import { verdictOf } from "../../mode/trace.ts";'],
  ["tui/select/bad.ts", 'const { listTrust } = await import("../../cli/trust.ts");'],
  ["agent/command/bad.ts", 'export { readArguments } from "../../start/args.ts";'],
  // Those of one floor do not know each other.
  ["mail/bad.ts", 'import { keepOutput } from "../cache/keep.ts";'],
  ["elsewhere/bad.ts", ""],
  ["file/bad.ts", "// @ts-ignore"],
  ["session/bad.ts", 'import { Loader } from "../../../runtime/src/host/load.ts";'],
])("a planted violation in the agent's %s is caught", (path, text) => {
  expect(agentViolationsOf(path, text).length).toBeGreaterThan(0);
});

test.each([
  ["name/bad.ts", 'import { Link } from "../link/link.ts";'],
  ["lane/bad.ts", 'import { Verifier } from "../audit/verify.ts";'],
  ["place/bad.ts", 'import { readSettings } from "../../../hookline/src/settings/settings.ts";'],
  ["link/bad.ts", 'import { Registry } from "../../../runtime/src/hook/registry.ts";'],
  ["elsewhere/bad.ts", ""],
])("a planted violation in the fleet's %s is caught", (path, text) => {
  expect(fleetViolationsOf(path, text).length).toBeGreaterThan(0);
});

test("nothing but the tool path reaches an MCP server's tools", () => {
  expect(agentViolationsOf("agent/bad.ts", "await client.callTool({ name });")).toHaveLength(1);
  expect(agentViolationsOf("agent/bad.ts", "await server.callMcp(name, args, {});")).toHaveLength(1);
  expect(agentViolationsOf("mcp/client.ts", "await client.callTool({ name });")).toEqual([]);
});

test("what lies on a lower floor may be imported", () => {
  expect(agentViolationsOf("agent/good.ts", 'import { drive } from "../turn/drive.ts";')).toEqual([]);
  expect(agentViolationsOf("cli/good.ts", 'import { EXIT } from "../io/io.ts";')).toEqual([]);
  expect(agentViolationsOf("turn/good.ts", 'import { ask } from "./ask.ts";')).toEqual([]);
});

test("each folder of the agent is on one floor, and each floor has folders that are there", () => {
  const folders = readdirSync(join(import.meta.dirname, "../../hookline/src"));
  expect(FLOORS.flat().sort()).toEqual(folders.sort());
});

test("files that need each other to be loaded are caught, whatever lies between them", () => {
  const files = { "a/one.ts": 'import { b } from "./two.ts";', "a/two.ts": 'export { c } from "../b/three.ts";' };
  const circle = (last: string) => circlesOf(new Map(Object.entries({ ...files, "b/three.ts": last })));
  expect(circle('import { a } from "../a/one.ts";')).toHaveLength(1);
  expect(circle('import "../a/one.ts";')).toHaveLength(1);
  expect(circle('import { a, type B } from "../a/one.ts";')).toHaveLength(1);
  expect(circle('import type { A } from "../a/one.ts";')).toEqual([]);
  expect(circle('const { a } = await import("../a/one.ts");')).toEqual([]);
});
