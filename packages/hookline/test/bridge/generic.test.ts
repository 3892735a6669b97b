import { catalog } from "@hookline/runtime/engine";
import { describe, expect, test } from "vitest";
import { ANSWERED } from "../../../integrations/src/hosts.ts";
import { Desk } from "./at-desk.ts";
import { opened } from "./support/opened.ts";

const generic = await (ANSWERED["generic"] as NonNullable<(typeof ANSWERED)["generic"]>)();

const call = (tool: string, args: object, toolCallId = "1"): object => ({
  session: "s",
  payload: { toolCallId, tool, args },
});

describe("a program that asks by the catalogue's own names", () => {
  test("has every event of the catalogue, but what another one asks", () => {
    const missing = [...catalog.keys()].filter((name) => !Object.hasOwn(generic.events, name));
    expect(missing).toEqual(["agent.before-settle"]);
  });

  test("gets refusals, edits, context and feedback in the catalogue's words", async () => {
    const at = opened(generic);
    at.write(
      "~/.pi/agent/extensions/guard.ts",
      `export default (pi) => {
  pi.on("tool_call", (event) => {
    if (event.input.command?.includes("rm")) return { block: true, reason: "no rm" };
    if (event.input.command === "old") event.input.command = "new";
  });
  pi.on("tool_result", ({ content }) => ({ content: [{ type: "text", text: content[0].text.replace("key", "[key]") }] }));
};
`,
    );
    at.write("~/.jdata/agent/hooks.yaml", `stop:\n  - command: echo '{"retry_feedback":"go on"}'\n`);
    const said = async (event: string, sent: object): Promise<unknown> =>
      ((await at.ask(event, sent)) as { readonly answer: unknown }).answer;
    expect(await said("tool.before", call("bash", { command: "ls" }, "a"))).toEqual({});
    expect(await said("tool.before", call("bash", { command: "rm x" }, "b"))).toEqual({
      decision: "deny",
      reason: "no rm",
    });
    expect(await said("tool.before", call("bash", { command: "old" }, "c"))).toEqual({ args: { command: "new" } });
    // A tool of the program's own is judged by what it takes.
    expect(await said("tool.before", call("run_it", { command: "rm x" }, "d"))).toMatchObject({ decision: "deny" });
    const result = { content: [{ type: "text", text: "the key" }], details: {}, isError: false, blocked: false };
    expect(
      await said("tool.after", { session: "s", payload: { ...(call("bash", {}) as any).payload, ...result } }),
    ).toEqual({
      content: [{ type: "text", text: "the [key]" }],
    });
    const stop = { prompt: "p", reply: "r", messages: [], retryCount: 0, stopHookActive: false, cap: 5 };
    await said("prompt.before", { session: "s", payload: { text: "p" } });
    const rounds: unknown[] = [];
    for (let round = 0; round < 7; round++) rounds.push(await said("agent.stop", { session: "s", payload: stop }));
    expect(rounds).toEqual([...Array(5).fill({ feedback: "go on" }), {}, {}]);
    expect(await said("prompt.before", { session: "s", payload: { text: "another" } })).toEqual({});
    expect(await said("agent.stop", { session: "s", payload: stop })).toEqual({ feedback: "go on" });
  });

  test("is refused where a guard could not judge, and told what is wrong with what it sends", async () => {
    const at = opened(generic);
    at.write("~/.pi/agent/extensions/guard.ts", 'export default (pi) => pi.on("tool_call", () => undefined);\n');
    expect(await at.ask("tool.before", { session: "s", payload: { tool: "bash", args: {} } })).toMatchObject({
      answer: {
        decision: "deny",
        reason: "hookline: the payload of tool.before cannot be read: toolCallId: it is missing",
      },
    });
    expect(await at.ask("tool.before", call("bash", {}))).toMatchObject({
      answer: { decision: "deny", reason: expect.stringContaining('the call of bash has no text in "command"') },
    });
    expect(await at.ask("tool.before", "{")).toMatchObject({ answer: { decision: "deny" } });
    const result = { ...(call("bash", { command: "ls" }) as any).payload, content: [], isError: false };
    for (const [event, payload, problem] of [
      ["tool.after", result, "the payload of tool.after cannot be read: details: it is missing"],
      ["session.start", { reason: 7 }, "the payload of session.start cannot be read: reason: "],
      ["notify", [], "the payload is not a JSON object"],
    ] as const)
      expect(await at.ask(event, { session: "s", payload })).toEqual({
        exit: 2,
        stderr: expect.stringContaining(problem),
      });
    // No report is made of hooks in a program that sends what it has.
    const start = { session: "t", payload: { reason: "startup" } };
    expect(await at.ask("session.start", start)).toEqual({ v: 1, answer: {} });
    expect(await at.ask("no.event", {})).toEqual({ exit: 2, stderr: expect.stringContaining('no event "no.event"') });
  });

  test("asks from the command line, and is no agent that something is installed into", async () => {
    using desk = new Desk();
    desk.write(
      "~/.claude/settings.json",
      JSON.stringify({
        hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "echo no >&2; exit 2" }] }] },
      }),
    );
    const sent = JSON.stringify(call("bash", { command: "ls" }));
    const { code, out } = await desk.say(sent, "bridge", "call", "generic", "tool.before", "--one-shot");
    expect([code, JSON.parse(out)]).toMatchObject([0, { v: 1, answer: { decision: "deny", reason: "no" } }]);
    for (const words of [
      ["install", "generic", "--yes"],
      ["status", "generic"],
      ["report", "generic"],
    ]) {
      const refused = await desk.run("bridge", ...words);
      expect(refused.code).not.toBe(0);
      expect(refused.err).toContain("nothing is installed into a program that asks by itself");
    }
    expect((await desk.run("bridge", "status")).out).not.toContain("your program");
  });
});
