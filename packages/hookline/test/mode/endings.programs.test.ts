import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Program, startProgram } from "../agent/program.ts";
import type { LoopbackReply } from "../support/loopback.ts";

/** An extension that writes down that its session has ended, and each turn that begins after a signal was seen. */
const module = (body: string): Record<string, string> => ({
  ".pi/extensions/e.ts": `import { appendFileSync } from "node:fs";
export default function (pi) {
  let n = 0;
  let isEnding = false;
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => (isEnding = true));
  pi.on("turn_start", () => { if (isEnding) appendFileSync("late.log", "a turn\\n"); });
  const again = (options) => pi.sendMessage({ customType: "again", content: "again " + ++n, display: true }, options);
  pi.on("session_shutdown", () => appendFileSync("shutdown.log", "called\\n"));
${body}
}
`,
});

/** Ways in which extensions keep an agent going. */
const LOOPS: Readonly<Record<string, string>> = {
  "a follow-up in agent_end": 'pi.on("agent_end", () => again({ deliverAs: "followUp", triggerTurn: true }));',
  "a turn in agent_settled": 'pi.on("agent_settled", () => again({ triggerTurn: true }));',
  "steering in turn_end": 'pi.on("turn_end", () => again({ deliverAs: "steer" }));',
  "a user message in agent_end": 'pi.on("agent_end", () => pi.sendUserMessage("again", { deliverAs: "followUp" }));',
  "a user message in agent_settled": 'pi.on("agent_settled", () => pi.sendUserMessage("again"));',
};

const called = (program: Program): string => readFileSync(join(program.project, "shutdown.log"), "utf8");

/** How many turns began after the program had seen the signal. */
const late = ({ project }: Program): number =>
  existsSync(join(project, "late.log")) ? readFileSync(join(project, "late.log"), "utf8").split("\n").length - 1 : 0;

/** Replies without end, of which every second one calls a tool; counts the requests. */
function endless(): { readonly count: () => number; readonly replies: () => LoopbackReply } {
  let count = 0;
  const replies = (): LoopbackReply => {
    count += 1;
    const call = { name: "bash", arguments: { command: "echo ran >> ran.log" } };
    return count % 2 === 0 ? { toolCalls: [call] } : { text: `reply ${count}` };
  };
  return { count: () => count, replies };
}

async function looping(program: Program, count: () => number): Promise<void> {
  await expect.poll(count, { timeout: 120_000 }).toBeGreaterThan(6);
  expect(program.child.exitCode).toBeNull();
}

describe("a signal ends what hooks keep going", () => {
  const signals = [
    ["SIGTERM", 143, ["-p", "Go"]],
    ["SIGINT", 130, ["--mode", "json", "Go"]],
  ] as const;
  test.each(Object.entries(LOOPS).map(([name, body], i) => [name, body, ...(signals[i % 2] ?? signals[0])] as const))(
    "%s",
    async (_, body, signal, code, args) => {
      const { count, replies } = endless();
      const program = await startProgram({ replies, args, files: module(body) });
      await looping(program, count);
      program.child.kill(signal);
      expect((await program.finished).code).toBe(code);
      expect(late(program)).toBe(0);
      expect(called(program)).toBe("called\n");
    },
  );

  test("in RPC mode too", async () => {
    const { count, replies } = endless();
    const program = await startProgram({
      replies,
      args: ["--mode", "rpc"],
      stdin: "open",
      files: module(LOOPS["a follow-up in agent_end"] ?? ""),
    });
    program.send({ type: "prompt", message: "Go" });
    await looping(program, count);
    program.child.kill("SIGTERM");
    expect((await program.finished).code).toBe(143);
    expect(late(program)).toBe(0);
    expect(called(program)).toBe("called\n");
  });

  test.each(["text: again", "toolCalls: [{ name: nothing }]"])("with a scripted model: %s", async (reply) => {
    const program = await startProgram({
      replies: [],
      args: ["--script", "script.yaml", "-p", "Go"],
      files: {
        "script.yaml": `replies:\n  - ${reply}\n    repeat: true\n`,
        ...module(
          `${LOOPS["a follow-up in agent_end"]}\npi.on("turn_start", () => { if (++n === 51) console.error("fifty"); });`,
        ),
        "~/.hookline/settings.json": '{ "hookTurnCap": 0 }',
      },
    });
    await program.saw("fifty");
    program.child.kill("SIGTERM");
    expect((await program.finished).code).toBe(143);
    expect(called(program)).toBe("called\n");
  });
});

describe("hooks hear of the end", () => {
  test("of a run that was signalled while they were told of its start", async () => {
    const program = await startProgram({
      replies: [],
      args: ["-p", "Go"],
      files: module(
        'pi.on("session_start", () => { console.error("starting"); return new Promise(() => setInterval(() => {}, 1000)); });',
      ),
    });
    await program.saw("starting");
    program.child.kill("SIGTERM");
    expect((await program.finished).code).toBe(143);
    expect(called(program)).toBe("called\n");
  });

  test("if a handler of agent_end hangs", async () => {
    const program = await startProgram({
      replies: [{ text: "done" }],
      args: ["-p", "Go"],
      files: module(
        'pi.on("agent_end", () => { console.error("hanging"); return new Promise(() => setInterval(() => {}, 1000)); });\npi.on("agent_settled", () => new Promise(() => {}));',
      ),
    });
    await program.saw("hanging");
    program.child.kill("SIGTERM");
    expect((await program.finished).code).toBe(143);
    expect(called(program)).toBe("called\n");
  });

  test("and messages that they send then start no turn, and a loop does not hold up shutdown()", async () => {
    const { count, replies } = endless();
    const program = await startProgram({
      replies,
      args: ["-p", "Go"],
      files: module(
        `${LOOPS["a turn in agent_settled"]}\npi.on("turn_start", (_, ctx) => { if (n === 5) ctx.shutdown(); });\npi.on("session_shutdown", () => again({ triggerTurn: true }));`,
      ),
    });
    expect((await program.finished).code).toBe(0);
    expect(called(program)).toBe("called\n");
    expect(count()).toBeLessThan(20);
  });
});

describe("a client of the RPC mode", () => {
  test.each(Object.entries(LOOPS).slice(0, 3))("ends with one abort %s", async (_, body) => {
    const { count, replies } = endless();
    const program = await startProgram({ replies, args: ["--mode", "rpc"], stdin: "open", files: module(body) });
    program.send({ type: "prompt", message: "Go" });
    await looping(program, count);
    program.send({ type: "abort", id: "a" });
    expect(await program.line(({ id }) => id === "a")).toMatchObject({ success: true });
    program.send({ type: "get_state", id: "s" });
    const state = await program.line(({ id }) => id === "s");
    const before = count();
    expect(state.data).toMatchObject({ isStreaming: false, pendingMessageCount: 0 });
    program.send({ type: "get_messages", id: "m" });
    await program.line(({ id }) => id === "m");
    expect(count()).toBe(before);
    program.child.stdin.end();
    expect((await program.finished).code).toBe(0);
    expect(called(program)).toBe("called\n");
  });

  test.each([
    ["a loop", LOOPS["a follow-up in agent_end"] ?? "", undefined],
    ["a model that does not answer", "", { fault: "hang" } as const],
  ])("that leaves is not worked for any longer: %s", async (_, body, reply) => {
    const { count, replies } = endless();
    const program = await startProgram({
      replies: () => ({ ...replies(), ...reply }),
      args: ["--mode", "rpc"],
      stdin: "open",
      files: module(body),
    });
    program.send({ type: "prompt", message: "Go" });
    if (reply === undefined) await looping(program, count);
    else await expect.poll(count, { timeout: 120_000 }).toBe(1);
    program.child.stdin.end();
    const before = count();
    expect((await program.finished).code).toBe(0);
    expect(count() - before).toBeLessThanOrEqual(1);
    expect(called(program)).toBe("called\n");
  });
});

test("a print run that hooks keep going is reported, and stopped at hookTurnCap with 3", async () => {
  const program = await startProgram({
    replies: endless().replies,
    args: ["-p", "Go"],
    files: {
      ...module(LOOPS["a turn in agent_settled"] ?? ""),
      "~/.hookline/settings.json": '{ "hookTurnCap": 12 }',
    },
  });
  const { code, err } = await program.finished;
  expect(code).toBe(3);
  expect(err).toMatch(/e\.ts keeps the agent going: 10 turns since the last prompt\. Ctrl\+C stops it\./);
  expect(err).toMatch(/e\.ts has started 12 turns since the last prompt, which is the limit \(hookTurnCap\)/);
  expect(called(program)).toBe("called\n");
});
