/** The first line of a recording. */
export const header = {
  v: 2,
  kind: "recording",
  at: 0,
  session: "made-up",
  cwd: "/project",
  hookline: "0.2.0",
  level: "all",
  t: Date.UTC(2026, 10, 22, 9),
};

const EVENTS = ["model.context", "message.end", "tool.before", "tool.after"] as const;
const TOOLS = ["bash", "read", "edit"] as const;

/** A long recording: every 50th call is refused, every 70th hook fails. */
export function* manyMoments(count: number): Generator<object> {
  yield header;
  for (let n = 1; n <= count; n += 1) {
    const event = EVENTS[n % EVENTS.length] as string;
    const isTool = event.startsWith("tool");
    const tool = TOOLS[n % TOOLS.length] as string;
    const isRefused = event === "tool.before" && n % 50 === 2;
    const hook = {
      id: `/project/.pi/extensions/guard-${n % 5}.ts#tool_call[0]`,
      lane: "pi",
      source: `/project/.pi/extensions/guard-${n % 5}.ts:3`,
      pass: 1,
      status: isRefused ? "answered" : n % 70 === 3 ? "failed" : "no-answer",
      ms: (n % 17) / 4,
      ...(isRefused && { answer: { block: true, reason: `number ${n} is refused` } }),
      ...(!isRefused && n % 70 === 3 && { problem: "threw Error: broken" }),
    };
    yield {
      v: 2,
      n,
      t: header.t + n * 40,
      event,
      turn: Math.floor(n / 20),
      scene: { cwd: header.cwd },
      payload: isTool ? { tool, toolCallId: `call-${n}`, args: { command: `echo ${n}` } } : { text: `text ${n}` },
      hooks: isTool ? [hook] : [],
      edits: [],
      outcome: isRefused ? { decision: "deny", reason: `number ${n} is refused` } : {},
      ms: hook.ms,
    };
  }
}

/** Texts that would act in a page or in a terminal if they were not taken as text. */
export const HOSTILE = [
  `<img src=x onerror="alert(1)">`,
  "</script><script>alert(2)</script>",
  "\u001b[2J\u001b]52;c;aGk=\u0007",
  "a\u202egnp.exe",
  "hidden\u{e0068}\u{e0069}",
  "javascript:alert(3)",
  "{{alert(4)}} onload=alert(5)",
] as const;

/** A moment that has hostile text wherever there can be text. */
export function hostileMoment(n: number, text: string): object {
  const hook = { id: `${text}#x`, lane: text, source: text, pass: 1, ms: 1 };
  return {
    v: 2,
    n,
    t: header.t + n * 1000,
    event: "tool.before",
    scene: { cwd: text, model: text, context: text },
    payload: { tool: text, toolCallId: text, args: { [text]: text, command: text } },
    hooks: [
      { ...hook, status: "answered", answer: { [text]: text } },
      { ...hook, status: "failed", problem: text, stderr: text },
    ],
    edits: [{ hook: `${text}#x`, lane: text, field: "args", from: { command: "ls" }, to: { command: text }, pass: 1 }],
    outcome: { decision: "deny", reason: text },
    asked: { answer: "deny", by: text },
    ms: 2,
  };
}
