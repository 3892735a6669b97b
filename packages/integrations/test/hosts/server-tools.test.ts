import { createHookRuntime } from "@hookline/runtime/session";
import { describe, expect, it, onTestFinished } from "vitest";
import { configuredServers } from "../../../bridge/src/host/servers.ts";
import { Place } from "../../../bridge/test/support/place.ts";
import { HOSTS } from "../../src/hosts.ts";
import { ENVELOPES } from "./agent-calls.ts";
import { hooksOf } from "./host-hooks.ts";

type Args = Readonly<Record<string, unknown>>;
type Seen = readonly [tool: string, aliases: readonly string[], args: Args];

/** Asks about a call of a server's tool; gives what hooks were asked, and the host's words. */
async function ask(
  name: string,
  tool: string,
  servers: readonly string[],
  answer: (tool: string, args: Args) => object | undefined = () => undefined,
  more: object = {},
): Promise<{ readonly seen: readonly Seen[]; readonly stdout: string }> {
  const runtime = createHookRuntime({ dialects: [] });
  onTestFinished(() => runtime.close());
  const session = await runtime.open({ scene: { sessionId: "s", cwd: "/p" } });
  const seen: Seen[] = [];
  session.on("tool.before", ({ tool, aliases = [], args }) => {
    seen.push([tool, aliases, args]);
    return answer(tool, args);
  });
  const host = await HOSTS[name]?.();
  const [native = "", payload] = ENVELOPES[name] ?? [];
  const event = host?.events[native];
  const call = event?.read({ ...payload?.(tool, { text: "x" }), ...more }, {});
  if (event === undefined || call === undefined) throw new Error(`no event ${native}`);
  const { stdout } = await event.ask(call, hooksOf(session, servers));
  return { seen, stdout };
}

/** A host's name of a tool, the servers that are configured there, and the names under which hooks know the tool. */
const NAMES: readonly (readonly [host: string, own: string, servers: readonly string[], full: readonly string[]])[] = [
  ["gemini", "mcp_rig_echo", ["rig"], ["mcp__rig__echo"]],
  ["gemini", "mcp_my_rig_get_it", ["my_rig"], ["mcp__my_rig__get_it"]],
  ["gemini", "rig__echo", [], ["mcp__rig__echo"]],
  ["copilot", "rig-echo", ["rig"], ["mcp__rig__echo"]],
  ["copilot", "my-rig-get-it", ["my-rig"], ["mcp__my-rig__get-it"]],
  ["copilot", "my-rig-get-it", ["my", "my-rig"], ["mcp__my-rig__get-it", "mcp__my__rig-get-it"]],
  ["copilot", "a-b-c", [], ["mcp__a__b-c", "mcp__a-b__c"]],
  ["copilot", "rig/echo", ["rig"], ["mcp__rig__echo"]],
  ["opencode", "my_rig_get_it", ["my.rig"], ["mcp__my_rig__get_it", "mcp__my.rig__get_it"]],
  ["omp", "mcp__rig_echo", ["rig"], ["mcp__rig__echo", "mcp__rig__rig_echo"]],
  [
    "omp",
    "mcp__my_rig_echo",
    ["My.Rig"],
    ["mcp__My_Rig__echo", "mcp__My_Rig__My_Rig_echo", "mcp__My.Rig__echo", "mcp__My.Rig__My_Rig_echo"],
  ],
  ["omp", "mcp__rig_echo", [], ["mcp__rig__echo"]],
  ["cursor", "MCP:echo", ["rig"], ["mcp__rig__echo"]],
];

describe("a tool of an MCP server", () => {
  it.each(NAMES)("that %s calls %s, with servers %j, is asked about by each of its names", async (...row) => {
    const [host, own, servers, [shown = "", ...others]] = row;
    const { seen } = await ask(host, own, servers);
    expect(seen).toEqual([
      [shown, others, { text: "x" }],
      [own, [], { text: "x" }],
    ]);
    for (const name of [shown, own]) {
      const guard = (tool: string): object | undefined =>
        tool === name ? { decision: "deny", reason: "NO" } : undefined;
      expect((await ask(host, own, servers, guard)).stdout).toContain("NO");
    }
  });

  it.each([
    ["codex", "mcp__rig__echo"],
    ["qwen", "mcp__rig__echo"],
    ["claude", "mcp__rig__echo"],
    ["pi", "mcp__rig__echo"],
  ])("that %s calls %s is asked about once", async (host, own) => {
    const { seen } = await ask(host, own, ["rig"]);
    expect(seen.map(([tool]) => tool)).toEqual([own]);
  });

  it("has in Gemini CLI the names that its own payload tells, also where its name was cut", async () => {
    const about = { mcp_context: { server_name: "my server", tool_name: "get.it" } };
    const { seen } = await ask("gemini", "mcp_my_ser...it", [], undefined, about);
    expect(seen.map(([tool]) => tool)).toEqual(["mcp__my_server__get_it", "mcp_my_ser...it"]);
  });

  it("is rewritten once by a hook that looks at no name", async () => {
    const sign = (_: string, { text }: Args): object => ({ args: { text: `${String(text)} signed` } });
    const { stdout } = await ask("copilot", "rig-echo", ["rig"], sign);
    expect(JSON.parse(stdout)).toMatchObject({ modifiedArgs: { text: "x signed" } });
    const byOwnName = (tool: string): object | undefined => (tool === "rig-echo" ? { args: { text: "y" } } : undefined);
    const other = await ask("copilot", "rig-echo", ["rig"], byOwnName);
    expect(JSON.parse(other.stdout)).toMatchObject({ modifiedArgs: { text: "y" } });
  });

  it("tells a result once, by all of its names", async () => {
    const runtime = createHookRuntime({ dialects: [] });
    onTestFinished(() => runtime.close());
    const session = await runtime.open({ scene: { sessionId: "s", cwd: "/p" } });
    const seen: unknown[] = [];
    session.on("tool.after", ({ tool, aliases }) => void seen.push([tool, aliases]));
    const event = (await HOSTS["omp"]?.())?.events["tool_result"];
    const told = { toolCallId: "c", toolName: "mcp__rig_echo", input: {}, content: [], isError: false };
    const call = event?.read({ session: "s", event: told }, {});
    if (call !== undefined) await event?.ask(call, hooksOf(session, ["rig"]));
    expect(seen).toEqual([["mcp__rig__echo", ["mcp__rig_echo", "mcp__rig__rig_echo"]]]);
  });
});

describe("the servers of a host", () => {
  const of = async (place: Place, name: string, env: Readonly<Record<string, string>> = {}) => {
    const host = await HOSTS[name]?.();
    return host && configuredServers(host, { cwd: place.project, home: place.home, env });
  };

  it("are those of its own files, the person's and the project's up to its root", async () => {
    using place = new Place();
    place.write(".git/HEAD", "");
    place.write("~/.gemini/settings.json", '{ "mcpServers": { "one": {} } } // the person\'s');
    place.write(".gemini/settings.json", '{ "mcpServers": { "two": {}, /* more */ "three": {}, } }');
    place.write("sub/.gemini/settings.json", '\ufeff{ "mcpServers": { "four": {}, "one": {} } }');
    place.project = place.at("sub");
    expect(await of(place, "gemini")).toEqual(["one", "four", "two", "three"]);
    expect(await of(place, "copilot")).toEqual([]);
  });

  it("are found under each key that agents use, and where a variable puts the file", async () => {
    using place = new Place();
    place.write("~/.config/opencode/opencode.jsonc", '{ "mcp": { "a": { "url": "http://x//y" } } }');
    place.write(".vscode/mcp.json", '{ "servers": { "b": {} } }');
    place.write("~/moved/mcp-config.json", '{ "mcpServers": { "c": {} } }');
    expect(await of(place, "opencode")).toEqual(["a"]);
    expect(await of(place, "copilot", { COPILOT_HOME: place.at("~/moved") })).toEqual(["c", "b"]);
    place.write(".vscode/mcp.json", '{ "mcp": { "servers": { "d": {} } } }');
    expect(await of(place, "omp")).toEqual(["d"]);
  });

  it("are none where a file cannot be read", async () => {
    using place = new Place();
    for (const text of ["", "{", "[]", '{ "mcpServers": ["a"] }', "\u0000"]) {
      place.write("~/.copilot/mcp-config.json", text);
      expect(await of(place, "copilot")).toEqual([]);
    }
  });
});
