import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ProcessCall, ProcessReport, ProcessTransport } from "../../../runtime/src/port/process.ts";
import { Bench, call, codes, flatHistory, request, result, stopping } from "./kit.ts";

/** One command on one event. */
const on = (event: string, command: string, more = "") =>
  `${event}:\n  - command: |\n${command.replace(/^/gm, "      ")}\n${more}`;

describe("a command", () => {
  it("[jcli.protocol.1][jcli.protocol.2][jcli.protocol.3][jcli.protocol.4][jcli.bash.1] is run by sh in the session's folder, with the event on stdin and in two variables", async () => {
    const bench = new Bench();
    bench.user(
      on("pre_tool_execution", 'x=$0; cat > in.json; pwd > pwd; env | grep ^JCLI_ | sort > env; echo "$x" > sh'),
    );
    const session = await bench.open();
    expect((await session.emit("tool.before", call())).answer).toEqual({});
    expect(bench.read("project/in.json")).toBe(
      `{"event":"pre_tool_execution","tool_name":"Bash","tool_arguments":"{\\"command\\":\\"ls\\"}","session_id":"s1","cwd":${JSON.stringify(bench.cwd)}}\n`,
    );
    expect(bench.read("project/pwd")).toBe(`${bench.cwd}\n`);
    expect(bench.read("project/env")).toBe(`JCLI_CWD=${bench.cwd}\nJCLI_HOOK_EVENT=pre_tool_execution\n`);
    expect(bench.read("project/sh").trim()).toBe("sh");
    expect(bench.diagnostics).toEqual([]);
  });

  it("[jcli.protocol.5] that prints nothing, a blank or {} changes nothing", async () => {
    const bench = new Bench();
    bench.user("pre_send_message:\n  - command: 'true'\n  - command: echo\n  - command: echo '{}'\n");
    const session = await bench.open();
    const outcome = await session.emit("prompt.before", { text: "x" });
    expect(outcome.answer).toEqual({});
    expect(outcome.diagnostics).toEqual([]);
    expect(session.hooks().map(({ hook }) => hook.metrics.ok)).toEqual([1, 1, 1]);
  });

  it.each([
    ["a log line on stdout", "echo hello", "HOOK_BAD_ANSWER"],
    ["a field of the wrong type", "echo '{\"user_input\":5}'", "HOOK_BAD_ANSWER"],
    ["an unknown action", 'echo \'{"action":"STOP"}\'', "HOOK_BAD_ANSWER"],
    ["bytes that are no UTF-8", 'printf \'{"user_input":"\\377"}\'', "HOOK_BAD_ANSWER"],
    ["an answer and exit 3", 'echo \'{"user_input":"a"}\'; exit 3', "HOOK_EXITED"],
    ["death by a signal", 'echo \'{"user_input":"a"}\'; kill -KILL $$', "HOOK_EXITED"],
    ["an unknown program", "no-such-program-here", "HOOK_EXITED"],
  ])("[jcli.protocol.6] with %s has failed, and nothing of its answer is used", async (_, command, code) => {
    const bench = new Bench();
    bench.user(on("pre_send_message", command));
    const session = await bench.open();
    const outcome = await session.emit("prompt.before", { text: "x" });
    expect(outcome.answer).toEqual({});
    expect(codes(outcome.diagnostics)).toEqual([code, "FAILED_OPEN"]);
    expect(outcome.diagnostics[0]?.message).toContain("hooks.yaml:2");
    expect(session.hooks()[0]?.hook.metrics).toMatchObject({ runs: 1, ok: 0, failed: 1 });
  });

  it("that takes too long is ended, and on_error decides", async () => {
    const bench = new Bench();
    bench.user("pre_send_message:\n  - {command: exec sleep 60, timeout: 1, on_error: abort}\n");
    const session = await bench.open();
    const outcome = await session.emit("prompt.before", { text: "x" });
    expect(outcome.answer).toEqual({ stop: true });
    expect(outcome.hooks[0]).toMatchObject({ status: "timed-out", problem: "no answer within 1000 ms" });
    expect(session.hooks()[0]?.hook.metrics.timedOut).toBe(1);
  });

  it("[jcli.protocol.8] is repeated after failures, and its first good answer counts", async () => {
    const bench = new Bench();
    bench.user(
      on(
        "pre_send_message",
        'echo x >> tries\n[ $(wc -l < tries) -ge 3 ] && echo \'{"user_input":"third"}\'',
        "    retry: 2\n",
      ),
    );
    const session = await bench.open();
    expect((await session.emit("prompt.before", { text: "x" })).answer).toEqual({ text: "third" });
    expect(session.hooks()[0]?.hook.metrics).toMatchObject({ runs: 3, failed: 2, ok: 1 });
  });

  it("[jcli.note.1] may leave a large stdin unread", async () => {
    const bench = new Bench();
    bench.user('pre_llm_request:\n  - command: |\n      echo \'{"system_prompt":"new"}\'\n');
    const session = await bench.open();
    const messages = [{ role: "user" as const, content: "x".repeat(5_000_000), timestamp: 1 }];
    const outcome = await session.emit("model.context", request({ messages }));
    expect(outcome.answer).toEqual({ systemPrompt: "new" });
  });

  it("may leave a child behind that holds its stdout", async () => {
    const bench = new Bench();
    bench.user('pre_send_message:\n  - command: |\n      sleep 30 & echo \'{"user_input":"now"}\'\n');
    const session = await bench.open();
    expect((await session.emit("prompt.before", { text: "x" })).answer).toEqual({ text: "now" });
  });

  it("cannot print without end", async () => {
    const bench = new Bench();
    bench.user("pre_tool_execution:\n  - command: yes\n");
    const outcome = await (await bench.open()).emit("tool.before", call());
    expect(outcome.answer).toMatchObject({ decision: "deny" });
    expect(codes(outcome.diagnostics)).toEqual(["OUTPUT_LIMIT", "FAILED_CLOSED"]);
  });

  it("whose answer is deeper than is read has failed by itself", async () => {
    const bench = new Bench();
    bench.user("pre_tool_execution:\n  - command: cat answer.json\n");
    bench.write("project/answer.json", `{"action":"skip","seen":${"[".repeat(256)}${"]".repeat(256)}}`);
    const outcome = await (await bench.open()).emit("tool.before", call());
    expect(outcome.answer).toEqual({});
    expect(codes(outcome.diagnostics)).toEqual(["HOOK_BAD_ANSWER", "FAILED_OPEN"]);
  });

  it("whose script is gone since it was loaded could not judge, so the call is refused", async () => {
    const bench = new Bench();
    const script = bench.write("home/guard.sh", "#!/bin/sh\necho '{}'\n", 0o755);
    bench.user(`pre_tool_execution:\n  - command: ${script}\n`);
    const session = await bench.open();
    expect((await session.emit("tool.before", call())).answer).toEqual({});
    const { rmSync } = await import("node:fs");
    rmSync(script);
    const outcome = await session.emit("tool.before", call());
    expect(outcome.answer).toMatchObject({ decision: "deny" });
    expect(codes(outcome.diagnostics)).toEqual(["FILE_GONE", "FAILED_CLOSED"]);
  });

  it("that is too long for the system to start refuses a tool call", async () => {
    const bench = new Bench();
    bench.user(`pre_tool_execution:\n  - command: "true ${"x".repeat(140_000)}"\n`);
    const outcome = await (await bench.open()).emit("tool.before", call());
    expect(outcome.answer).toMatchObject({ decision: "deny" });
    expect(codes(outcome.diagnostics)).toEqual(["TOO_LARGE", "FAILED_CLOSED"]);
  });

  it("in a HOOK.yaml folder finds its own programs and knows the folder", async () => {
    const bench = new Bench();
    const folder = join(bench.cwd, ".jcli", "hooks", "mine");
    bench.write("project/.jcli/hooks/mine/HOOK.yaml", "events: [pre_send_message]\ncommand: answer.sh\n");
    bench.write(
      "project/.jcli/hooks/mine/answer.sh",
      '#!/bin/sh\ncat >/dev/null\nprintf \'{"user_input":"%s %s"}\' "$JCLI_HOOK_DIR" "$(pwd)"\n',
      0o755,
    );
    const outcome = await (await bench.open()).emit("prompt.before", { text: "x" });
    expect(outcome.answer).toEqual({ text: `${folder} ${bench.cwd}` });
  });

  it("in a HOOK.yaml folder may ask for another shell", async () => {
    const bench = new Bench();
    bench.write(
      "project/.jcli/hooks/mine/HOOK.yaml",
      `events: [pre_send_message]\nruntime: bash\ncommand: |\n  a=(x y); echo '{"user_input":"'"\${a[1]}"'"}'\n`,
    );
    expect((await (await bench.open()).emit("prompt.before", { text: "x" })).answer).toEqual({ text: "y" });
  });

  it("is told when it is asked a second time about a changed call", async () => {
    const bench = new Bench();
    bench.user(
      'pre_tool_execution:\n  - command: |\n      cat >/dev/null; echo "<$HOOKLINE_RECHECK>" >> asked\n  - command: |\n      echo \'{"tool_arguments":"{\\"command\\":\\"ls -l\\"}"}\'\n',
    );
    const outcome = await (await bench.open()).emit("tool.before", call());
    expect(outcome.answer).toEqual({ args: { command: "ls -l" } });
    expect(bench.read("project/asked")).toBe("<>\n<1>\n");
  });

  it("writes to stderr for the report, not into diagnostics", async () => {
    const bench = new Bench();
    bench.user("pre_send_message:\n  - command: echo secret >&2; exit 1\n");
    const outcome = await (await bench.open()).emit("prompt.before", { text: "x" });
    expect(outcome.hooks[0]?.stderr).toContain("secret");
    expect(JSON.stringify(outcome.diagnostics)).not.toContain("secret");
  });

  it("that is aborted is no failure of the hook", async () => {
    const bench = new Bench();
    bench.user("stop:\n  - {command: exec sleep 60, on_error: abort, retry: 5}\n");
    const session = await bench.open();
    const abort = new AbortController();
    const outcome = session.emit("agent.stop", stopping(), { signal: abort.signal });
    setTimeout(() => abort.abort(), 50);
    expect((await outcome).answer).toEqual({});
    expect(session.hooks()[0]?.hook.metrics.runs).toBe(1);
  });
});

describe("what a command is given", () => {
  const asked: ProcessCall[] = [];
  const transport = (report: Partial<ProcessReport> = {}): ProcessTransport => ({
    run(given) {
      asked.push(given);
      return Promise.resolve({
        status: "exited",
        exitCode: 0,
        stdout: "",
        stdoutValid: true,
        stderr: "",
        survivors: [],
        queueMs: 0,
        runMs: 1,
        ...report,
      });
    },
    open: () => Promise.reject(new Error("no process is kept here")),
    close: () => Promise.resolve(),
  });

  it("is its tier's environment, its own time limit and a name for reports", async () => {
    asked.length = 0;
    const bench = new Bench();
    const path = bench.project("stop:\n  - {command: x, timeout: 7}\n");
    const session = await bench.open({ process: transport() });
    await session.emit("agent.stop", stopping());
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      command: { shell: "x" },
      cwd: bench.cwd,
      tier: "project",
      env: { JCLI_HOOK_EVENT: "stop", JCLI_CWD: bench.cwd },
      timeoutMs: 7000,
      label: `stop hook ${path}:2`,
    });
    expect(asked[0]?.signal?.aborted).toBe(false);
  });

  it("[jcli.stop.5] has the user's text in stop.user_input, or the reply where the setting says so", async () => {
    asked.length = 0;
    const bench = new Bench();
    bench.user("stop:\n  - command: x\npre_send_message:\n  - command: x\n");
    for (const stopUserInput of ["prompt", "reply"] as const) {
      const session = await bench.open({ process: transport(), settings: { own: { jcli: { stopUserInput } } } });
      await session.emit("agent.stop", stopping());
      await session.emit("prompt.before", { text: "typed" });
    }
    const inputs = asked.map(({ stdin }) => JSON.parse(stdin as string).user_input as string);
    expect(inputs).toEqual(["do it", "typed", "done", "typed"]);
  });

  it.each(["E2BIG", "EMFILE", "EAGAIN", "ENOENT", "ERR_INVALID_ARG_VALUE"])(
    "a start that fails with %s refuses a tool call whatever on_error says",
    async (code) => {
      const bench = new Bench();
      bench.user("pre_tool_execution:\n  - {command: x, retry: 3}\n");
      const session = await bench.open({
        process: transport({ status: "not-started", startError: { code, message: `spawn ${code}` } }),
      });
      const outcome = await session.emit("tool.before", call());
      expect(outcome.answer).toMatchObject({ decision: "deny" });
      expect(session.hooks()[0]?.hook.metrics.runs).toBe(1);
    },
  );

  it("a NUL character in a variable refuses the call, for the command cannot be started", async () => {
    const bench = new Bench();
    bench.user("pre_tool_execution:\n  - {command: 'true'}\n");
    const session = await bench.open({ env: { LANG: "a\0b" } });
    expect((await session.emit("tool.before", call())).answer).toMatchObject({ decision: "deny" });
  });

  it("a timeout is told with the limit that the hook has, and so is an explanation", async () => {
    const bench = new Bench();
    bench.user("pre_tool_execution:\n  - {command: x, timeout: 7}\n");
    const session = await bench.open({ process: transport({ status: "timed-out" }) });
    await session.emit("tool.before", call());
    expect(bench.diagnostics.find(({ code }) => code === "HOOK_TIMED_OUT")?.message).toMatch(/after 7000 ms$/);
    expect(JSON.stringify(session.explain("tool.before", call()))).toContain("limit 7 s");
  });

  it("a start that fails leaves other events as they were, unless on_error is abort", async () => {
    const broken = transport({ status: "not-started", startError: { code: "EMFILE", message: "no descriptors" } });
    const bench = new Bench();
    bench.user("pre_send_message:\n  - command: x\nstop:\n  - {command: x, on_error: abort}\n");
    const session = await bench.open({ process: broken });
    expect((await session.emit("prompt.before", { text: "x" })).answer).toEqual({});
    expect((await session.emit("agent.stop", stopping())).answer).toEqual({ stop: true });
  });
});

describe("what a command says", () => {
  it("[jcli.notice.1][jcli.response.5][jcli.stdout.11] system_message is shown to the person and changes nothing else", async () => {
    const bench = new Bench();
    const say = (text: string) => `  - command: echo '{"system_message":"${text}"}'\n`;
    bench.user(
      `post_llm_response:\n${say("one")}${say("two")}post_tool_execution:\n${say("three")}post_send_message:\n${say("never")}`,
    );
    const session = await bench.open();
    const response = await session.emit("model.response", { text: "reply" });
    expect(response.notices.map(({ text }) => text)).toEqual(["one", "two"]);
    expect(response.answer).toEqual({});
    expect((await session.emit("tool.after", result("x"))).notices.map(({ text }) => text)).toEqual(["three"]);
    expect((await session.emit("input.sent", { text: "x" })).notices).toEqual([]);
  });

  it("a system_message beside stop is shown too, one in a bad answer is not", async () => {
    const bench = new Bench();
    bench.user(
      'pre_send_message:\n  - command: echo \'{"system_message":"no","user_input":5}\'\n  - command: echo \'{"system_message":"yes","action":"stop"}\'\n',
    );
    const outcome = await (await bench.open()).emit("prompt.before", { text: "x" });
    expect(outcome.notices.map(({ text }) => text)).toEqual(["yes"]);
  });

  it.each([
    [
      "a field of another event",
      "pre_send_message",
      '{"tool_result":"x"}',
      "tool_result",
      "pre_send_message does not read it",
    ],
    ["a misspelt field", "pre_send_message", '{"user_imput":"x"}', "user_imput", 'Did you mean "user_input"?'],
    [
      "feedback without stop",
      "pre_send_message",
      '{"retry_feedback":"x"}',
      "retry_feedback",
      'it has an effect only with "action": "stop"',
    ],
    ["skip where there is no call", "pre_send_message", '{"action":"skip"}', "action", '"skip" leaves out a tool call'],
    [
      "an answer to a notice",
      "post_send_message",
      '{"user_input":"x"}',
      "an answer",
      "post_send_message reads no answers",
    ],
  ])("%s is named, once", async (_, event, answer, field, problem) => {
    const bench = new Bench();
    bench.user(`${event}:\n  - command: |\n      echo '${answer}'\n`);
    const session = await bench.open();
    for (let n = 0; n < 2; n++)
      await (event === "post_send_message"
        ? session.emit("input.sent", { text: "x" })
        : session.emit("prompt.before", { text: "x" }));
    const found = bench.diagnostics.filter(({ code }) => code === "HOOK_ODD_ANSWER");
    expect(found).toHaveLength(1);
    expect(found[0]?.message).toContain(`returned ${field} on ${event}`);
    expect(found[0]?.message).toContain(problem);
  });

  it("names tool results that lost their call, and drops them", async () => {
    const bench = new Bench();
    const messages = JSON.stringify([...flatHistory, { role: "tool", content: "x", tool_call_id: "gone" }]);
    bench.user(`pre_llm_request:\n  - command: |\n      echo '{"messages":${messages}}'\n`);
    const outcome = await (await bench.open()).emit("model.context", request());
    expect(outcome.answer).toEqual({});
    expect(bench.diagnostics.map(({ message }) => message).join()).toContain("1 tool results have no call before them");
  });

  it("what a hook that is only told something prints is no failure", async () => {
    const bench = new Bench();
    bench.user("session_start:\n  - command: echo ready\n");
    const outcome = await (await bench.open()).emit("session.start", { reason: "startup" });
    expect(outcome.diagnostics).toEqual([]);
    expect(bench.diagnostics).toEqual([]);
  });

  it("[jcli.metrics.1] is counted: runs, successes, failures, skips and time", async () => {
    const bench = new Bench();
    bench.user(on("pre_tool_execution", "grep -q 'rm x' && exit 1; echo '{}'", "    filter: {tool_name: Bash}\n"));
    const session = await bench.open();
    await session.emit("tool.before", call({ command: "ls" }));
    await session.emit("tool.before", call({ command: "rm x" }));
    await session.emit("tool.before", call({ path: "x" }, "read"));
    const { metrics } = session.hooks()[0]?.hook ?? {};
    expect(metrics).toMatchObject({ runs: 2, ok: 1, failed: 1, skipped: 1, lastError: "exit code 1" });
    expect(metrics?.totalMs).toBeGreaterThan(0);
  });
});
