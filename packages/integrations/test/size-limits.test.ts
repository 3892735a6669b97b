import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EventName } from "../../runtime/src/catalog/catalog.ts";
import type { Dialect } from "../../runtime/src/dialect/dialect.ts";
import { chibi } from "../src/chibi/hooks/index.ts";
import { claude } from "../src/claude/hooks/index.ts";
import { jcli } from "../src/jcli/hooks/index.ts";
import { omp } from "../src/omp/hooks/index.ts";
import { pi } from "../src/pi/hooks/index.ts";
import { type Opened, openSession, writeTree } from "./opened.ts";

const call = { toolCallId: "c1", tool: "bash", args: { command: "ls" } };
const ran = { ...call, content: [{ type: "text", text: "out" }], details: {}, isError: false, blocked: false };
const stop = { prompt: "p", reply: "r", messages: [], retryCount: 0, stopHookActive: false };
const failed = { ...ran, isError: true };

/** A text that a hook gives: by which dialect, in which field, at which event, and who reads it. */
interface Field {
  readonly dialect: Dialect | undefined;
  readonly field: string;
  readonly event: EventName;
  readonly payload: object;
  readonly files: (text: string) => Readonly<Record<string, string>>;
  /** Prepares the opened session before the event. */
  readonly prepare?: (opened: Opened, text: string) => void;
  /** The longest text of which nothing is lost on the way. */
  readonly longest?: number;
}

const settings =
  (event: string, answer: (text: string) => object, command = "cat ../home/answer.json") =>
  (text: string) => ({
    "home/.claude/settings.json": JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: "command", command }] }] } }),
    "home/answer.json": JSON.stringify(answer(text)),
  });
const own = (event: string, fields: object) => ({ hookSpecificOutput: { hookEventName: event, ...fields } });
const claudeField = (
  field: string,
  name: string,
  [event, payload]: readonly [EventName, object],
  answer: (text: string) => object,
): Field => ({ dialect: claude, field, event, payload, files: settings(name, answer) });

const TOOL = ["tool.before", call] as const;
const RAN = ["tool.after", ran] as const;
const module = (place: string, event: string, answer: string) => (text: string) => ({
  [place]: `export default (pi) => { const text = ${JSON.stringify(text)}; pi.on(${JSON.stringify(event)}, () => ${answer}); };`,
});
const piField = (dialect: Dialect, field: string, answer: string): Field => ({
  dialect,
  field,
  event: "tool.before",
  payload: call,
  files: module(
    dialect === pi ? "home/.pi/agent/extensions/x.ts" : "home/.omp/agent/hooks/pre/x.ts",
    "tool_call",
    answer,
  ),
});
const jcliField = (field: string, name: string, [event, payload]: readonly [EventName, object], more = {}): Field => ({
  dialect: jcli,
  field,
  event,
  payload,
  files: (text) => ({
    "home/.jdata/agent/hooks.yaml": `${name}:\n  - command: cat ../home/answer.json\n`,
    "home/answer.json": JSON.stringify({ ...more, [field]: text }),
  }),
});
const plugin = (point: string, answer: (text: string) => object) => (text: string) => ({
  "home/.chibi/plugins/p": `#!/bin/sh\nif [ "$1" = --schema ]; then echo '[{"name":"p","description":"d","parameters":{},"hooks":["${point}"]}]'; else cat ../home/answer.json; fi\n`,
  "home/answer.json": JSON.stringify(answer(text)),
});
const libraryField = (field: string, event: EventName, payload: object, answer: (text: string) => object): Field => ({
  dialect: undefined,
  field,
  event,
  payload,
  files: () => ({}),
  prepare: ({ session }, text) => void session.on(event, (() => answer(text)) as never),
});

const FIELDS: readonly Field[] = [
  claudeField("reason", "PreToolUse", TOOL, (text) =>
    own("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: text }),
  ),
  claudeField("reason", "PreToolUse", TOOL, (text) => ({ decision: "block", reason: text })),
  {
    ...claudeField("reason", "PreToolUse", TOOL, (text) => ({ text })),
    files: (text) => ({
      ...settings("PreToolUse", () => ({}), "cat ../home/answer.json >&2; exit 2")(text),
      "home/answer.json": text,
    }),
    // The host keeps only 64 KiB of stderr.
    longest: 65_536,
  },
  claudeField("additionalContext", "PreToolUse", TOOL, (text) => own("PreToolUse", { additionalContext: text })),
  claudeField("reason", "PreToolUse", TOOL, (text) => ({ continue: false, stopReason: text })),
  claudeField("a notice", "PreToolUse", TOOL, (text) => ({ systemMessage: text })),
  claudeField("block", "PostToolUse", RAN, (text) => ({ decision: "block", reason: text })),
  claudeField("block", "Stop", ["agent.stop", stop], (text) => ({ decision: "block", reason: text })),
  piField(pi, "reason", "({ block: true, reason: text })"),
  piField(pi, "reason", "{ throw new Error(text); }"),
  piField(omp, "reason", "({ block: true, reason: text })"),
  piField(omp, "additionalContext", "({ additionalContext: text })"),
  jcliField("retry_feedback", "pre_tool_execution", TOOL, { action: "stop" }),
  { ...jcliField("system_message", "pre_tool_execution", TOOL), field: "a notice" },
  jcliField("additional_context", "post_tool_execution_failure", ["tool.after", failed]),
  {
    dialect: chibi,
    field: "message",
    event: "tool.before",
    payload: call,
    files: plugin("pre_tool", (text) => ({ block: true, message: text })),
  },
  libraryField("reason", "tool.before", call, (text) => ({ decision: "deny", reason: text })),
  libraryField("additionalContext", "tool.before", call, (text) => ({ additionalContext: text })),
  libraryField("remark", "tool.after", ran, (text) => ({ remark: text })),
  libraryField("reason", "tool.after", ran, (text) => ({ halt: { reason: text } })),
  libraryField("feedback", "agent.stop", stop, (text) => ({ feedback: text })),
];

/** Returns how much of a text is passed on, and what is reported. */
async function given({ dialect, event, payload, files, prepare }: Field, length: number) {
  const text = "x".repeat(length);
  await using opened = await openSession(dialect ?? claude, {}, { env: { PATH: process.env["PATH"] ?? "" } });
  writeTree(opened.root, files(text));
  if (dialect === chibi) chmodSync(join(opened.root, "home/.chibi/plugins/p"), 0o755);
  const session = await opened.runtime.open({
    scene: { sessionId: "s2", cwd: join(opened.root, "project"), sessionFile: join(opened.root, "s/s2.jsonl") },
    onDiagnostic: (diagnostic) => void (opened.diagnostics as unknown[]).push(diagnostic),
  });
  prepare?.({ ...opened, session }, text);
  const { answer, notices } = await session.emit(event, payload as never);
  const said = JSON.stringify([answer, notices]);
  const path = /the whole text is in ([^\]]+)\]/.exec(said)?.[1];
  return {
    xs: Math.max(...said.split(/[^x]+/).map((run) => run.length)),
    kept: path === undefined ? undefined : readFileSync(path, "utf8").length,
    told: opened.diagnostics.filter(({ code }) => code === "TEXT_CUT").map(({ message }) => message),
    isSaid: said.includes(`[${length} characters in all; the whole text is in `),
  };
}

describe.each(FIELDS.map((field) => [field.dialect?.id ?? "library", field.field, field.event, field] as const))(
  "%s: %s at %s",
  (dialect, name, _, field) => {
    const most = field.dialect === claude ? 10_000 : 50_000;

    test.each([10, most - 1, most])("a text of %i characters is given whole", async (length) => {
      expect(await given(field, length)).toEqual({ xs: length, kept: undefined, told: [], isSaid: false });
    });

    test.each([most + 1, field.longest ?? 1_000_000])(
      "of %i, its beginning; the model and the person are told",
      async (length) => {
        const { xs, kept, told, isSaid } = await given(field, length);
        expect({ xs, isSaid, isWhole: (kept ?? 0) >= length }).toEqual({ xs: 2000, isSaid: true, isWhole: true });
        expect(told).toEqual([expect.stringContaining(`returned ${name} with `)]);
        if (dialect !== "library")
          expect(told[0]).toMatch(/Hook "[^"]+" \(\S*(settings\.json:\d+|x\.ts|hooks\.yaml:\d+|plugins\/p)/);
      },
    );
  },
);
