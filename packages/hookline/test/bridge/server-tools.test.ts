import { describe, expect, it } from "vitest";
import { Desk } from "./at-desk.ts";

describe("the report on a guard of a server's tool", () => {
  const GUARD = { hooks: [{ type: "command", command: "exit 2" }] };

  it("says that it works exactly where a call can start it", async () => {
    using desk = new Desk();
    desk.write("~/.copilot/mcp-config.json", '{ "mcpServers": { "rig": {} } }');
    const matchers = ["mcp__rig__echo", "rig-echo", "rig-.*", "other-echo", "mcp__rig__getUser"];
    const groups = matchers.map((matcher) => ({ matcher, ...GUARD }));
    desk.write("~/.claude/settings.json", JSON.stringify({ hooks: { PreToolUse: groups } }, null, 1));
    const absent = async (host: string): Promise<string[]> => {
      const { out } = await desk.run("bridge", "report", host, "--json");
      const { hooks } = JSON.parse(out) as { hooks: { source: string; state: string }[] };
      return matchers.filter((_, at) => hooks[at]?.state === "absent");
    };
    expect(await absent("copilot")).toEqual(["other-echo"]);
    // oh-my-pi has its tools' names in lower case, and no server of that name.
    expect(await absent("omp")).toEqual(["rig-echo", "rig-.*", "other-echo", "mcp__rig__getUser"]);
    expect((await desk.run("bridge", "report", "omp")).out).toContain("in lower case");
  });

  it("and the daemon's answer agree, with the servers of the host's own file", async () => {
    using desk = new Desk();
    desk.write("~/.copilot/mcp-config.json", '{ "mcpServers": { "my-rig": {} } }');
    desk.write(
      "~/.pi/agent/extensions/guard.ts",
      'export default (pi) => pi.on("tool_call", ({ toolName }) => toolName === "mcp__my-rig__get-it" ? { block: true, reason: "NO" } : undefined);\n',
    );
    const call = async (toolName: string): Promise<string> => {
      const payload = JSON.stringify({ sessionId: "s", cwd: desk.project, toolName, toolArgs: {} });
      return (await desk.say(payload, "bridge", "call", "copilot", "preToolUse", "--one-shot")).out;
    };
    expect(await call("my-rig-get-it")).toContain("NO");
    expect(await call("my-rig-get")).not.toContain("NO");
  });
});
