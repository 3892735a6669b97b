import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SessionManager } from "../../src/session/session.ts";
import { start } from "../session/program.ts";
import { assistant, user } from "../session/talk.ts";
import { Sitting } from "../support/sitting.ts";
import { LARGE, SMALL } from "../support/terminal.ts";

const SIZES = [
  ["80×24", SMALL],
  ["120×40", LARGE],
] as const;

const GUARD = `export default function (pi) {
  pi.on("tool_call", (event) => {
    if (event.toolName === "bash" && /rm -rf/.test(event.input.command)) return { block: true, reason: "no rm -rf here" };
  });
}
`;

test.each(SIZES)(
  "a project's hooks are shown in full before anything of them runs, and approved (%s)",
  async (_, size) => {
    const files = { ".pi/extensions/guard.ts": GUARD };
    await using sitting = await Sitting.start({ size, files, isEarly: true });
    await sitting.terminal.until("approve exactly this");
    expect(await sitting.screen()).toMatchSnapshot();
    sitting.terminal.type("y");
    await sitting.terminal.until("1 hook source");
    expect(readFileSync(join(sitting.home, ".hookline/trust.json"), "utf8")).toContain("guard.ts");
  },
);

test("fourteen entries of one file are approved with two keys, each by itself and for exactly its bytes", async () => {
  const events = ["stop", "pre_tool_execution", "post_tool_execution", "session_start", "pre_send_message"];
  const hooks = Array.from({ length: 14 }, (_, at) => `  - command: sh hooks/${at}.sh\n`);
  const yaml = events
    .map((event, at) => `${event}:\n${hooks.filter((_, n) => n % events.length === at).join("")}`)
    .join("");
  const files = Object.fromEntries(hooks.map((_, at) => [`hooks/${at}.sh`, `cat > /dev/null # number ${at}\n`]));
  await using sitting = await Sitting.start({ files: { ...files, ".jcli/hooks.yaml": yaml }, isEarly: true });
  await sitting.terminal.until("(14 entries)");
  sitting.terminal.press("end");
  await sitting.terminal.until("y approve all 14");
  sitting.terminal.type("y");
  await sitting.terminal.until("14 hook sources");
  const { entries } = JSON.parse(readFileSync(join(sitting.home, ".hookline/trust.json"), "utf8"));
  expect(new Set(entries.map(({ hash }: { hash: string }) => hash)).size).toBe(14);
});

test("what is not approved does not run and is reported", async () => {
  const files = { ".pi/extensions/guard.ts": GUARD };
  await using sitting = await Sitting.start({ files, isEarly: true });
  await sitting.terminal.until("approve exactly this");
  sitting.terminal.press("escape");
  await sitting.terminal.until("0 of 1 hook");
});

test.each(SIZES)("a refused call says who refused it and why (%s)", async (_, size) => {
  const replies = [
    { toolCalls: [{ name: "bash", arguments: { command: "rm -rf build" } }] },
    { text: "I was not allowed to." },
  ];
  await using sitting = await Sitting.start({ size, replies, files: { "~/.pi/agent/extensions/guard.ts": GUARD } });
  sitting.say("clean up");
  await sitting.terminal.until("I was not allowed to.");
  expect(await sitting.screen()).toMatchSnapshot();
  sitting.say("/hooks");
  await sitting.terminal.until("Activity");
  expect(await sitting.screen()).toMatchSnapshot();
  sitting.terminal.press("escape");
  sitting.terminal.type("back");
  await sitting.terminal.until("back");
});

test("a session is resumed with its conversation, forked before a message, and left for a new one", async () => {
  await using sitting = await Sitting.start({
    replies: [{ text: "first reply" }, { text: "second reply", repeat: true }],
  });
  const { terminal } = sitting;
  sitting.say("first question");
  await terminal.until("first reply");
  await sitting.idle();
  sitting.say("/new");
  await terminal.until((screen) => !screen.includes("first reply"));
  sitting.say("other question");
  await terminal.until("second reply");
  await sitting.idle();
  sitting.say("/resume");
  await terminal.until("Resume a session");
  terminal.type("first");
  await terminal.until("first question");
  terminal.press("enter");
  await terminal.until("first reply");
  expect(await sitting.screen()).not.toContain("other question");
  sitting.say("/fork");
  await terminal.until(/first question/);
  terminal.press("enter");
  await terminal.until((screen) => !screen.includes("first reply"));
  await terminal.settled();
  expect(terminal.text()).toContain("first question");
});

test("the model and how much it thinks are chosen by key, and the footer says so", async () => {
  const models = {
    providers: {
      local: {
        baseUrl: "http://127.0.0.1:9/v1",
        api: "openai-completions",
        apiKey: "k",
        models: [{ id: "one", reasoning: true }, { id: "two" }],
      },
    },
  };
  await using sitting = await Sitting.start({ files: { "~/.hookline/models.json": JSON.stringify(models) } });
  sitting.terminal.press("ctrl+p");
  await sitting.terminal.until("local/one • medium");
  sitting.terminal.press("shift+tab");
  await sitting.terminal.until("local/one • high");
  sitting.terminal.press("ctrl+p");
  await sitting.terminal.until(/local\/two\s*$/m);
  sitting.terminal.press("shift+tab");
  await sitting.terminal.until("does not show its thinking");
});

test("a command of an extension that takes its time is named while it works", async () => {
  const source = `export default function (pi) {
    pi.registerCommand("slow", { handler: (args, ctx) => new Promise((done) => { process.once("hookline-test-done", done); }) });
  }`;
  await using sitting = await Sitting.start({ files: { "~/.pi/agent/extensions/slow.ts": source } });
  sitting.say("/slow");
  await sitting.terminal.until("/slow…");
  process.emit("hookline-test-done" as "SIGTERM");
  await sitting.terminal.until((screen) => !screen.includes("/slow…"));
});

test("a plugin's tool gets the terminal while the screen is away, and the screen comes back", async () => {
  const plugin = `#!/bin/sh
if [ "$1" = "--schema" ]; then echo '{"name":"knock","description":"knocks","parameters":{"type":"object","properties":{}}}'; exit 0; fi
echo "knock: $CHIBI_TOOL_ARGS"
`;
  const replies = [{ toolCalls: [{ name: "knock", arguments: {} }] }, { text: "Somebody was there." }];
  await using sitting = await Sitting.start({
    replies,
    isEarly: true,
    prepare: (place) => {
      const path = place.write("~/.chibi/plugins/knock", plugin);
      chmodSync(path, 0o755);
    },
  });
  await sitting.terminal.until("Model: script");
  sitting.say("knock");
  await sitting.terminal.until("Somebody was there.");
  expect(await sitting.screen()).toContain("knock: {}");
  expect([sitting.terminal.started, sitting.terminal.stopped]).toEqual([2, 1]);
});

test("what hooks have put on the screen goes with their session; the next session's hooks put up their own", async () => {
  const file = "~/.pi/agent/extensions/deco.ts";
  const source = (name: string, extra: string): string => `export default function (pi) {
    pi.on("session_start", (event, { ui }) => { ui.setStatus("k", "status of ${name} " + event.reason); ${extra} });
  }`;
  const extra = `ui.setWidget("w", ["widget of one"]);
    ui.setHeader(() => ({ invalidate() {}, render: () => ["header of one"] }));
    ui.onTerminalInput((data) => (data === "z" ? { consume: true } : undefined));`;
  await using sitting = await Sitting.start({ files: { [file]: source("one", extra) }, isEarly: true });
  const { terminal } = sitting;
  await terminal.until("status of one startup");
  expect(terminal.text()).toMatch(/header of one[\s\S]*widget of one/);
  sitting.say("/new");
  await terminal.until("status of one new");
  sitting.write(file, source("two", ""));
  sitting.say("/reload");
  await terminal.until("status of two reload");
  expect(await sitting.screen()).not.toContain("of one");
  expect(terminal.text()).toContain("Model: script");
  terminal.type("zz");
  await terminal.until(/^zz/m);
});

test("a command of the agent that fails says so", async () => {
  await using sitting = await Sitting.start();
  sitting.say("/model nobody/nothing");
  await sitting.terminal.until("✗");
});

test("a signal ends the session in order, and hooks are told", async () => {
  const file = "~/.pi/agent/extensions/end.ts";
  const source = `import { appendFileSync } from "node:fs";
    export default function (pi) { pi.on("session_shutdown", () => appendFileSync(process.env.HOOKLINE_TEST_END, "ended")); }`;
  await using sitting = await Sitting.start({ files: { [file]: source } });
  const end = join(sitting.top, "end.txt");
  process.env["HOOKLINE_TEST_END"] = end;
  process.emit("SIGTERM");
  expect(await sitting.code).toBe(143);
  expect(readFileSync(end, "utf8")).toBe("ended");
  expect(sitting.terminal.stopped).toBe(1);
});

test("a hook that takes its time at the end is named, and Ctrl+C skips it", async () => {
  const source = `export default function (pi) { pi.on("session_shutdown", () => new Promise((done) => setTimeout(done, 25_000))); }`;
  await using sitting = await Sitting.start({ files: { "~/.pi/agent/extensions/slow.ts": source } });
  sitting.terminal.press("ctrl+d");
  await sitting.terminal.until("Waiting for the end of");
  sitting.terminal.press("ctrl+c");
  expect(await sitting.code).toBe(0);
});

test("what cannot be opened is said after the terminal was given back", async () => {
  await using sitting = await Sitting.start({ args: ["--resume", "nobody"], isEarly: true });
  expect(await sitting.code).toBe(1);
  expect(sitting.err).toContain("no session's id starts");
  expect([sitting.terminal.started, sitting.terminal.stopped]).toEqual([1, 1]);
});

test("a session that another agent writes can be continued in a copy", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-held-"));
  const first = SessionManager.create("/project", folder);
  first.appendMessage(user("what the first one was asked"));
  first.appendMessage(assistant("what the first one said"));
  const path = first.getSessionFile() ?? "";
  first.close();
  const owner = start("hold", [path, "held"]);
  await owner.line();
  try {
    const before = readFileSync(path, "utf8");
    await using sitting = await Sitting.start({ args: ["--session", path], isEarly: true });
    await sitting.terminal.until("This session is in use");
    sitting.terminal.press("enter");
    await sitting.terminal.until("what the first one said");
    sitting.say("Go on");
    await sitting.terminal.until("Fine.");
    expect(readFileSync(path, "utf8")).toBe(before);
    const copies = readdirSync(folder).filter((name) => name.endsWith(".jsonl") && !path.endsWith(name));
    expect(copies.map((name) => readFileSync(join(folder, name), "utf8").includes("Go on"))).toEqual([true]);
  } finally {
    owner.child.kill("SIGKILL");
    await owner.ended;
    rmSync(folder, { recursive: true, force: true });
  }
});
