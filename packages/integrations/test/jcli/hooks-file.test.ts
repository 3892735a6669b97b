import { describe, expect, it } from "vitest";
import type { Finding } from "../../src/jcli/hooks/finding.ts";
import { type FileReading, readHookFolder, readHooks } from "../../src/jcli/hooks/hooks-file.ts";

const foreign = { own: false, lossy: false };
const own = { own: true, lossy: false };

const all = ({ findings, hooks }: FileReading): Finding[] => [...findings, ...hooks.flatMap((hook) => hook.findings)];
const told = (reading: FileReading): string[] =>
  all(reading).map(
    ({ line, code, details }) =>
      `${line} ${code} ${details["problem"] ?? details["key"] ?? details["event"] ?? details["what"]}`,
  );
const running = (reading: FileReading): (string | undefined)[] =>
  reading.hooks.flatMap(({ definition }) => (definition === undefined ? [] : [definition.text]));

describe("a hooks.yaml", () => {
  it("[jcli.bash.1][jcli.bash.2][jcli.config.1] maps events to lists of hooks, of type bash by default", async () => {
    const { hooks, findings } = await readHooks(
      "pre_send_message:\n  - command: ./a.sh\n  - command: ./b.sh\n    timeout: 5\n    retry: 2\n    on_error: abort\n",
      foreign,
    );
    expect(findings).toEqual([]);
    expect(hooks.map(({ line, definition }) => [line, definition])).toEqual([
      [
        2,
        {
          events: ["pre_send_message"],
          type: "bash",
          text: "./a.sh",
          timeoutMs: 10_000,
          retry: 0,
          onError: "skip",
          filter: {},
        },
      ],
      [
        3,
        {
          events: ["pre_send_message"],
          type: "bash",
          text: "./b.sh",
          timeoutMs: 5000,
          retry: 2,
          onError: "abort",
          filter: {},
        },
      ],
    ]);
  });

  it("[jcli.llm.2][jcli.llm.3][jcli.llm.4][jcli.judge.5] gives hooks of type llm 30 s and one retry", async () => {
    const { hooks } = await readHooks(
      "stop:\n  - type: llm\n    prompt: |\n      Is it done?\n      {{assistant_output}}\n    model: gpt-4o-mini\n",
      foreign,
    );
    expect(hooks[0]?.definition).toEqual({
      events: ["stop"],
      type: "llm",
      text: "Is it done?\n{{assistant_output}}\n",
      model: "gpt-4o-mini",
      timeoutMs: 30_000,
      retry: 1,
      onError: "skip",
      filter: {},
    });
  });

  it("honours values that are written out, also those that are the other type's defaults", async () => {
    const { hooks } = await readHooks("stop:\n  - {type: llm, prompt: p, timeout: 10, retry: 0}\n", foreign);
    expect(hooks[0]?.definition).toMatchObject({ timeoutMs: 10_000, retry: 0 });
  });

  it("accepts the later spelling of on_error, and reads a filter", async () => {
    const { hooks } = await readHooks(
      "pre_tool_execution:\n  - command: x\n    on_error: stop\n    filter: {tool_matcher: 'Bash|Write', model_prefix: }\n",
      foreign,
    );
    expect(hooks[0]?.definition).toMatchObject({ onError: "abort", filter: { tool_matcher: "Bash|Write" } });
  });

  it.each([
    ["empty", ""],
    ["comments only", "# nothing\n\n"],
    ["an event with nothing below", "stop:\n"],
    ["a filter with nothing below", "stop:\n  - command: x\n    filter:\n"],
    ["a byte order mark and CRLF", "\uFEFFstop:\r\n  - command: x\r\n"],
    ["anchors", "stop:\n  - &a\n    command: x\npost_send_message:\n  - *a\n"],
    ["a list at the margin", "stop:\n- command: x\n"],
    ["numbers as texts", "stop:\n  - command: 0x10\n"],
  ])("is valid when it is or has %s", async (_, text) => {
    const reading = await readHooks(text, foreign);
    expect(told(reading)).toEqual([]);
    expect(running(reading)).toEqual(
      text.includes("0x10") ? ["0x10"] : text.includes("&a") ? ["x", "x"] : text.includes("command") ? ["x"] : [],
    );
  });

  it.each([
    ["an unknown event", "on_fire:\n  - command: y\nstop:\n  - command: x\n", ["1 UNKNOWN_HOOK_EVENT on_fire"]],
    [
      "the layout of the old guide",
      "hooks:\n  - event: stop\n    command: y\nstop:\n  - command: x\n",
      ["1 UNKNOWN_HOOK_EVENT hooks", "1 BAD_ENTRY each hook names its event inside, where j-cli does not read it"],
    ],
    ["an unknown key", "stop:\n  - command: x\n    timout: 3\n", ["3 UNKNOWN_KEY timout"]],
    [
      "an unknown key in a filter",
      "pre_tool_execution:\n  - command: x\n    filter:\n      tool: Bash\n",
      ["4 UNKNOWN_KEY tool"],
    ],
    [
      "a filter that never holds",
      "stop:\n  - command: x\n    filter: {tool_name: Bash}\n",
      ["2 UNREACHABLE stop has no tool, so a filter on one never matches"],
    ],
    [
      "an event twice",
      "stop:\n  - command: x\nstop:\n  - command: x\n",
      ['3 LINT "stop" appears twice, first in line 1'],
    ],
    [
      "a model for a command",
      "stop:\n  - command: x\n    model: m\n",
      ["3 LINT model has no effect on a hook of type bash"],
    ],
    [
      "a command for a model",
      "stop:\n  - {type: llm, prompt: x, command: y}\n",
      ["2 LINT command has no effect on a hook of type llm"],
    ],
    ["a timeout without end", "stop:\n  - command: x\n    timeout: 99999999\n", ["3 LIMIT_CLAMPED timeout"]],
    [
      "a second document",
      "stop:\n  - command: x\n---\nstop:\n  - command: x\n",
      [
        "3 SYNTAX a second YAML document begins here; only one is read, so remove this line",
        '4 LINT "stop" appears twice, first in line 1',
      ],
    ],
  ])("tells of %s and runs the hooks that are right", async (_, text, expected) => {
    const reading = await readHooks(text, foreign);
    expect(told(reading)).toEqual(expected);
    expect(new Set(running(reading))).toEqual(new Set(["x"]));
  });

  it("[jcli.start.2][jcli.config.2] warns of answers where they are ignored, and of a model asked there", async () => {
    const reading = await readHooks(
      'session_start:\n  - command: "echo \'{\\"inject_messages\\": []}\'"\npost_send_message:\n  - {type: llm, prompt: p}\nsession_end:\n  - command: ./save.sh\n',
      foreign,
    );
    expect(told(reading)).toEqual([
      "2 LINT the answer (inject_messages) is ignored at session_start",
      "4 LINT what the model answers is ignored at post_send_message",
    ]);
  });

  it("warns when only a model that fails open judges tool calls", async () => {
    const judge = "pre_tool_execution:\n  - {type: llm, prompt: p}\n";
    expect(told(await readHooks(judge, foreign))).toEqual([
      "2 LINT only a model judges tool calls here, and a call passes when it fails",
    ]);
    expect(told(await readHooks(`${judge}  - command: x\n`, foreign))).toEqual([]);
    expect(
      told(await readHooks("pre_tool_execution:\n  - {type: llm, prompt: p, on_error: abort}\n", foreign)),
    ).toEqual([]);
  });

  it.each([
    ["a list at the top", "- command: x\n", "1 SYNTAX the file must map event names to lists of hooks"],
    ["a text at the top", "just words\n", "1 SYNTAX the file must map event names to lists of hooks"],
    ["a map instead of a list", "stop:\n  command: x\n", "1 BAD_ENTRY stop must hold a list of hooks, not a map"],
    ["a dash without a blank", "stop:\n  -command: x\n", "1 BAD_ENTRY stop must hold a list of hooks, not a map"],
    ["a text instead of a list", "stop: ./x.sh\n", "1 BAD_ENTRY stop must hold a list of hooks, not text"],
    ["an alias to nothing", "stop: *nothing\n", "1 SYNTAX the alias *nothing refers to nothing"],
  ])("runs nothing of %s and says what is wrong", async (_, text, expected) => {
    const reading = await readHooks(text, foreign);
    expect(told(reading)[0]).toContain(expected);
    expect(running(reading)).toEqual([]);
  });

  it("refuses unknown keys in hookline's own files", async () => {
    const reading = await readHooks("stop:\n  - command: x\n    timout: 3\n  - command: y\n", own);
    expect(told(reading)).toEqual(['3 BAD_ENTRY unknown key "timout"']);
    expect(running(reading)).toEqual(["y"]);
  });

  it("refuses texts that are not UTF-8, and those alone", async () => {
    const reading = await readHooks("stop:\n  - command: a\uFFFD\n  - command: y\n", { own: false, lossy: true });
    expect(told(reading)).toEqual(["2 BAD_ENTRY command is not valid UTF-8"]);
    expect(running(reading)).toEqual(["y"]);
  });

  it.each([
    ["a flood of brackets", `stop: ${"[".repeat(200_000)}`, /nested too deep/],
    ["a flood of keys", `stop: ${"{a: ".repeat(200_000)}`, /nested too deep/],
    ["a flood of dashes", `stop: \n  ${"- ".repeat(200_000)}`, /nested too deep/],
    ["a staircase", Array.from({ length: 3000 }, (_, n) => `${" ".repeat(n)}a:`).join("\n"), /nested too deep/],
    [
      "an alias bomb",
      [
        "a: &a [x,x,x,x,x,x,x,x,x]",
        ..."bcdefghi".split("").map((key, n) => `${key}: &${key} [${`*${"abcdefgh"[n]},`.repeat(9).slice(0, -1)}]`),
      ].join("\n"),
      /SYNTAX/,
    ],
    ["an alias to itself", "stop: &a\n  - *a\n", /refers to nothing/],
  ])("survives %s and says so", async (_, text, problem) => {
    const reading = await readHooks(`${text}\npost_send_message:\n  - command: x\n`, foreign);
    expect(told(reading).join()).toMatch(problem);
    expect(running(reading).every((one) => one === "x")).toBe(true);
  });
});

const DEFECTS: readonly (readonly [string, string])[] = [
  ["a text entry", "  - ./guard.sh"],
  ["a number as the entry", "  - 7"],
  ["an empty entry", "  -"],
  ["an entry of null", "  - ~"],
  ["a list entry", "  - - command: y"],
  ["no command", "  - timeout: 3"],
  ["an empty command", '  - command: ""'],
  ["a blank command", '  - command: "  "'],
  ["a null command", "  - command: ~"],
  ["a command that is a list", "  - command: [a, b]"],
  ["a command that is a map", "  - command: {a: b}"],
  ["a NUL in a command", '  - command: "a\\0b"'],
  ["an llm hook without prompt", "  - type: llm"],
  ["an llm hook with a command only", "  - type: llm\n    command: y"],
  ["an empty prompt", "  - type: llm\n    prompt:"],
  ["a prompt without type", "  - prompt: y"],
  ["a type in capitals", "  - type: Bash\n    command: y"],
  ["an empty type", '  - command: y\n    type: ""'],
  ["a prompt that is a list", "  - type: llm\n    prompt: [a]"],
  ["an unknown type", "  - type: python\n    command: y"],
  ["a type that is a list", "  - type: [bash]\n    command: y"],
  ["a quoted timeout", '  - command: y\n    timeout: "5"'],
  ["a timeout of zero", "  - command: y\n    timeout: 0"],
  ["a negative timeout", "  - command: y\n    timeout: -1"],
  ["a broken timeout", "  - command: y\n    timeout: 1.5"],
  ["a timeout with an exponent", "  - command: y\n    timeout: 1e3"],
  ["a timeout without end", "  - command: y\n    timeout: .inf"],
  ["a timeout that is no number", "  - command: y\n    timeout: .nan"],
  ["a timeout of true", "  - command: y\n    timeout: true"],
  ["a timeout larger than a number", "  - command: y\n    timeout: 99999999999999999999"],
  ["a timeout with a unit", "  - command: y\n    timeout: 5s"],
  ["a timeout that is a map", "  - command: y\n    timeout: {s: 5}"],
  ["a negative retry", "  - command: y\n    retry: -1"],
  ["a timeout that is a list", "  - command: y\n    timeout: [5]"],
  ["a broken retry", "  - command: y\n    retry: 0.5"],
  ["a retry that is a list", "  - command: y\n    retry: [1]"],
  ["a retry in words", "  - command: y\n    retry: twice"],
  ["an on_error in capitals", "  - command: y\n    on_error: Abort"],
  ["an on_error that is a list", "  - command: y\n    on_error: [skip]"],
  ["an on_error that is a flag", "  - command: y\n    on_error: true"],
  ["an unknown on_error", "  - command: y\n    on_error: ignore"],
  ["a filter that is text", "  - command: y\n    filter: Bash"],
  ["a filter that is a list", "  - command: y\n    filter: [Bash]"],
  ["a filter key that is a map", "  - command: y\n    filter: {model_prefix: {a: b}}"],
  ["a filter key that is a list", "  - command: y\n    filter: {tool_matcher: [Bash]}"],
  ["a key twice", "  - command: y\n    command: z"],
  ["a tab before a key", "  - command: y\n\ttimeout: 3"],
  ["a tab before the dash", "\t- command: y"],
  ["an unclosed quote", '  - command: "y'],
  ["an unclosed single quote", "  - command: 'y"],
  ["an unclosed brace", "  - {command: y"],
  ["an unclosed bracket", "  - command: [y"],
  ["a colon in a value", "  - command: echo a: b"],
  ["a reserved character", "  - command: @y"],
  ["a backquote", "  - command: `y`"],
  ["a missing blank after a colon", "  - command: y\n    timeout:3"],
  ["another column", "   - command: y"],
  ["a column further left", " - command: y"],
  ["a key at the margin", "command: y"],
  ["words at the margin", "garbage"],
  ["a document marker", "---"],
  ["a key less indented", "  - command: y\n   timeout: 3"],
  ["a key more indented", "  - command: y\n      timeout: 3"],
  ["a line without meaning", "  - command: y\n    words"],
];

describe("a file of twenty hooks with one defect", () => {
  const good = Array.from({ length: 20 }, (_, n) =>
    n % 5 === 4
      ? `  - type: llm\n    prompt: |\n      Judge this:\n      - command: not an entry\n      {{tool_arguments}}\n      ${n}`
      : `  - command: "guard ${n}"\n    timeout: 5 # seconds`,
  );
  const texts = good.map((_, n) =>
    n % 5 === 4 ? `Judge this:\n- command: not an entry\n{{tool_arguments}}\n${n}\n` : `guard ${n}`,
  );

  it.each(DEFECTS)("keeps the others with %s at any place", async (name, defect) => {
    for (let at = 0; at <= 20; at++) {
      const entries = good.toSpliced(at, 0, defect);
      const text = `# guards\npre_tool_execution:\n${entries.join("\n")}\npost_tool_execution:\n  - command: last\n`;
      const reading = await readHooks(text, foreign);
      expect([name, at, running(reading)]).toEqual([name, at, [...texts, "last"]]);
      const first = 3 + good.slice(0, at).join("\n").split("\n").length - (at === 0 ? 1 : 0);
      const lines = all(reading).map(({ line }) => line);
      expect(lines.length, `${name} at ${at} is told`).toBeGreaterThan(0);
      const last = first + defect.split("\n").length - 1;
      expect(
        lines.some((line) => line >= first && line <= last),
        `${name} at ${at}: lines ${lines}, not in ${first} to ${last}`,
      ).toBe(true);
    }
  });
});

describe("a HOOK.yaml", () => {
  it("is one hook with a list of events", async () => {
    const reading = await readHookFolder(
      "events: [stop, post_llm_response]\nname: n\ndescription: d\ncommand: run.sh\ntimeout: 3\n",
      foreign,
    );
    expect(told(reading)).toEqual([]);
    expect(reading.hooks[0]?.definition).toMatchObject({
      events: ["stop", "post_llm_response"],
      text: "run.sh",
      timeoutMs: 3000,
    });
  });

  it.each([
    ["no events", "command: x\n", "BAD_ENTRY events must be a list of event names"],
    ["one event without a list", "events: stop\ncommand: x\n", "BAD_ENTRY events must be a list of event names"],
    ["an unknown event", "events: [on_fire]\ncommand: x\n", "UNKNOWN_HOOK_EVENT on_fire"],
    ["an unknown shell", "events: [stop]\nruntime: pwsh\ncommand: x\n", 'BAD_ENTRY runtime cannot be "pwsh"'],
    ["no command", "events: [stop]\n", "BAD_ENTRY the hook of type bash has no command"],
    ["a list", "- events: [stop]\n", "BAD_ENTRY the file is not a map"],
    ["broken YAML", 'events: [stop\ncommand: "x\n', "SYNTAX"],
  ])("with %s does not run and says why", async (_, text, expected) => {
    const reading = await readHookFolder(text, foreign);
    expect(told(reading).join("\n")).toContain(expected);
    expect(running(reading)).toEqual([]);
  });

  it("runs on the events that exist", async () => {
    const reading = await readHookFolder("events: [stop, on_fire, stop]\ncommand: x\n", foreign);
    expect(told(reading)).toEqual(["1 UNKNOWN_HOOK_EVENT on_fire"]);
    expect(reading.hooks[0]?.definition?.events).toEqual(["stop"]);
  });
});
