import { SIZE_LIMITS } from "../packages/ground/src/error/size-limits.ts";
import { CLAUDE_SIZE_LIMITS } from "../packages/integrations/src/claude/hooks/size-limits.ts";

const LIMITS = { ...SIZE_LIMITS, ...CLAUDE_SIZE_LIMITS };

const IN_FILE =
  "the model gets the first 2,000 characters, the length, and the path of a file with the whole text; the person is told the hook's name";
const FAILS = "counts as a failure of the hook, and is reported";

/** Describes each limit: the text, who reads it, and what happens to a longer one. */
const WORDS: Readonly<Record<keyof typeof LIMITS, readonly [what: string, reader: string, rest: string]>> = {
  claudeText: [
    "Claude Code: `reason`, `permissionDecisionReason`, `stopReason`, `additionalContext`, `systemMessage`, plain output that is added to the context, stderr of a hook that exits with 2, the reason of a model that a hook asks; each text of each hook",
    "the model",
    IN_FILE,
  ],
  hookText: [
    "the other [dialects](dialects.md) (hook formats of agents) and the library: `reason`, `message`, `inject`, `additionalContext`, `additional_context`, `retry_feedback`, `system_message`, `feedback`, `remark`, the reason with which a hook ends a run, a notice, the message of a guard that failed; each text of each hook",
    "the model",
    IN_FILE,
  ],
  preview: [
    "the beginning that the model gets of a text of a hook that is too long",
    "the model",
    "the rest is in the file",
  ],
  toolBytes: [
    "the result of one of hookline's own tools, or of a tool of an MCP server",
    "the model",
    "is cut at the end of a line; the result says so, and how the model can read the rest",
  ],
  toolLines: ["the number of lines of such a result", "the model", "is cut in the same way"],
  grepLine: ["a line that `grep` shows", "the model", "is cut, and the line ends with `... [truncated]`"],
  answer: ["what a hook's program writes to stdout, such as its answer in JSON", "hookline", FAILS],
  stderr: ["what a hook's program writes to stderr", "hookline", "the middle is left out, and a note says how much"],
  httpAnswer: ["the answer of a hook behind a URL", "hookline", FAILS],
  verdict: ["the reply of a model that a hook asks for its judgement", "hookline", FAILS],
  diagnostic: [
    "a detail of a problem, such as the message of an error",
    "a person",
    "the rest is left out, and the detail ends with `…`",
  ],
  said: ["the line of stderr beside a hook's failure", "a person", "the rest is left out, and the line ends with `…`"],
  screenText: [
    "a message, a result or a dialog on the screen",
    "a person",
    "the rest is not shown, and a line says how much; the session's file has all of it",
  ],
  screenLine: ["a name or a title on the screen", "a person", "the rest is left out, and the line ends with `…`"],
  statusLine: [
    "a status text (`setStatus`, `statusMessage`), with its colours",
    "a person",
    "the rest is left out, and the line ends with `…`",
  ],
  terminalNote: [
    "Claude Code: a title or notification in `terminalSequence`",
    "a person",
    "is not written to the terminal",
  ],
  terminalNotes: [
    "Claude Code: titles and notifications in the `terminalSequence` of one answer",
    "a person",
    "further ones are not written to the terminal",
  ],
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

Every text that a hook or a tool gives to the model, to a person or to hookline has a limit. If a hook's text is cut, the person is told once, with the name of the hook (on stderr or the screen, or as a \`notice\` in JSON and RPC mode), and the text says so itself to the model.

A value that replaces another is never cut. It only must fit into the limit of an answer, 8 MiB: \`updatedInput\`, \`updatedToolOutput\`, \`tool_arguments\`, \`tool_result\`, the \`content\` of a result, a prompt, a system prompt, messages.

| text | who reads it | at most | a longer one |
|---|---|---|---|
${rows.join("\n")}
`;
}

function sized(most: number, unit: string): string {
  if (unit === "notes") return `${most}`;
  const [mega, kilo] = [most / (1024 * 1024), most / 1024];
  if (unit === "bytes" && Number.isInteger(mega)) return `${mega} MiB`;
  if (unit === "bytes" && Number.isInteger(kilo)) return `${kilo} KiB`;
  return `${most.toLocaleString("en")} ${unit}`;
}
