import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { catalog } from "../../../runtime/src/catalog/catalog.ts";
import { Instance } from "../../../runtime/src/hook/instance.ts";
import { Registry } from "../../../runtime/src/hook/registry.ts";
import { Deadlines } from "../../../runtime/src/run/deadline.ts";
import { dispatch } from "../../../runtime/src/run/dispatch.ts";
import { createProcessTransport } from "../../../runtime/src/transport/process/transport.ts";
import { EVENTS } from "../../src/jcli/hooks/fields.ts";
import { jcli } from "../../src/jcli/hooks/index.ts";
import {
  consentText,
  PARAMETERS,
  readRegistration,
  removalText,
  SessionHooks,
  TOOL,
} from "../../src/jcli/hooks/register.ts";
import { Bench, model, scene } from "./kit.ts";

/** A lane with hooks of all four tiers, in order, and the tool's logic. */
function lane(llm = model("{}")) {
  const bench = new Bench();
  const processes = createProcessTransport({ clock: systemClock });
  onTestFinished(() => processes.close());
  const registry = new Registry(jcli.lanes, catalog, () => {});
  const around = bench.around({ process: processes, llm });
  const instance = (path: string, tier: "builtin" | "user" | "project" | "session") =>
    new Instance("jcli", { path, tier, dialect: "jcli" }, registry);
  const add = (letter: string) => ({
    event: "pre_send_message",
    run: ((event: { user_input: string }) => ({ user_input: event.user_input + letter })) as never,
  });
  instance("todo_nag", "builtin").on(add("B"));
  instance("user.yaml", "user").on(add("U"));
  instance("project.yaml", "project").on(add("P"));
  const hooks = () => [...registry.all()].map(({ hook }) => hook);
  const session = instance(TOOL.name, "session");
  const held = new SessionHooks({ instance: session, around, hooks });
  const emit = async (event: string, payload: object) => {
    const plan = registry.plan(event);
    if (plan === undefined) return undefined;
    const context = {
      scene: { ...scene, cwd: bench.cwd },
      clock: systemClock,
      deadlines: new Deadlines(systemClock),
      signal: undefined,
      trace: false,
      report: () => {},
    };
    return (await dispatch(plan, payload, context)).answer;
  };
  return { held, emit, bench, session };
}

const register = (given: Record<string, unknown>) => {
  const read = readRegistration(given);
  if (!read.ok) throw new Error(read.problem);
  return read.definition;
};

describe("what a model may register", () => {
  it("gets the defaults of its type, and no filter", () => {
    expect(register({ event: "stop", command: "x", filter: { tool_name: "Bash" } })).toEqual({
      events: ["stop"],
      type: "bash",
      text: "x",
      timeoutMs: 10_000,
      retry: 0,
      onError: "skip",
      filter: {},
    });
    expect(
      register({ event: "stop", type: "llm", prompt: "p", model: "m", timeout: 5, retry: 3, on_error: "abort" }),
    ).toEqual({
      events: ["stop"],
      type: "llm",
      text: "p",
      model: "m",
      timeoutMs: 5000,
      retry: 3,
      onError: "abort",
      filter: {},
    });
  });

  it.each([
    ["no event", { command: "x" }, "event is missing"],
    [
      "an unknown event",
      { event: "pre_tool", command: "x" },
      'there is no event "pre_tool". Did you mean "pre_tool_execution"?',
    ],
    ["no command", { event: "stop" }, "command is missing"],
    ["a blank command", { event: "stop", command: " " }, "command is missing"],
    ["a command that is no text", { event: "stop", command: ["rm"] }, "command is missing"],
    ["a NUL", { event: "stop", command: "a\0b" }, "command contains a NUL character"],
    ["no prompt", { event: "stop", type: "llm", command: "x" }, "prompt is missing"],
    ["an unknown type", { event: "stop", type: "python", command: "x" }, "type must be bash or llm"],
    ["a timeout of zero", { event: "stop", command: "x", timeout: 0 }, "timeout must be"],
    ["a timeout without end", { event: "stop", command: "x", timeout: 99_999_999 }, "timeout must be"],
    ["a timeout in text", { event: "stop", command: "x", timeout: "5" }, "timeout must be"],
    ["a negative retry", { event: "stop", command: "x", retry: -1 }, "retry must be"],
    ["inherited parameters", Object.create({ event: "stop", command: "x" }), "event is missing"],
  ])("is refused with %s", (_, given, problem) => {
    const read = readRegistration(given);
    expect(read.ok).toBe(false);
    expect(read.ok ? "" : read.problem).toContain(problem);
  });

  it("is shown to the person whole", () => {
    const long = `echo ${"x".repeat(5000)}; rm -rf /`;
    const shown = consentText(register({ event: "pre_tool_execution", command: long, on_error: "abort" }));
    expect(shown).toContain(long);
    expect(shown).toContain("pre_tool_execution");
    expect(shown).toContain("on_error abort");
  });

  it("is shown with a mark for each character without a glyph, and not at all when nobody would read it", () => {
    const hidden = register({ event: "stop", command: "echo ok\u202e\u200b\x1b[8m\nrm -rf /" });
    expect(consentText(hidden)).toContain("Command of 2 lines:\necho ok<U+202E><U+200B>\u241b[8m\nrm -rf /");
    expect(removalText(hidden)).toMatch(/^Remove this hook\?\ntype bash/);
    expect(readRegistration({ event: "stop", command: "x".repeat(10_001) }).ok).toBe(false);
  });

  it("is described by a schema with every parameter", () => {
    expect(TOOL).toEqual({ name: "register_hook", aliases: ["RegisterHook"] });
    expect(PARAMETERS.properties.event.enum).toEqual(Object.keys(EVENTS));
    expect(Object.keys(PARAMETERS.properties)).toEqual([
      "action",
      "event",
      "type",
      "command",
      "prompt",
      "model",
      "timeout",
      "retry",
      "on_error",
      "index",
    ]);
  });
});

it("an unknown on_error counts as skip, as in the program, and the model is told", () => {
  const read = readRegistration({ event: "stop", command: "x", on_error: "ignore" });
  expect(read).toMatchObject({
    ok: true,
    definition: { onError: "skip" },
    note: expect.stringContaining("counts as skip"),
  });
  expect(readRegistration({ event: "stop", command: "x", on_error: "abort" })).not.toHaveProperty("note");
  expect(PARAMETERS.properties.on_error).not.toHaveProperty("enum");
});

describe("session hooks", () => {
  it("[jcli.tier.3][jcli.tier.4] run behind those of the other tiers, as long as the session's instance lives", async () => {
    const { held, emit, session } = lane();
    held.add(
      register({ event: "pre_send_message", command: `sed -E 's/.*"user_input":"([^"]*)".*/{"user_input":"\\1S"}/'` }),
    );
    expect(await emit("prompt.before", { text: "x" })).toEqual({ text: "xBUPS" });
    session.dispose();
    expect(await emit("prompt.before", { text: "x" })).toEqual({ text: "xBUP" });
  });

  it("of type llm ask the model", async () => {
    const llm = model('{"action":"stop"}');
    const { held, emit } = lane(llm);
    held.add(register({ event: "pre_send_message", type: "llm", prompt: "{{user_input}}?" }));
    expect(await emit("prompt.before", { text: "x" })).toEqual({ stop: true });
    expect(llm.calls[0]?.prompt.startsWith("xBUP?\n")).toBe(true);
  });

  it("[jcli.note.4][jcli.metrics.2] are listed with the hooks of all tiers and their counters", async () => {
    const { held, emit } = lane();
    held.add(register({ event: "stop", command: "echo one" }));
    held.add(register({ event: "pre_send_message", command: "true", timeout: 3, on_error: "abort" }));
    held.add(register({ event: "stop", type: "llm", prompt: "\n  Is it done?\nReally?" }));
    await emit("prompt.before", { text: "x" });
    const lines = held
      .list()
      .text.replace(/total=\d+ms/g, "total=#")
      .split("\n");
    expect(lines).toEqual([
      "1. pre_send_message [builtin] [builtin: todo_nag] runs=1 ok=1 failed=0 skipped=0 total=#",
      "2. pre_send_message [user] [builtin: user.yaml] runs=1 ok=1 failed=0 skipped=0 total=#",
      "3. pre_send_message [project] [builtin: project.yaml] runs=1 ok=1 failed=0 skipped=0 total=#",
      "4. pre_send_message [session] session_idx=0 bash true timeout=3s on_error=abort runs=1 ok=1 failed=0 skipped=0 total=#",
      "5. stop [session] session_idx=0 bash echo one timeout=10s on_error=skip runs=0 ok=0 failed=0 skipped=0 total=#",
      "6. stop [session] session_idx=1 llm [llm: Is it done?] timeout=30s on_error=skip runs=0 ok=0 failed=0 skipped=0 total=#",
    ]);
  });

  it("[jcli.note.5] are removed by session_idx, which counts within an event; the others move up", () => {
    const { held } = lane();
    for (const name of ["a", "b", "c"]) held.add(register({ event: "stop", command: name }));
    held.add(register({ event: "session_end", command: "d" }));
    expect(held.remove({ event: "stop", index: 1 })).toEqual({
      isError: false,
      text: "Removed session hook 1 of stop",
    });
    expect(held.saved().map((one) => one["command"])).toEqual(["a", "c", "d"]);
    expect(held.remove({ event: "stop", index: 1 }).isError).toBe(false);
    expect(held.remove({ event: "stop" }).isError).toBe(false);
    expect(held.list().text).not.toContain("] bash a");
    expect(held.saved().map((one) => one["command"])).toEqual(["d"]);
  });

  it.each([
    ["no event", { index: 0 }],
    ["an index that is taken by nobody", { event: "stop", index: 1 }],
    ["an index that is no number", { event: "stop", index: "0" }],
    ["a hook of another tier", { event: "pre_send_message", index: 0 }],
    ["an unknown event", { event: "nope" }],
  ])("[jcli.note.4] are not removed with %s", async (_, given) => {
    const { held, emit } = lane();
    held.add(register({ event: "stop", command: "a" }));
    expect(held.remove(given).isError).toBe(true);
    expect(held.saved()).toHaveLength(1);
    expect(await emit("prompt.before", { text: "x" })).toEqual({ text: "xBUP" });
  });

  it("are kept with the session and restored, as far as they are whole and agreed to", () => {
    const { held } = lane();
    held.add(register({ event: "stop", command: "a" }));
    held.add(
      register({ event: "stop", type: "llm", prompt: "b", model: "m", retry: 2, timeout: 7, on_error: "abort" }),
    );
    held.add(register({ event: "stop", command: "forged" }));
    const kept = JSON.parse(JSON.stringify(held.saved())) as any[];
    const next = lane();
    const broken = [null, 5, {}, { ...kept[0], type: "python" }, { ...kept[0], event: "on_fire" }];
    const refused = next.held.restore([...broken, ...kept], ({ text }) => text !== "forged");
    expect(refused.map(({ text }) => text)).toEqual(["forged"]);
    expect(next.held.saved()).toEqual(kept.slice(0, 2));
    next.held.clear();
    expect(next.held.saved()).toEqual([]);
    expect(next.held.list().text).not.toContain("[session]");
  });

  it("help names every event with its fields", () => {
    const { text } = lane().held.help();
    for (const [event, { reads }] of Object.entries(EVENTS))
      expect(text).toContain(`- ${event}: reads ${reads.join(", ")}`);
  });

  it("an empty list says so", () => {
    const { bench, session } = lane();
    const empty = new SessionHooks({ instance: session, around: bench.around(), hooks: () => [] });
    expect(empty.list().text).toBe("There are no hooks.");
  });
});
