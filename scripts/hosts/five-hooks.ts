import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LoopbackReply } from "../../packages/hookline/test/support/loopback.ts";

/** A hook to try: what it should do, and where that shows. */
export interface Tried {
  readonly name: "guard" | "rewrite" | "redactor" | "context" | "stop";
  readonly dialect: string;
  /** Its file, relative to the home folder. */
  readonly path: string;
  /** Whether it worked, judged by the folder and by what the model was sent. */
  works(seen: Seen): boolean;
}

/** The results of a run. */
export interface Seen {
  /** All requests that the model was sent. */
  readonly sent: readonly string[];
  /** The text of a file in the project; empty if there is none. */
  file(name: string): string;
}

const CHIBI_GUARD = `#!/usr/bin/env node
if (process.argv[2] === "--schema") {
  console.log(JSON.stringify({ name: "guard", description: "guards", parameters: { type: "object", properties: {} }, hooks: ["pre_tool"] }));
} else if ((process.env.CHIBI_HOOK_DATA ?? "").includes("forbidden")) {
  console.log(JSON.stringify({ block: true, message: "GUARD-SAYS-NO" }));
}
`;

const OMP_REWRITE = `export default function rewrite(pi) {
  pi.on("tool_call", (event) => {
    const { command } = event.input;
    if (typeof command === "string") event.input.command = command.replace("as-written", "as-rewritten");
  });
}
`;

const PI_REDACTOR = `export default function redact(pi) {
  pi.on("tool_result", (event) => ({
    content: event.content.map((block) =>
      block.type === "text" ? { ...block, text: block.text.replaceAll("TOP-SECRET", "[redacted]") } : block,
    ),
  }));
}
`;

const CLAUDE_CONTEXT = {
  hooks: {
    UserPromptSubmit: [
      {
        hooks: [
          {
            type: "command",
            command: `echo '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"CONTEXT-IS-HERE"}}'`,
          },
        ],
      },
    ],
  },
};

const JCLI_STOP = `stop:
  - command: |
      if grep -q ALL-DONE; then echo '{}'; else echo '{"retry_feedback":"GO-ON-PLEASE"}'; fi
`;

/** The hooks, one for each dialect, each where its own program looks for it in the home folder. */
export const FIVE: readonly (Tried & { readonly text: string; readonly executable?: true })[] = [
  {
    name: "guard",
    dialect: "chibi",
    path: ".hookline/plugins/guard",
    text: CHIBI_GUARD,
    executable: true,
    works: ({ sent, file }) => file("made.txt") === "" && sent.some((text) => text.includes("GUARD-SAYS-NO")),
  },
  {
    name: "rewrite",
    dialect: "omp",
    path: ".omp/agent/extensions/rewrite.ts",
    text: OMP_REWRITE,
    works: ({ file }) => file("marker.txt") === "as-rewritten\n",
  },
  {
    name: "redactor",
    dialect: "pi",
    path: ".pi/agent/extensions/redact.ts",
    text: PI_REDACTOR,
    works: ({ sent }) =>
      sent.some((text) => text.includes("[redacted]")) && !sent.some((text) => text.includes("TOP-SECRET")),
  },
  {
    name: "context",
    dialect: "claude",
    path: ".claude/settings.json",
    text: JSON.stringify(CLAUDE_CONTEXT, null, 2),
    works: ({ sent }) => sent[0]?.includes("CONTEXT-IS-HERE") === true,
  },
  {
    name: "stop",
    dialect: "jcli",
    path: ".hookline/hooks.yaml",
    text: JCLI_STOP,
    works: ({ sent }) => sent.filter((text) => text.includes("GO-ON-PLEASE")).length === 1,
  },
];

/** Writes the hooks to a home folder. */
export function writeHooks(home: string): void {
  for (const { path, text, executable } of FIVE) {
    const full = join(home, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    if (executable) chmodSync(full, 0o755);
  }
}

/** The files of the project. */
export const PROJECT: Readonly<Record<string, string>> = { "secret.txt": "a TOP-SECRET word\n" };

/**
 * A scripted model that triggers all five hooks; `shell` makes one call of the host's own shell tool. `asksAgain` has it
 * make a rewritten call once more, as it is told to by the refusal of a host that cannot change calls.
 */
export function replies(
  shell: (command: string) => { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> },
  asksAgain = false,
): readonly LoopbackReply[] {
  const call = (id: string, command: string): LoopbackReply => ({ toolCalls: [{ id, ...shell(command) }] });
  return [
    call("call_guard", "echo forbidden > made.txt"),
    call("call_rewrite", "echo as-written >> marker.txt"),
    ...(asksAgain ? [call("call_again", "echo as-rewritten >> marker.txt")] : []),
    call("call_redact", "cat secret.txt"),
    { text: "half done" },
    { text: "ALL-DONE" },
  ];
}
