import { describe, expect, test } from "vitest";
import { type Finished, startProgram } from "../agent/program.ts";
import type { LoopbackRequest } from "../support/loopback.ts";

const SECRET = "S-for-the-person";

/** Runs print mode once with handlers of the library; the model makes a call, then is done. */
async function run(handlers: string, args: readonly string[] = ["-p", "Look"]): Promise<Finished & { sent: string }> {
  const requests: LoopbackRequest[] = [];
  const program = await startProgram({
    args,
    files: {
      "~/library-handlers.mjs": `export default (hooks) => { ${handlers} };`,
      "~/.hookline/prompts/review.md": "Review $1.",
      "~/again.ts": `export default (pi) => {
        let count = 0;
        pi.on("agent_settled", () => { if (count++ === 0) pi.sendUserMessage("Again"); });
      };`,
    },
    replies: (request, index) => {
      requests.push(request);
      return index === 0 ? { toolCalls: [{ name: "ls" }] } : { text: "the reply" };
    },
  });
  const finished = await program.finished;
  return { ...finished, sent: JSON.stringify(requests.map(({ body }) => body.messages)) };
}

describe("in print mode a halt ends the run with 3, and its reason is told on stderr alone", () => {
  test.each([
    ["tool.before", 1],
    ["tool.after", 1],
    ["turn.end", 1],
    ["prompt.before", 0],
    ["session.start", 0],
  ])("%s", async (event, requests) => {
    const { code, out, err, sent } = await run(`hooks.on("${event}", () => ({ halt: { reason: "${SECRET}" } }));`);
    expect({ code, out }).toEqual({ code: 3, out: "" });
    expect(err.match(new RegExp(SECRET, "g"))).toHaveLength(1);
    expect(JSON.parse(sent)).toHaveLength(requests);
    expect(sent).not.toContain(SECRET);
  });

  test("prompt.expand", async () => {
    const stops = 'hooks.on("prompt.expand", () => ({ stop: true, reason: "no reviews" }));';
    const stopped = await run(stops, ["-p", "/review a.ts"]);
    expect(stopped).toMatchObject({ code: 3, out: "", sent: "[]" });
    expect(stopped.err).toMatch(/^no reviews$/m);
    const halts = `hooks.on("prompt.expand", () => ({ halt: { reason: "${SECRET}" } }));`;
    expect(await run(halts, ["-p", "/review a.ts"])).toMatchObject({ code: 3, sent: "[]" });
  });
});

test("the reason of a stopped prompt is told on stderr, and the run ends with 3", async () => {
  const { code, out, err, sent } = await run('hooks.on("prompt.before", () => ({ stop: true, reason: "not today" }));');
  expect({ code, out, sent }).toEqual({ code: 3, out: "", sent: "[]" });
  expect(err).toMatch(/^not today$/m);
});

describe("a run that was given no prompt", () => {
  const FIRST = 'hooks.on("session.start", () => ({ firstMessage: "!touch x", additionalContext: "branch: main" }));';

  test("starts with a hook's first message, which is not a command, after what hooks add for the model", async () => {
    const { code, out, sent } = await run(FIRST, ["-p"]);
    expect({ code, out }).toEqual({ code: 0, out: "the reply\n" });
    const texts = JSON.stringify(JSON.parse(sent)[0].slice(1));
    expect(texts).toMatch(/branch: main.*!touch x/);
  });

  test("is a usage error if no hook has one, and stopped if a hook ends the session", async () => {
    const none = await run("", ["-p"]);
    expect(none).toMatchObject({ code: 2, sent: "[]" });
    expect(none.err).toContain("There is no prompt.");
    const ended = await run(`hooks.on("session.start", () => ({ halt: { reason: "${SECRET}" } }));`, ["-p"]);
    expect(ended).toMatchObject({ code: 3, sent: "[]" });
    expect(ended.err).toContain(SECRET);
  });

  test("if a prompt was given, the hook's is reported as unused", async () => {
    const { code, err, sent } = await run(FIRST);
    expect(code).toBe(0);
    expect(err).toContain("A hook's first message was not sent: a prompt was given.");
    expect(sent).not.toContain("!touch");
  });
});

test("a run that one hook starts and another one ends also exits with 3", async () => {
  const { code, err } = await run(
    `
    let sent = false;
    hooks.on("input", ({ source }) => void (sent ||= source === "extension"));
    hooks.on("turn.end", () => (sent ? { halt: { reason: "${SECRET}" } } : undefined));
  `,
    ["-e", "../home/again.ts", "-p", "Look"],
  );
  expect(code).toBe(3);
  expect(err.match(new RegExp(SECRET, "g"))).toHaveLength(1);
});

test("in JSON mode the halt's reason is on stderr too, and the stream ends in order", async () => {
  const { code, out, err } = await run(`hooks.on("tool.after", () => ({ halt: { reason: "${SECRET}" } }));`, [
    "--mode",
    "json",
    "Look",
  ]);
  const types = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).type);
  expect(code).toBe(3);
  expect(types).toContain("agent_end");
  expect(out).not.toContain(SECRET);
  expect(err).toContain(SECRET);
});
