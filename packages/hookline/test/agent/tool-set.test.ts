import { expect, test } from "vitest";
import { Contributions } from "../../../runtime/src/hook/contribution.ts";
import { Instance } from "../../../runtime/src/hook/instance.ts";
import { ToolSet } from "../../src/agent/tool-set.ts";

test.each([
  ["project", "server"],
  ["user", "module"],
] as const)("a tool of a server and one of a %s's module with the same name: the %s's is offered", (tier, wanted) => {
  const contributions = new Contributions(["pi"]);
  const instance = new Instance("pi", { path: "/x.ts", tier }, { add() {}, remove() {}, report() {} } as never);
  contributions.add("tool", "mcp__db__drop", { label: "module" }, instance, "first");
  const mcpTools = () => new Map([["mcp__db__drop", { label: "server" }]]) as never;
  const tools = new ToolSet({ hooks: { contributions } as never, tools: [], mcpTools });
  expect(tools.all().get("mcp__db__drop")?.tool.label).toBe(wanted);
});
