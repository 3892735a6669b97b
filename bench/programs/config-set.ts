import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A home folder with hooks. */
export interface Home {
  readonly path: string;
  remove(): void;
}

export function newHome(): Home {
  const path = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

const EVENTS = [
  "pre_send_message",
  "post_llm_response",
  "pre_tool_execution",
  "post_tool_execution",
  "stop",
  "pre_llm_request",
  "session_start",
  "session_end",
  "pre_auto_compact",
  "post_micro_compact",
];
const HOOKS_PER_EVENT = 10;

/** The number of hooks that `writeConfig` defines. */
export const CONFIG_HOOKS: number = EVENTS.length * HOOKS_PER_EVENT;

/** Writes a `hooks.yaml` of j-cli with a hundred hooks; returns its path. */
export function writeConfig({ path }: Home): string {
  const folder = join(path, ".jdata/agent");
  mkdirSync(folder, { recursive: true });
  const lines = EVENTS.flatMap((event) => [
    `${event}:`,
    ...Array.from({ length: HOOKS_PER_EVENT }, (_, i) => [
      "  - type: bash",
      `    command: "sh ~/hooks/${event}-${i}.sh --check"`,
      `    timeout: ${5 + i}`,
      "    retry: 1",
      "    on_error: skip",
      ...(event.includes("tool_execution") ? ["    filter:", "      tool_name: Bash"] : []),
    ]).flat(),
  ]);
  const file = join(folder, "hooks.yaml");
  writeFileSync(file, `# A hundred hooks.\n${lines.join("\n")}\n`);
  return file;
}
