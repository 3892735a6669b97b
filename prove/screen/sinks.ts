import type { SittingOptions } from "../../packages/hookline/test/support/sitting.ts";

/** A place on the screen that shows foreign text. */
export interface Sink {
  readonly name: string;
  /** Code of an extension that shows the text `t` when its command is called; `done` closes what it opened. */
  readonly act?: string;
  /** Makes the model, a tool or the disk show the texts. */
  readonly given?: (texts: readonly string[]) => SittingOptions;
  /** Returns what a person types to show the text with this number. */
  says(at: number): string;
  /** Keys that close what was opened to show the text. */
  readonly after?: string;
}

const byCommand = (at: number): string => `/go ${at}`;
const asked = (name: string, act: string, after?: string): Sink => ({
  name,
  act,
  says: byCommand,
  ...(after !== undefined && { after }),
});
const replies =
  (reply: (text: string) => object, more: SittingOptions = {}) =>
  (texts: readonly string[]) => ({
    ...more,
    replies: texts.map(reply),
  });

/** Makes a tool that returns the text with a number. */
function toolGiving(result: string): (texts: readonly string[]) => SittingOptions {
  return (texts) => ({
    files: {
      "~/.pi/agent/extensions/tool.ts": `const texts = ${JSON.stringify(texts)};
        export default function (pi) { pi.registerTool({ name: "give", label: "give", description: "", parameters: { type: "object", properties: { at: { type: "number" } } },
          execute: async (id, { at }) => { const t = texts[at]; ${result} } }); }`,
    },
    replies: texts.flatMap((_, at) => [{ toolCalls: [{ name: "give", arguments: { at } }] }, { text: `given ${at}` }]),
  });
}

/** All places on the screen where text of hooks, models, tools and files appears. */
export const SINKS: readonly Sink[] = [
  asked("status", 'ui.setStatus("k", t)'),
  asked("toast", "ui.notify(t)"),
  asked("notice", 'ui.notify(t, "error")'),
  asked("widget", 'ui.setWidget("w", ["before", t])'),
  asked("title of the terminal", "ui.setTitle(t)"),
  {
    name: "working line",
    act: "ui.setWorkingMessage(t)",
    says: byCommand,
    given: () => ({ replies: [{ text: "late", delayMs: 600_000 }], args: ["begin"] }),
  },
  asked("editor", "ui.setEditorText(t)", "\x15"),
  asked("paste", "ui.pasteToEditor(t)", "\x15"),
  asked("choice", "void ui.select(t, [t, t + t])", "\x1b"),
  asked("confirmation", "void ui.confirm(t, t)", "\x1b"),
  asked("line of text", "void ui.input(t, t)", "\x1b"),
  asked("text of several lines", "void ui.editor(t, t)", "\x1b"),
  asked(
    "component",
    "void ui.custom((tui, theme, keys, done) => ({ invalidate() {}, render: () => [t], handleInput: done }))",
    "q",
  ),
  asked(
    "component over the screen",
    "void ui.custom((tui, theme, keys, done) => ({ invalidate() {}, render: () => [t], handleInput: done }), { overlay: true })",
    "q",
  ),
  asked("header", "ui.setHeader(() => ({ invalidate() {}, render: () => [t] }))"),
  asked("footer", "ui.setFooter(() => ({ invalidate() {}, render: () => [t] }))"),
  asked("message of a hook", "pi.sendMessage({ customType: t, content: t, display: true })"),
  asked("name of the session", "pi.setSessionName(t)"),
  asked("what a module prints", "process.stdout.write(t + '\\n'); process.stderr.write(t + '\\n')"),
  asked("failure of a component", "ui.setWidget('w', () => ({ invalidate() {}, render() { throw new Error(t); } }))"),
  asked("theme", "ui.setWidget('w', (tui, theme) => ({ invalidate() {}, render: () => [theme.fg('accent', t)] }))"),
  { name: "reply", given: replies((text) => ({ text: `said ${text}` })), says: (at) => `ask ${at}` },
  {
    name: "code of a reply",
    given: replies((text) => ({ text: `\`\`\`ts\n${text}\n\`\`\`` })),
    says: (at) => `ask ${at}`,
  },
  { name: "link of a reply", given: replies((text) => ({ text: `[a](http://x/${text})` })), says: (at) => `ask ${at}` },
  { name: "thinking", given: replies((text) => ({ thinking: text, text: "so" })), says: (at) => `ask ${at}` },
  {
    name: "arguments of a call",
    given: (texts) => ({
      replies: texts.flatMap((text) => [
        { toolCalls: [{ name: "read", arguments: { path: text } }] },
        { text: "done" },
      ]),
    }),
    says: (at) => `ask ${at}`,
  },
  {
    name: "result of a tool",
    given: toolGiving('return { content: [{ type: "text", text: t }] };'),
    says: (at) => `ask ${at}`,
  },
  { name: "failure of a tool", given: toolGiving("throw new Error(t);"), says: (at) => `ask ${at}` },
];
