import { SIZE_LIMITS } from "../packages/ground/src/error/size-limits.ts";
import { CLAUDE_SIZE_LIMITS } from "../packages/integrations/src/claude/hooks/size-limits.ts";

const LIMITS = { ...SIZE_LIMITS, ...CLAUDE_SIZE_LIMITS };

const IN_FILE =
  "the first 2,000 characters are given, with the length and the path of a file that has all of it; a person is told, with the name of the hook";
const FAILS = "is a failure of the hook, which is told";

/** Describes each limit: the text, who reads it, and what happens to a longer one. */
const WORDS: Readonly<Record<keyof typeof LIMITS, readonly [what: string, reader: string, rest: string]>> = {
  claudeText: [
    "Claude Code: `reason`, `permissionDecisionReason`, `stopReason`, `additionalContext`, `systemMessage`, plain text that is context, stderr of exit code 2, a judge's reason, each of one hook",
    "the model",
    IN_FILE,
  ],
  hookText: [
    "the other dialects and the library: `reason`, `message`, `inject`, `additionalContext`, `additional_context`, `retry_feedback`, `system_message`, `feedback`, `remark`, the reason of a halt, a notice, the message of a guard that failed, each of one hook",
    "the model",
    IN_FILE,
  ],
  preview: ["what is given of a hook's text that is too long", "the model", "is in the file"],
  toolBytes: [
    "the result of one of hookline's own tools, or of a tool of an MCP server",
    "the model",
    "is cut at a line; the result says so, and how the rest can be read",
  ],
  toolLines: ["the same", "the model", "as above"],
  grepLine: ["a line that `grep` shows", "the model", "is cut, and the line ends with `... [truncated]`"],
  answer: ["what a hook's program writes to stdout, an answer in JSON", "hookline", FAILS],
  stderr: ["what a hook's program writes to stderr", "hookline", "the middle is left out, and a note says how much"],
  httpAnswer: ["the answer of a hook behind a URL", "hookline", FAILS],
  verdict: ["the reply of a model that judges", "hookline", FAILS],
  diagnostic: [
    "a detail of a problem, such as the message of an error",
    "a person",
    "is left out, and the detail ends with `…`",
  ],
  said: ["the line of stderr beside a hook's failure", "a person", "is left out, and the line ends with `…`"],
  screenText: [
    "a message, a result or a dialog on the screen",
    "a person",
    "is not shown, and a line says how much; the session has all of it",
  ],
  screenLine: ["a name or a title on the screen", "a person", "is left out; the line ends with `…`"],
  statusLine: [
    "a status text (`setStatus`, `statusMessage`), with its colours",
    "a person",
    "is left out; the line ends with `…`",
  ],
  terminalNote: [
    "Claude Code: a title or notification in `terminalSequence`",
    "a person",
    "is not written to the terminal",
  ],
  terminalNotes: ["Claude Code: how many of them one answer may have", "a person", "are not written to the terminal"],
};

/** Returns `docs/reference/limits.md`: a row for each limit of a text. */
export function limitsPage(): string {
  const rows = (Object.keys(WORDS) as (keyof typeof LIMITS)[]).map((name) => {
    const [what, reader, rest] = WORDS[name];
    const { most, unit } = LIMITS[name];
    return `| ${what} | ${reader} | ${sized(most, unit)} | ${rest} |`;
  });
  return `<!-- generated from scripts/limits-page.ts -->
# How long a text may be

Every text that a hook gives to the model, to a person or to hookline has a limit. Whatever is cut is told: to the person once, with the name of the hook (on stderr or the screen, as a \`notice\` in JSON and RPC), and to the model in the text itself.

What takes the place of something else is a value and is used whole, within the limit of an answer: \`updatedInput\`, \`updatedToolOutput\`, \`tool_arguments\`, \`tool_result\`, the \`content\` of a result, a prompt, a system prompt, messages.

| text | read by | at most | longer ones |
|---|---|---|---|
${rows.join("\n")}
`;
}

function sized(most: number, unit: string): string {
  const [mega, kilo] = [most / (1024 * 1024), most / 1024];
  if (unit === "bytes" && Number.isInteger(mega)) return `${mega} MiB`;
  if (unit === "bytes" && Number.isInteger(kilo)) return `${kilo} KiB`;
  return `${most.toLocaleString("en")} ${unit}`;
}
