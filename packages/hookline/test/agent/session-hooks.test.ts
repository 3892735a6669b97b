import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HostUi } from "@hookline/runtime";
import { expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { type Bench, sentTo, startBench } from "./bench.ts";

const userHook = { "~/.jdata/agent/hooks.yaml": "post_send_message:\n  - command: cat > /dev/null\n" };

function call(args: Readonly<Record<string, unknown>>, name = "register_hook") {
  return { toolCalls: [{ name, arguments: args }] };
}

/** A person who gives the same answer to everything, and remembers what was asked. */
function person(answer: boolean) {
  const asked: string[] = [];
  const ui: HostUi = {
    confirm: async (title, message) => {
      asked.push(`${title}\n${message}`);
      return answer;
    },
  };
  return { ui, asked };
}

function results({ agent }: Pick<Bench, "agent">): string[] {
  return agent
    .messages()
    .flatMap((message) =>
      message.role === "toolResult"
        ? [`${message.isError ? "error: " : ""}${message.content.map((part: any) => part.text).join("")}`]
        : [],
    );
}

const mark = { event: "pre_send_message", command: `cat > /dev/null; echo '{"user_input":"marked"}'` };
const lastAsked = (bench: Bench): string | undefined => sentTo(bench.server, -1).at(-1);

test("the model is offered register_hook only if j-cli hooks run or --tools names it", async () => {
  const offered = async (files: Record<string, string>, args: string[] = []): Promise<boolean> => {
    const bench = await startBench({ replies: [{ text: "." }], files, args });
    await bench.agent.prompt("Hello");
    return (bench.server.requests[0]?.body.tools ?? []).some((tool: any) => tool.function.name === "register_hook");
  };
  expect(await offered(userHook)).toBe(true);
  expect(await offered({})).toBe(false);
  expect(await offered({}, ["--tools", "read,register_hook"])).toBe(true);
  expect(await offered(userHook, ["--dialects", "pi"])).toBe(false);
});

test("a hook that the person approves runs after the others, is listed with its counters, and reported", async () => {
  const { ui, asked } = person(true);
  const bench = await startBench({
    replies: [call(mark, "RegisterHook"), { text: "Done." }, call({ action: "list" }), { text: "Listed." }],
    files: userHook,
    mode: "rpc",
    ui,
  });
  await bench.agent.prompt("Add a hook");
  expect(asked).toEqual([
    `Register a hook?\nRegister a hook on pre_send_message for this session?\ntype bash, timeout 10 s, retry 0, on_error skip\nCommand:\n${mark.command}`,
  ]);
  expect(bench.agent.messages().at(-2)).toMatchObject({ toolName: "register_hook", isError: false });
  await bench.agent.prompt("Show them");
  expect(sentTo(bench.server, 2).at(-1)).toBe("user: marked");
  expect(results(bench).at(-1)).toMatch(
    /1\. pre_send_message \[session\] session_idx=0 bash .* runs=1 ok=1 failed=0 skipped=0 total=\d+ms\n2\. post_send_message \[user\] bash cat/,
  );
  expect(bench.hooks.report.sources.map(({ tier, state }) => `${tier} ${state}`)).toEqual([
    "user runs",
    "session runs",
  ]);
  expect(bench.hooks.report.summary).toEqual({ found: 2, runs: 2, notRunning: 0 });
});

test("without an approval, or anybody to give one, nothing is registered and the model is told why", async () => {
  const no = person(false);
  const denied = await startBench({ replies: [call(mark), { text: "." }], files: userHook, mode: "rpc", ui: no.ui });
  await denied.agent.prompt("Add");
  expect(results(denied)).toEqual(["error: No hook was registered. The person did not agree."]);
  const headless = await startBench({ replies: [call(mark), { text: "." }], files: userHook });
  await headless.agent.prompt("Add");
  expect(results(headless)).toEqual([
    "error: No hook was registered. A person must agree, and nobody can be asked in this mode.",
  ]);
  for (const bench of [denied, headless]) expect(bench.hooks.hooks()).toHaveLength(1);
});

test("if a choice can be shown, the answer that changes nothing comes first", async () => {
  const shown: (readonly string[])[] = [];
  const ui: HostUi = {
    confirm: async () => true,
    select: async (title, options) => {
      shown.push([title, ...options]);
      return options[shown.length - 1];
    },
  };
  const bench = await startBench({
    replies: [call(mark), call(mark), { text: "." }],
    files: userHook,
    mode: "rpc",
    ui,
  });
  await bench.agent.prompt("Add it twice");
  expect(shown[0]?.slice(1)).toEqual(["No, leave everything as it is", "Yes, register it"]);
  expect(shown[0]?.[0]).toContain(`Register a hook?\nRegister a hook on pre_send_message for this session?\n`);
  expect(shown[0]?.[0]?.endsWith(mark.command)).toBe(true);
  expect(bench.agent.messages().flatMap((one) => (one.role === "toolResult" ? [one.isError] : []))).toEqual([
    true,
    false,
  ]);
});

test("--frozen registers nothing, whatever the person says", async () => {
  const yes = person(true);
  const bench = await startBench({
    replies: [call(mark), { text: "." }],
    files: { ...userHook, "hookline.lock": JSON.stringify({ version: 2, dialects: [], hooks: [] }) },
    args: ["--frozen"],
    mode: "rpc",
    ui: yes.ui,
  });
  await bench.agent.prompt("Add");
  expect(results(bench)).toEqual(["error: No hook was registered. Only the hooks of the lock file may run here."]);
  expect(yes.asked).toEqual([]);
});

test("a hook is removed only with the person's approval, and hooks of other tiers never", async () => {
  const answers = [true, false, true];
  const asked: string[] = [];
  const ui: HostUi = {
    confirm: async (title) => {
      asked.push(title);
      return answers.shift() ?? false;
    },
  };
  const remove = { action: "remove", event: "pre_send_message" };
  const bench = await startBench({
    replies: [
      call(mark),
      call({ action: "remove", event: "post_send_message" }),
      call(remove),
      call(remove),
      call({ action: "help" }),
      { text: "." },
    ],
    files: userHook,
    mode: "rpc",
    ui,
  });
  await bench.agent.prompt("Go");
  expect(asked).toEqual(["Register a hook?", "Remove a hook?", "Remove a hook?"]);
  expect(results(bench).slice(1, 4)).toEqual([
    "error: post_send_message has 0 session hooks, so there is none with this index; see action list",
    "error: No hook was removed. The person did not agree.",
    "Removed session hook 0 of pre_send_message",
  ]);
  expect(results(bench)[4]).toContain("- pre_tool_execution: reads");
  expect(bench.hooks.hooks()).toHaveLength(1);
});

test("registered hooks go with their session: gone in a new one, back after a resume, in this run and the next", async () => {
  const { ui, asked } = person(true);
  const bench = await startBench({
    replies: [call(mark), { text: "." }, { text: "." }, { text: "." }, { text: "." }],
    files: userHook,
    mode: "rpc",
    ui,
  });
  await bench.agent.prompt("Add");
  const file = bench.agent.core.store.getSessionFile() as string;
  await bench.agent.prompt("/new");
  await bench.agent.prompt("Plain");
  expect(lastAsked(bench)).toBe("user: Plain");
  await bench.agent.prompt(`/resume ${file}`);
  await bench.agent.prompt("Here");
  expect(lastAsked(bench)).toBe("user: marked");
  await bench.agent.prompt("/reload");
  expect(bench.hooks.hooks().map(({ hook }) => hook.source.tier)).toEqual(["user", "session"]);
  await bench.close();
  const next = await bench.again(["--session", file]);
  await next.agent.prompt("There");
  expect(lastAsked(bench)).toBe("user: marked");
  expect(asked).toHaveLength(1);
});

test("`trust list --all` shows what was approved, as a session's", async () => {
  const { ui } = person(true);
  const bench = await startBench({ replies: [call(mark), { text: "." }], files: userHook, mode: "rpc", ui });
  await bench.agent.prompt("Add");
  let out = "";
  const io = {
    env: { HOME: bench.home, HOOKLINE_HOME: join(bench.home, ".hookline") },
    cwd: bench.project,
    stdinIsTerminal: false,
    stdoutIsTerminal: false,
    out: (text: string) => (out += text),
    err: () => {},
    readStdin: async () => "",
  };
  expect(await run(["trust", "list", "--all", "--json"], io)).toBe(0);
  expect(JSON.parse(out).entries).toMatchObject([
    { path: bench.agent.core.store.getSessionFile(), tier: "session", dialect: "jcli", state: "approved" },
  ]);
});

test("a saved hook comes back only with the recorded approval of exactly its text", async () => {
  const { ui } = person(true);
  const bench = await startBench({ replies: [call(mark), { text: "." }], files: userHook, mode: "rpc", ui });
  await bench.agent.prompt("Add");
  const file = bench.agent.core.store.getSessionFile() as string;
  await bench.close();
  const whole = readFileSync(file, "utf8");
  const tiers = async (): Promise<string[]> => {
    const next = await bench.again(["--session", file]);
    const found = next.hooks.hooks().map(({ hook }) => hook.source.tier);
    await next.close();
    return found;
  };
  writeFileSync(file, whole.replaceAll("marked", "forged"));
  expect(await tiers()).toEqual(["user"]);
  expect(bench.diagnostics.at(-1)).toMatchObject({
    code: "UNTRUSTED",
    hint: "Nobody has approved its text; register it again.",
  });
  writeFileSync(file, whole.replace('"timeout":10', '"timeout":10,"filter":{"tool_name":"x"},"shell":"zsh"'));
  expect(await tiers()).toEqual(["user", "session"]);
  writeFileSync(file, whole);
  rmSync(join(bench.home, ".hookline/trust.json"));
  expect(await tiers()).toEqual(["user"]);
});
