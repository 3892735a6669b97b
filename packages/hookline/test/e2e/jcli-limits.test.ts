import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { type Ran, Workplace } from "../support/cli.ts";
import { type Loopback, type LoopbackScript, startLoopback } from "../support/loopback.ts";

let place: Workplace;
let server: Loopback | undefined;

beforeEach(() => {
  place = new Workplace();
});

afterEach(async () => {
  await server?.close();
  server = undefined;
  place.remove();
});

async function run(hooks: string, replies: LoopbackScript, args: readonly string[] = ["-p", "go"]): Promise<Ran> {
  place.write("~/.jdata/agent/hooks.yaml", hooks);
  server = await startLoopback(replies);
  const endpoint = ["--api", "openai-completions", "--base-url", `${server.url}/v1`, "--model", "test/m"];
  return place.run([...endpoint, ...args]);
}

const write = (path: string) => ({ name: "write", arguments: { path, content: "x" } });
const made = (name: string): boolean => existsSync(join(place.project, name));
const results = (at: number): string[] =>
  server?.requests[at]?.body.messages.flatMap((one: any) =>
    one.role === "tool" ? [typeof one.content === "string" ? one.content : one.content[0].text] : [],
  );

/** A time to sleep for that no other run of these tests uses at the same time, by which its processes are found. */
const LONG = String(1_000_000_000 + process.pid);

/** Processes whose command line holds a word; looked for where the system shows them. */
function processesWith(word: string): string[] {
  if (!existsSync("/proc/self/cmdline")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        return line.includes(word) ? [`${pid} ${line}`] : [];
      } catch {
        return [];
      }
    });
}

test.each([
  ["exits with an error", "exit 3"],
  ["prints no answer", "echo hello"],
  ["is killed", "kill -9 $$"],
  ["cannot be found", join(NO_HOME, "guard")],
  ["answers with an unknown action", `echo '{"action":"SKIP"}'`],
  ["takes too long", `sleep ${LONG}`, 1],
])(
  "a guard with on_error abort that %s lets neither this call nor the next one run",
  async (_what, command, timeout = 5) => {
    const hooks = `pre_tool_execution:\n  - {command: ${JSON.stringify(command)}, on_error: abort, timeout: ${timeout}, filter: {tool_name: Write}}\n`;
    const ran = await run(hooks, [{ toolCalls: [write("a"), write("b")] }, { text: "done" }]);
    expect(ran.code).toBe(0);
    expect([made("a"), made("b")]).toEqual([false, false]);
    expect(results(1)).toHaveLength(2);
    expect(processesWith(LONG)).toEqual([]);
  },
);

test("a guard with the default on_error that breaks lets the call run, and the person is told", async () => {
  const command = "echo connecting >&2; echo cannot connect to audit server >&2; exit 3";
  const hooks = `pre_tool_execution:\n  - command: ${command}\n`;
  const ran = await run(hooks, [{ toolCalls: [write("a")] }, { text: "done" }]);
  expect(made("a")).toBe(true);
  expect(ran.err).toBe(
    "⚠ ~/.jdata/agent/hooks.yaml:2 failed (exit 3: cannot connect to audit server); the call went on · `hookline hooks`\n",
  );
});

test("a timeout ends everything that a script has started, whatever it does to prevent that", async () => {
  const script = `trap '' TERM; (sleep ${LONG} & sleep ${LONG}) & sleep ${LONG} | sleep ${LONG}`;
  const ran = await run(`pre_send_message:\n  - {command: ${JSON.stringify(script)}, timeout: 1}\n`, [
    { text: "done" },
  ]);
  expect(ran).toMatchObject({ code: 0, out: "done\n" });
  expect(ran.err).toMatch(/hooks\.yaml:2 failed \(no answer within 1000 ms\); the prompt went on/);
  expect(processesWith(LONG)).toEqual([]);
});

test("a failing script is run again as often as retry says, and its answer counts as soon as it has one", async () => {
  const script = `cat > /dev/null; echo x >> tries; [ $(wc -l < tries) -ge 3 ] && echo '{"user_input":"third"}'`;
  const ran = await run(`pre_send_message:\n  - {command: ${JSON.stringify(script)}, retry: 5}\n`, [{ text: "done" }]);
  expect(ran.code).toBe(0);
  expect(readFileSync(join(place.project, "tries"), "utf8")).toBe("x\nx\nx\n");
  expect(JSON.stringify(server?.requests[0]?.body.messages)).toContain("third");
  const stats = JSON.parse((await place.run(["hooks", "stats", "--json"])).out);
  expect(stats.hooks).toMatchObject([{ event: "pre_send_message", runs: 3, ok: 1, failed: 2 }]);
});

test("a stop hook that always objects ends at the cap, with a notice", async () => {
  const objection = `cat > /dev/null; echo '{"retry_feedback":"Not yet."}'`;
  const ran = await run(`stop:\n  - command: ${JSON.stringify(objection)}\n`, (_request, at) => ({
    text: `reply ${at + 1}`,
  }));
  expect(ran).toMatchObject({ code: 0, out: "reply 6\n" });
  expect(server?.requests).toHaveLength(6);
  expect(ran.err).toMatch(/cap|limit/i);
  const last = JSON.stringify(server?.requests.at(-1)?.body.messages);
  expect(last.match(/Not yet\./g)).toHaveLength(5);
});

test("toasts and feedback are visible to the person, in text and to a JSON client", async () => {
  const hooks = `post_llm_response:
  - command: |
      grep -q '"assistant_output":"one"' && echo '{"action":"stop","retry_feedback":"Again.","system_message":"one is not enough"}' || true
`;
  const text = await run(hooks, [{ text: "one" }, { text: "two" }]);
  expect(text).toMatchObject({ code: 0, out: "two\n" });
  expect(text.err).toContain("one is not enough");
  await server?.close();
  const json = await run(hooks, [{ text: "one" }, { text: "two" }], ["--mode", "json", "go"]);
  const events = json.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events).toContainEqual(expect.objectContaining({ type: "notice", text: "one is not enough" }));
  const said = events.flatMap(({ type, message }) =>
    type === "message_end" && message.role === "user" ? [JSON.stringify(message.content)] : [],
  );
  expect(said).toHaveLength(2);
  expect(said[1]).toContain("Again.");
});

test("post_send_message is told about feedback that pre_llm_request sends, and nothing else about what it replaced [jcli.feedback.1]", async () => {
  const log = join(place.home, "sent.log");
  const once = `[ -e ${place.home}/asked ] || { touch ${place.home}/asked; echo '{"action":"stop","retry_feedback":"FB-2"}'; }`;
  const hooks = [
    "pre_llm_request:",
    `  - command: ${JSON.stringify(once)}`,
    "post_send_message:",
    `  - command: ${JSON.stringify(`sed -E 's/.*"user_input":"([^"]*)".*/\\1/' >> ${log}; echo >> ${log}`)}`,
    "",
  ].join("\n");
  const ran = await run(hooks, [{ text: "done" }], ["-p", "hello"]);
  expect(ran.code).toBe(0);
  expect(readFileSync(log, "utf8").split("\n").filter(Boolean)).toEqual(["hello", "FB-2"]);
  expect(server?.requests).toHaveLength(1);
});
