import { describe, expect, test } from "vitest";
import { startProgram } from "./program.ts";

const extension = (body: string) => ({ ".pi/extensions/e.ts": `export default function (pi) {\n${body}\n}\n` });

describe("print mode as a process", () => {
  test("what modules write to stdout does not get into the answer", async () => {
    const program = await startProgram({
      replies: [{ text: "the answer" }],
      args: ["-p", "Ask"],
      files: extension(
        'console.log("at load");\npi.on("agent_start", () => { console.log("in a hook"); process.stdout.write("raw\\n"); });',
      ),
    });
    const { code, out, err } = await program.finished;
    expect(code).toBe(0);
    expect(out).toBe("the answer\n");
    expect(err).toMatch(/at load[\s\S]*in a hook[\s\S]*raw/);
  });

  test("JSON mode gives the header and then events only, without the reply so far in each piece", async () => {
    const program = await startProgram({
      replies: [{ text: "some words that come in pieces" }],
      args: ["--mode", "json", "Ask"],
      files: extension('console.log("noise");'),
    });
    await program.finished;
    const [header, ...events] = program.lines;
    expect(header).toMatchObject({ type: "session", version: 3 });
    expect(events[0]).toEqual({ type: "agent_start" });
    expect(events.at(-1)).toEqual({ type: "agent_settled", aborted: false });
    const updates = events.filter(({ type }) => type === "message_update");
    expect(updates.length).toBeGreaterThan(2);
    for (const update of updates) expect(update.assistantMessageEvent).not.toHaveProperty("partial");
  });

  test("a built-in command's text is the output", async () => {
    const program = await startProgram({ replies: [], args: ["-p", "/session"] });
    const { code, out } = await program.finished;
    expect(code).toBe(0);
    expect(out).toMatch(/^Session [0-9a-f-]+\n/);
  });

  test("a command that fails exits with 1 and says why", async () => {
    const program = await startProgram({ replies: [], args: ["-p", "/fork nowhere"] });
    const { code, err } = await program.finished;
    expect(code).toBe(1);
    expect(err).toContain("Invalid entry ID for forking");
  });

  test("a closed reader ends the run quietly, and its hooks are told of the end", async () => {
    const program = await startProgram({
      replies: [{ text: "first" }, { text: "word ".repeat(2000), tokensPerSecond: 50 }],
      args: ["--mode", "json", "One", "Two"],
      files: extension('pi.on("session_shutdown", () => { console.error("goodbye"); });'),
    });
    await program.line(({ type }) => type === "agent_settled");
    program.child.stdout.destroy();
    const { code, err } = await program.finished;
    expect({ code, err }).toEqual({ code: 141, err: "goodbye\n" });
  });

  test("an answer that nobody reads is not a failure", async () => {
    const program = await startProgram({ replies: [{ text: "the answer" }], args: ["-p", "Ask"] });
    program.child.stdout.destroy();
    const { code, err } = await program.finished;
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s ends the run with %i after the hooks have heard of it", async (signal, expected) => {
    const program = await startProgram({
      replies: [{ fault: "hang" }],
      args: ["-p", "Wait"],
      files: extension(
        'pi.on("before_provider_request", () => { console.error("asked"); });\npi.on("session_shutdown", () => { console.error("goodbye"); });',
      ),
    });
    await program.saw("asked");
    program.child.kill(signal);
    const { code, err } = await program.finished;
    expect(code).toBe(expected);
    expect(err).toContain("goodbye");
  });

  test("a shutdown hook that hangs does not hold up a signalled run, and a second signal ends it immediately", async () => {
    const program = await startProgram({
      replies: [{ fault: "hang" }],
      args: ["-p", "Wait"],
      files: extension(
        'pi.on("before_provider_request", () => { console.error("asked"); });\npi.on("session_shutdown", () => { console.error("hanging"); return new Promise(() => setInterval(() => {}, 1000)); });',
      ),
    });
    await program.saw("asked");
    program.child.kill("SIGTERM");
    await program.saw("hanging");
    program.child.kill("SIGTERM");
    expect((await program.finished).code).toBe(143);
  });

  test("the last hooks are named when they take long at a normal exit, and Ctrl+C skips them", async () => {
    const program = await startProgram({
      replies: [{ text: "the answer" }],
      args: ["-p", "Ask"],
      files: extension(
        `pi.on("session_shutdown", () => {});
         pi.on("session_shutdown", () => new Promise(() => setInterval(() => {}, 1000)));
         pi.on("session_shutdown", () => {});`,
      ),
    });
    await program.saw("Waiting for the end of");
    program.child.kill("SIGINT");
    const { code, out, err } = await program.finished;
    expect(code).toBe(0);
    expect(out).toBe("the answer\n");
    expect(err).toMatch(/Waiting for the end of pi:.*e\.ts#session_shutdown\[1\] \(Ctrl\+C skips\)/);
  });

  test("a run that can make no progress exits with 1, never with 0", async () => {
    const program = await startProgram({
      replies: [{ toolCalls: [{ name: "stuck" }] }],
      args: ["-p", "Wait"],
      files: extension(
        'pi.registerTool({ name: "stuck", description: "", parameters: { type: "object", properties: {} }, execute: () => new Promise(() => {}) });',
      ),
    });
    const { code, out, err } = await program.finished;
    expect(code).toBe(1);
    expect(out).toBe("");
    expect(err).toContain("The run cannot end");
  });

  test("work that a hook starts by itself is finished before the process ends", async () => {
    const program = await startProgram({
      replies: [{ text: "one" }, { text: "two" }],
      args: ["-p", "Begin"],
      files: extension(
        'let sent = false;\npi.on("agent_settled", () => { if (!sent) pi.sendMessage({ customType: "more", content: "more", display: true }, { triggerTurn: true }); sent = true; });\npi.on("agent_end", ({ messages }) => { console.error("end of", messages.length); });',
      ),
    });
    const { code, err } = await program.finished;
    expect(code).toBe(0);
    expect(err.match(/end of 2/g)).toHaveLength(2);
  });
});
