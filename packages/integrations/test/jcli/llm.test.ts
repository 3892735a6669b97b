import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { trials } from "../../../../scripts/trials.ts";
import { HookFailure } from "../../../runtime/src/run/failure.ts";
import { RESULT_FIELDS } from "../../src/jcli/hooks/fields.ts";
import { extract, render, TEMPLATE_FIELDS } from "../../src/jcli/hooks/llm.ts";
import type { HookContext } from "../../src/jcli/hooks/views.ts";
import { Bench, call, codes, model } from "./kit.ts";

const event: HookContext = {
  event: "pre_tool_execution",
  session_id: "s1",
  cwd: "/project",
  tool_name: "Bash",
  tool_arguments: '{"command":"ls"}',
};
const judge = (more = "") =>
  `pre_tool_execution:\n  - type: llm\n    prompt: "Judge {{tool_name}}: {{tool_arguments}}"\n${more}`;

const FIELD = new RegExp(`(\\{\\{(?:${TEMPLATE_FIELDS.join("|")})\\}\\})`);

describe("a prompt", () => {
  it("[jcli.llm.7] holds eight variables", () => {
    expect(TEMPLATE_FIELDS).toEqual([
      "event",
      "user_input",
      "assistant_output",
      "tool_name",
      "tool_arguments",
      "tool_result",
      "model",
      "cwd",
    ]);
    const whole = Object.fromEntries(TEMPLATE_FIELDS.map((name) => [name, `<${name}>`])) as unknown as HookContext;
    const template = TEMPLATE_FIELDS.map((name) => `{{${name}}}`).join(" ");
    expect(render(template, whole)).toBe(TEMPLATE_FIELDS.map((name) => `<${name}>`).join(" "));
  });

  it.each([
    ["missing values are empty", "[{{user_input}}]", "[]"],
    ["a variable may stand twice", "{{cwd}}{{cwd}}", "/project/project"],
    [
      "unknown ones stay",
      "{{session_id}} {{messages}} {{tool_error}} {{nope}}",
      "{{session_id}} {{messages}} {{tool_error}} {{nope}}",
    ],
    ["blanks inside make it another word", "{{ cwd }}", "{{ cwd }}"],
    ["dollar signs are text", "$& {{tool_name}} $1", "$& Bash $1"],
  ])("%s", (_, template, expected) => {
    expect(render(template, event)).toBe(expected);
  });

  it("is filled once: what is put in is never filled again", () => {
    const part = fc.constantFrom(
      ...TEMPLATE_FIELDS.map((field) => `{{${field}}}`),
      ...[
        "x",
        "{{",
        "}}",
        "{",
        "}",
        "{{ tool_name }}",
        "{{TOOL_NAME}}",
        "{{tool_names}}",
        "{{tool_{{event}}}}",
        "{{{cwd}}}",
      ],
      ...["$&", "$1", "$`", "$'", "$$", "$<name>", "\\", "%s", `$${"{cwd}"}`, "\u2028", "é🥊"],
    );
    const text = fc.array(part).map((parts) => parts.join(""));
    fc.assert(
      fc.property(
        text,
        fc.record(Object.fromEntries(TEMPLATE_FIELDS.map((field) => [field, text]))),
        (template, values) => {
          const pieces = template.split(FIELD);
          const reference = pieces.map((piece, at) => (at % 2 === 1 ? values[piece.slice(2, -2)] : piece)).join("");
          expect(render(template, { ...event, ...values })).toBe(reference);
        },
      ),
      { numRuns: trials(500) },
    );
  });
});

describe("a model's reply", () => {
  it.each([
    ["", undefined],
    [" \n", undefined],
    ["{}", {}],
    ['{"action":"skip"}', { action: "skip" }],
    ['Here you are:\n```json\n{"action":"skip"}\n```\nThat is all.', { action: "skip" }],
    ['{"retry_feedback":"a } b"}', { retry_feedback: "a } b" }],
    ['{"action":"stop"} (the input was {"command":"touch ran"})', { action: "stop" }],
    ['The input {"command":"ls"} is bad: {"action":"skip"}', { action: "skip" }],
    ['{"action":"stop","action":"none"}', { action: "stop" }],
  ])("[jcli.llm.5][jcli.judge.3] %j is read from the first brace to the last", (reply, expected) => {
    expect(extract(reply)).toEqual(expected);
  });

  it.each([
    ["no braces", "I would skip it", "the model's reply holds no JSON object"],
    ["braces the wrong way round", "} and {", "the model's reply holds no JSON object"],
    ["two objects", '{} or {"retry_feedback":"x"}', "it is not one valid JSON value"],
  ])("[jcli.judge.4] with %s is a failure", (_, reply, problem) => {
    expect(() => extract(reply)).toThrow(new HookFailure("bad", problem));
  });
});

describe("a hook of type llm", () => {
  it("[jcli.llm.1][jcli.judge.1][jcli.judge.2] asks the session's model once, without history, at temperature 0, with the format explained at the end", async () => {
    const bench = new Bench();
    bench.user(judge());
    const llm = model('{"action":"skip"}');
    const outcome = await (await bench.open({ llm })).emit("tool.before", call({ command: "rm" }));
    expect(outcome.answer).toMatchObject({ decision: "deny" });
    expect(llm.calls).toHaveLength(1);
    const [asked] = llm.calls;
    expect(asked).toMatchObject({ temperature: 0, maxTokens: 2048, timeoutMs: 30_000 });
    expect(asked).not.toHaveProperty("model");
    const [prompt, instruction] = asked?.prompt.split("\n\n---\n") ?? [];
    expect(prompt).toBe('Judge Bash: {"command":"rm"}');
    for (const field of RESULT_FIELDS) expect(instruction).toContain(`- ${field}: `);
    expect(instruction?.endsWith("Return {} if nothing changes.")).toBe(true);
  });

  it("[jcli.llm.3][jcli.judge.2] may name another model", async () => {
    const bench = new Bench();
    bench.user(judge("    model: gpt-4o-mini\n    timeout: 15\n"));
    const llm = model("{}");
    await (await bench.open({ llm })).emit("tool.before", call());
    expect(llm.calls[0]).toMatchObject({ model: "gpt-4o-mini", timeoutMs: 15_000 });
  });

  it.each([
    ["a reply without JSON", "no", "HOOK_BAD_ANSWER"],
    ["an answer of the wrong type", '{"action":"SKIP"}', "HOOK_BAD_ANSWER"],
    ["a network failure", { ok: false, cause: "failed", message: "500 secret" } as const, "HOOK_THREW"],
    ["a timeout", { ok: false, cause: "timed-out", message: "late" } as const, "HOOK_TIMED_OUT"],
    ["no model", { ok: false, cause: "no-model", message: "none" } as const, "HOOK_THREW"],
  ])(
    "[jcli.llm.6][jcli.judge.5][jcli.note.2] is asked once more after %s, and then on_error decides",
    async (_, reply, code) => {
      const bench = new Bench();
      bench.user(judge("    on_error: abort\n"));
      const llm = model(reply);
      const outcome = await (await bench.open({ llm })).emit("tool.before", call());
      expect(llm.calls).toHaveLength(2);
      expect(outcome.answer).toMatchObject({ decision: "deny", rest: "refuse" });
      expect(codes(outcome.diagnostics)).toEqual([code]);
      expect(JSON.stringify(outcome.diagnostics)).not.toContain("secret");
      expect(outcome.diagnostics[0]?.failure).not.toHaveProperty("said");
    },
  );

  it("uses a good second reply", async () => {
    const bench = new Bench();
    bench.user(judge());
    const outcome = await (await bench.open({ llm: model("hm", '{"action":"skip"}') })).emit("tool.before", call());
    expect(outcome.answer).toMatchObject({ decision: "deny" });
    expect(outcome.diagnostics).toEqual([]);
  });

  it("lets a call pass when it fails and on_error is skip, and says so", async () => {
    const bench = new Bench();
    bench.user(judge("    retry: 0\n"));
    const llm = model("hm");
    const outcome = await (await bench.open({ llm })).emit("tool.before", call());
    expect(llm.calls).toHaveLength(1);
    expect(outcome.answer).toEqual({});
    expect(codes(outcome.diagnostics)).toEqual(["HOOK_BAD_ANSWER", "FAILED_OPEN"]);
  });

  /** Replies of a judge that has been persuaded to allow everything. */
  const LAX = [
    "{}",
    '{"action":null}',
    '{"action":"allow"}',
    '{"decision":"allow","reason":"the user said so"}',
    '{"block":false,"isError":false}',
    '{"tool_arguments":"{\\"command\\":\\"true\\"}"}',
    '{"retry_feedback":"run it"}',
    '{"additional_context":"The call above is allowed."}',
    "The call is safe. Allow it.",
    "",
  ];

  it.each(LAX)("cannot lift another hook's refusal, before or behind it, by %j", async (reply) => {
    const refusal = `  - command: echo '{"action":"stop"}'\n`;
    const own = judge("    retry: 0\n").split("\n").slice(1).join("\n");
    for (const [hooks, asked] of [
      [refusal + own, 0],
      [own + refusal, 1],
    ] as const) {
      const bench = new Bench();
      bench.user(`pre_tool_execution:\n${hooks}`);
      const llm = model(reply);
      const outcome = await (await bench.open({ llm })).emit("tool.before", call());
      expect(outcome.answer).toMatchObject({ decision: "deny" });
      expect(llm.calls).toHaveLength(asked);
    }
  });
});
