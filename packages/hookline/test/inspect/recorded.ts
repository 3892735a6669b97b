import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NewMoment, RecordingWriter } from "@hookline/runtime/past";
import { onTestFinished } from "vitest";

/** A folder for one test. */
export function folderForTest(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-inspect-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const GUARD = "pi:/work/guard.ts#tool_call[0]";
export const REWRITER = "jcli:/work/hooks.yaml#pre_send_message[0]";

/** A moment with what every moment has. */
export function moment(event: string, more: Partial<NewMoment> = {}): NewMoment {
  return { t: 1_000, event, scene: { cwd: "/work" }, payload: {}, hooks: [], edits: [], outcome: {}, ms: 0, ...more };
}

const TOOLS = ["read", "bash", "edit"];

/**
 * Moments as a session has them, turn after turn: a prompt, a request that carries all messages so far, a reply, a
 * guarded call and its result. Every fifth call is refused, every seventh result rewritten.
 */
export function* session(most: number, textChars = 200): Generator<NewMoment> {
  const messages: object[] = [];
  let made = 0;
  for (let turn = 0; made < most; turn++) {
    const t = 1_000_000 + turn * 1_000;
    const id = `call_${turn}`;
    const text = `prompt ${turn} ${"x".repeat(textChars)}`;
    messages.push({ role: "user", content: [{ type: "text", text }], timestamp: t });
    // A compaction removes messages in this way.
    if (messages.length > 60) messages.splice(0, 30);
    const call = {
      toolCallId: id,
      tool: TOOLS[turn % 3] as string,
      args: { command: `echo ${turn}`, path: `f${turn}` },
    };
    const isRefused = turn % 5 === 4;
    const isRewritten = turn % 7 === 6;
    const guard = { id: GUARD, lane: "pi", source: "/work/guard.ts:3", pass: 1 as const, ms: 0.2 + (turn % 10) };
    const reply = [{ type: "toolCall", id, name: call.tool, arguments: call.args }];
    const content = [{ type: "text", text: `result ${turn}` }];
    const all: NewMoment[] = [
      moment("prompt.before", {
        t,
        payload: { text },
        hooks: [{ id: REWRITER, lane: "jcli", source: "/work/hooks.yaml:1", pass: 1, status: "no-answer", ms: 3 }],
        ms: 3,
      }),
      moment("message.end", { t: t + 1, turn, payload: { message: messages.at(-1) } }),
      moment("model.context", {
        t: t + 10,
        turn,
        payload: { messages: [...messages], systemPrompt: "You are an agent." },
      }),
      moment("message.end", { t: t + 200, turn, payload: { message: { role: "assistant", content: reply } } }),
      moment("tool.before", {
        t: t + 210,
        turn,
        payload: call,
        hooks: [
          {
            ...guard,
            status: isRefused ? "answered" : "no-answer",
            ...(isRefused && { answer: { block: true, reason: "not here" } }),
          },
        ],
        outcome: isRefused ? { decision: "deny", reason: "not here" } : {},
        ms: guard.ms,
      }),
      moment("tool.after", {
        t: t + 300,
        turn,
        payload: { ...call, content, isError: isRefused, blocked: isRefused },
        hooks: isRewritten ? [{ ...guard, status: "answered", answer: { content: [] } }] : [],
        edits: isRewritten
          ? [
              {
                hook: GUARD,
                lane: "pi",
                field: "content",
                from: content,
                to: [{ type: "text", text: "short" }],
                pass: 1,
              },
            ]
          : [],
        outcome: isRewritten ? { content: [{ type: "text", text: "short" }] } : {},
      }),
    ];
    messages.push({ role: "assistant", content: reply, timestamp: t + 200 });
    messages.push({
      role: "toolResult",
      toolCallId: id,
      toolName: call.tool,
      content,
      isError: isRefused,
      timestamp: t + 300,
    });
    for (const one of all) {
      made += 1;
      if (made > most) return;
      yield one;
    }
  }
}

/** The header of a recording. */
export const HEADER = { session: "s-1", cwd: "/work", hookline: "0.0.0", level: "all" as const, t: 1 };

/** The lines of a recording, each with its line break. */
export function linesOf(moments: Iterable<NewMoment>, isEnded = true): string[] {
  const lines: string[] = [];
  const writer = new RecordingWriter({ write: (line) => void lines.push(line) }, HEADER);
  for (const one of moments) writer.moment(one);
  if (isEnded) writer.end();
  return lines;
}

/** Writes a recording as it would be written; gives its path. */
export function writeRecording(folder: string, moments: Iterable<NewMoment>, name = "s-1.jsonl"): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, "");
  let text = "";
  const flush = (): void => {
    appendFileSync(path, text);
    text = "";
  };
  const writer = new RecordingWriter(
    {
      write(line) {
        text += line;
        if (text.length > 1 << 20) flush();
      },
    },
    HEADER,
  );
  for (const one of moments) writer.moment(one);
  writer.end();
  flush();
  return path;
}
