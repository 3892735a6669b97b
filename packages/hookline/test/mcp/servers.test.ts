import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../runtime/test/laws/clock.ts";
import { processesWith, token } from "../../../runtime/test/process/programs.ts";
import { callForHook } from "../../src/mcp/hook-call.ts";
import { mcpTool } from "../../src/tool/mcp.ts";
import { validateArguments } from "../../src/tool/schema.ts";
import { makeFolder } from "../tool/folder.ts";
import { fixture, serverNamed, serversOf, until } from "./kit.ts";

const textOf = (result: { readonly content: readonly object[] }): string =>
  result.content.map((block) => ("text" in block ? String(block.text) : "")).join("");

/** A variable as a definition writes it. */
const variable = (name: string): string => `$\{${name}}`;

describe("an MCP server over stdin and stdout", () => {
  test("offers its tools from the next request on, and is sent what was judged", async () => {
    const { servers } = serversOf([fixture("one")]);
    expect([...servers.tools.keys()]).toEqual([]);
    await servers.beforeRequest();
    expect([...servers.tools.keys()]).toContain("mcp__one__echo");
    const args = { text: "a", "odd key": [1, { deep: null }] };
    const result = await serverNamed(servers, "one").callMcp("echo", args, {});
    expect(textOf(result)).toBe(`echo ${JSON.stringify(args)}`);
  });

  test("leaves no process behind, whatever it was doing", async () => {
    const mark = token();
    const { servers } = serversOf(["good", "deaf", "noise", "flood"].map((mode) => fixture(mode, mode, mark)));
    await until(() => serverNamed(servers, "good").state === "ready");
    const hanging = serverNamed(servers, "good").callMcp("hang", {}, {});
    expect(processesWith(mark).length).toBeGreaterThan(1);
    await Promise.all([servers.stop(), expect(hanging).rejects.toThrow("good")]);
    expect(processesWith(mark)).toEqual([]);
  });

  test("that never gets ready is named, and the request is sent without it", async () => {
    const clock = new ManualClock();
    const { servers, told } = serversOf([fixture("mute", "deaf"), fixture("one")], { waitMs: 1500, clock });
    const waiting = servers.beforeRequest();
    await until(() => serverNamed(servers, "one").state === "ready");
    clock.advance(1500);
    await waiting;
    expect(told).toEqual([
      "MCP servers that are not ready after 1.5 s: mute. The request is sent without their tools.",
    ]);
    expect([...servers.tools.keys()].some((name) => name.startsWith("mcp__mute"))).toBe(false);
  });

  test("that cannot be started says why; what its definition lacks is named", async () => {
    const { servers, told } = serversOf([
      { name: "gone", command: `${import.meta.dirname}/absent` },
      fixture("lacking", "good", "", {
        env: { A: variable("HOOKLINE_TEST_UNSET"), B: variable("HOOKLINE_TEST_UNSET:-b") },
      }),
      fixture("sick", "gone"),
    ]);
    await servers.beforeRequest();
    expect(servers.all.map(({ state }) => state)).toEqual(["unusable", "unusable", "failed"]);
    expect(told.sort()).toEqual([
      expect.stringMatching(/^The MCP server "gone" .*does not run: it could not be started: .*\/test\/mcp\/absent/),
      expect.stringContaining('"lacking" (/mcp.json) does not run: $HOOKLINE_TEST_UNSET of its definition is not set'),
      expect.stringMatching(/"sick".*exit code 3; its last words on stderr: out of order; it will be restarted in 1 s/),
    ]);
    await expect(serverNamed(servers, "sick").callMcp("echo", {}, {})).rejects.toThrow(
      'The MCP server "sick" cannot be used',
    );
  });

  test("that dies fails its calls at once, keeps its tools and is started again", async () => {
    const { servers } = serversOf([fixture("one")]);
    await servers.beforeRequest();
    const one = serverNamed(servers, "one");
    await expect(one.callMcp("die", {}, {})).rejects.toThrow(/The MCP server "one": .*exit code 9/);
    await expect(one.callMcp("echo", {}, {})).rejects.toThrow(/"one" cannot be used: it ended with exit code 9/);
    servers.offer();
    expect(servers.tools.has("mcp__one__echo")).toBe(true);
    await until(() => one.state === "ready");
    expect(textOf(await one.callMcp("echo", { text: "b" }, {}))).toBe('echo {"text":"b"}');
  });

  test("that hangs in a call is given up after its limit, and progress restarts the limit", async () => {
    const clock = new ManualClock();
    const { servers } = serversOf([fixture("one", "good", "", { timeoutMs: 1600 })], { clock });
    await servers.beforeRequest();
    const one = serverNamed(servers, "one");
    const givenUp = expect(one.callMcp("hang", {}, {})).rejects.toThrow(
      'The MCP server "one" did not answer within 1600 ms: the tool hang',
    );
    clock.advance(1600);
    await givenUp;
    const steps: string[] = [];
    const progressed = (text: string): void => {
      steps.push(text);
      clock.advance(1000);
    };
    const result = await one.callMcp("slow", {}, { progressed });
    expect(textOf(result)).toBe("slow is done");
    expect(steps).toContain("3 of 5");
  });

  test("is told that a call was aborted", async () => {
    const { servers, told } = serversOf([fixture("one")]);
    await servers.beforeRequest();
    const abort = new AbortController();
    const call = serverNamed(servers, "one").callMcp("hang", {}, { signal: abort.signal });
    abort.abort();
    await expect(call).rejects.toThrow("Operation aborted");
    expect(told).toEqual([]);
    expect(textOf(await serverNamed(servers, "one").callMcp("echo", {}, {}))).toBe("echo {}");
  });

  test("that writes endlessly is ended, and that is reported", async () => {
    const { servers, told } = serversOf([fixture("wild", "flood")]);
    await servers.beforeRequest();
    expect(told[0]).toContain("it sent a message of more than 8388608 bytes and was ended");
  });

  test("that writes noise between its messages still works", async () => {
    const { servers } = serversOf([fixture("loud", "noise")]);
    await servers.beforeRequest();
    expect(servers.tools.has("mcp__loud__echo")).toBe(true);
  });

  test("that breaks its own output schema makes the call fail", async () => {
    const { servers } = serversOf([fixture("one"), fixture("liar", "lie")]);
    await servers.beforeRequest();
    const outputs = makeFolder();
    const run = (name: string) => {
      const named = servers.tools.get(name);
      return named && mcpTool(named, outputs).execute("1", {}, undefined, undefined, undefined);
    };
    expect(await run("mcp__one__data")).toEqual({ content: [{ type: "text", text: '{"n":4}' }], details: { n: 4 } });
    await expect(run("mcp__liar__data")).rejects.toThrow(/"liar": .*output/i);
  });

  test("that changes a tool is reported by name; new tools are offered from the next request on", async () => {
    const { servers, told } = serversOf([fixture("one")]);
    await servers.beforeRequest();
    const one = serverNamed(servers, "one");
    await one.callMcp("change", {}, {});
    await until(() => one.tools.length === 2);
    expect(servers.tools.has("mcp__one__fresh")).toBe(false);
    await servers.beforeRequest();
    expect([...servers.tools.keys()]).toEqual(["mcp__one__echo", "mcp__one__fresh"]);
    expect(told).toEqual(['The MCP server "one" has changed the description of its tool mcp__one__echo.']);
    await servers.beforeRequest();
    expect(told).toHaveLength(1);
  });

  test("gets the roots, no model, and what a hook may see of its notifications", async () => {
    const { servers, told, notified } = serversOf([fixture("one")], { cwd: "/usr/bin" });
    await servers.beforeRequest();
    const one = serverNamed(servers, "one");
    expect(textOf(await one.callMcp("roots", {}, {}))).toBe('{"roots":[{"uri":"file:///usr/bin","name":"bin"}]}');
    expect(textOf(await one.callMcp("model", {}, {}))).toContain("-32601");
    expect(told).toEqual([expect.stringContaining("asked for sampling/createMessage, which is refused")]);
    await one.callMcp("notify", {}, {});
    expect(notified.map(([server, { params }]) => [server, params["data"]])).toEqual([
      ["one", 0],
      ["one", 1],
      ["one", 2],
    ]);
  });

  test("asks the person through its host, and the time of the answer does not count", async () => {
    const clock = new ManualClock();
    const { servers } = serversOf([fixture("one", "good", "", { timeoutMs: 1000 })], {
      clock,
      elicit: async (server, { message }) => {
        clock.advance(1500);
        return { action: "accept", content: { name: `${server} ${message.length}`, size: "small", sure: true } };
      },
    });
    await servers.beforeRequest();
    const said = JSON.parse(textOf(await serverNamed(servers, "one").callMcp("ask", {}, {}))) as object;
    expect(said).toMatchObject({ action: "accept", content: { size: "small", age: 7 } });
  });

  test("gets names that every provider accepts; a tool that is called otherwise is reported", async () => {
    const { servers, told } = serversOf([fixture("my server", "names")]);
    await servers.beforeRequest();
    const names = [...servers.tools.keys()];
    expect(names.slice(0, 2)).toEqual([
      expect.stringMatching(/^mcp__my_server__a_b_[0-9a-f]{6}$/),
      expect.stringMatching(/^mcp__my_server__a_b_[0-9a-f]{6}$/),
    ]);
    expect(names[0]).not.toBe(names[1]);
    expect(names.every((name) => name.length <= 64 && /^[\w-]+$/.test(name))).toBe(true);
    expect(told).toEqual([
      expect.stringContaining(`The MCP server "my server" offers a b as ${names[0]}, a.b as ${names[1]}, xxx`),
    ]);
  });

  test("that has other names now than a resumed session has called is named once", async () => {
    const calledBefore = (): string[] => ["mcp__my_server__a_b_2", "mcp__one__echo", "mcp__gone__echo"];
    const { servers, told } = serversOf([fixture("my server", "names"), fixture("one")], { calledBefore });
    await servers.beforeRequest();
    const [first, second] = [...servers.tools.keys()];
    const said = `This session called MCP tools by names that they no longer have: mcp__my_server__a_b_2 (now ${first} or ${second}).`;
    expect(told.filter((text) => text.startsWith("This session"))).toEqual([said]);
    await servers.beforeRequest();
    expect(told.filter((text) => text.startsWith("This session"))).toHaveLength(1);
  });

  test("checks itself what its schema refers to outside, because the agent cannot", async () => {
    const { servers } = serversOf([fixture("one")]);
    await servers.beforeRequest();
    const named = servers.tools.get("mcp__one__strict");
    const tool = named && mcpTool(named, makeFolder());
    const args = { a: { any: 1 }, b: { more: 2 } };
    expect(tool && validateArguments(tool, args)).toEqual(args);
    expect(() => tool && validateArguments(tool, "no object")).toThrow("must be object");
    expect(tool?.parameters).toHaveProperty("properties.a.$ref");
  });

  test("that says more than a model can read has the rest stored in a file", async () => {
    const { servers } = serversOf([fixture("one")]);
    await servers.beforeRequest();
    const named = servers.tools.get("mcp__one__big");
    const result = named && (await mcpTool(named, makeFolder()).execute("1", {}, undefined, undefined, undefined));
    expect(result && textOf(result)).toMatch(/\[Showing \d+ of 2000[01] lines\. Full output: \/.*\.log\]$/);
  });

  test("of a project sees the small environment, and what its definition sets", async () => {
    const env = { GIVEN: variable("HOOKLINE_GIVEN") };
    const { servers } = serversOf([fixture("one", "good", "", { env })], {
      tier: "project",
      env: { HOOKLINE_GIVEN: "yes" },
    });
    await servers.beforeRequest();
    const seen = JSON.parse(textOf(await serverNamed(servers, "one").callMcp("env", {}, {}))) as object;
    expect(seen).toMatchObject({ GIVEN: "yes", PATH: expect.any(String) });
    expect(Object.keys(seen)).not.toContain("VITEST");
  });

  test.each(["user", "project"] as const)("of the %s is called by hooks of its own tier and below", async (tier) => {
    const { servers } = serversOf([fixture("one")], { tier });
    const signal = new AbortController().signal;
    const call = (by: "user" | "project") =>
      callForHook(servers, { server: "one", tool: "echo", input: {}, tier: by, signal });
    expect(await call("project")).toEqual({ text: "echo {}", isError: false });
    const byPerson = await call("user").catch(String);
    if (tier === "user") expect(byPerson).toEqual({ text: "echo {}", isError: false });
    else expect(byPerson).toContain('"one" belongs to the project, and the person\'s own hooks do not call it');
  });
});
