import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { decodeText, parseJson } from "../../ground/src/decode/bytes.ts";
import { readJson } from "../../ground/src/decode/json.ts";
import type { Files } from "../../ground/src/file/files.ts";
import { field, isString } from "../../runtime/src/catalog/read.ts";
import { isBoolean } from "../src/chibi/hooks/reads.ts";
import { answerOf } from "../src/chibi/hooks/report.ts";
import { readRaw } from "../src/claude/hooks/answer.ts";
import { readFrontmatter } from "../src/claude/hooks/frontmatter.ts";
import { readSettings } from "../src/claude/hooks/settings-file.ts";
import { readJson as readManifest } from "../src/in-process/directory.ts";
import { readCallResult } from "../src/jcli/hooks/answer.ts";
import { readPrinted } from "../src/jcli/hooks/bash.ts";
import { Printed, remarked } from "../src/jcli/hooks/remarks.ts";

const PACKAGES = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Files that call a parser on something that is no person's file and no foreign answer, and why. A new call elsewhere
 * goes through `decode/`.
 */
const DIRECT: Readonly<Record<string, readonly string[]>> = {
  "is the decoder, or a scanner below it": [
    "ground/src/decode/bytes.ts",
    "ground/src/decode/json.ts",
    "ground/src/decode/scan.ts",
    "ground/src/decode/json-fault.ts",
    "hookline/src/session/line.ts",
    "runtime/src/transport/module/graph.ts",
    "ground/src/file/json-insert.ts",
  ],
  "reads a file of hookline's own that only hookline writes": [
    "hookline/src/cache/entry.ts",
    "hookline/src/start/admit.ts",
    "hookline/src/record/clean.ts",
    "hookline/src/consent/review-text.ts",
    "hookline/src/consent/former.ts",
    "hookline/src/consent/approved-texts.ts",
    "bridge/src/report/shown.ts",
    "guards/src/undo/records.ts",
    "bridge/src/install/module.ts",
    "hookline/src/context/last-session.ts",
    "hookline/src/context/state.ts",
    "hookline/src/context/partitions.ts",
    "hookline/src/lent/session-format.ts",
    "hookline/src/provider/compose.ts",
    "hookline/src/inspect/export-page.ts",
    "hookline/src/inspect/moment-file.ts",
    "runtime/src/config/stats.ts",
    "integrations/src/jcli/hooks/config.ts",
    "integrations/src/chibi/hooks/answers.ts",
    "runtime/src/transport/process/run-file.ts",
    "runtime/src/transport/module/store.ts",
    "runtime/src/transport/module/scripts.ts",
    "runtime/src/record/resolve.ts",
    "runtime/src/replay/decision.ts",
  ],
  "reads what a model or a server sends over a protocol that has no byte order mark": [
    "fleet/src/sign/token.ts",
    "hookline/src/bridge/ahp.ts",
    "hookline/src/provider/play.ts",
    "hookline/src/provider/http/api-error.ts",
    "hookline/src/provider/http/chat-client.ts",
    "hookline/src/provider/http/response.ts",
    "hookline/src/provider/arguments.ts",
    "hookline/src/provider/error-words.ts",
    "hookline/src/telemetry/worker.ts",
    "hookline/src/compact/rolling.ts",
    "hookline/src/rule/judge.ts",
    "hookline/src/tool/edit.ts",
    "integrations/src/codex/host/app-server.ts",
    "integrations/src/opencode/host/plugin.ts",
    "bridge/src/extension/text.ts",
  ],
  "is in a package that uses the library's public names alone, and takes a byte order mark off by itself": [
    "guards/src/word/scripts.ts",
  ],
  "is a text that a hook runs, or what another program's library does": [
    "integrations/src/omp/hooks/bun.ts",
    "integrations/src/omp/hooks/package-exports.ts",
    "integrations/src/jcli/hooks/starter.ts",
    "integrations/src/chibi/hooks/starter.ts",
  ],
};

function sources(): string[] {
  return ["ground", "runtime", "bridge", "integrations", "hookline", "fleet", "guards"].flatMap((name) =>
    readdirSync(join(PACKAGES, name, "src"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
}

it("no file but those listed parses JSON without the decoder", () => {
  const allowed = Object.values(DIRECT).flat().sort();
  const found = sources()
    .filter((path) => readFileSync(path, "utf8").includes("JSON.parse("))
    .map((path) => relative(PACKAGES, path))
    .sort();
  expect(found).toEqual(allowed);
});

const CHANGES: Readonly<Record<string, (text: string) => string | Uint8Array>> = {
  "as it is": (text) => text,
  "a byte order mark": (text) => `\uFEFF${text}`,
  "CR LF": (text) => text.replaceAll("\n", "\r\n"),
  "blanks behind it": (text) => `${text} \t\r\n\n`,
  "NULs behind it": (text) => `${text}\0\0`,
  "no last newline": (text) => text.replace(/\n$/, ""),
  "all of them": (text) => `\uFEFF${text.replaceAll("\n", "\r\n")}  \r\n\0`,
};

const bytesOf = (text: string | Uint8Array): Uint8Array =>
  typeof text === "string" ? new TextEncoder().encode(text) : text;
const fileOf = (bytes: Uint8Array): Files => ({
  read: () => bytes,
  stat: () => ({ kind: "file", size: bytes.length, mtimeMs: 0, mode: 0o644 }),
  list: () => [],
  real: (path) => path,
});

const SETTINGS = '{\n  "hooks": {\n    "Stop": [{ "hooks": [{ "type": "command", "command": "x" }] }]\n  }\n}\n';
const DENY =
  '{"hookSpecificOutput": {"hookEventName": "PreToolUse",\n "permissionDecision": "deny", "permissionDecisionReason": "no"}}\n';

/** Each door that takes bytes or a text, and what it decides about it. */
const DOORS: Readonly<Record<string, { text: string; decide(text: string | Uint8Array): unknown }>> = {
  "JSON of any file": { text: SETTINGS, decide: (text) => readJson(bytesOf(text)) },
  "JSON that throws": { text: SETTINGS, decide: (text) => parseJson(bytesOf(text)) },
  "settings of Claude Code": {
    text: SETTINGS,
    decide: (text) => {
      const read = readSettings(bytesOf(text));
      return "handlers" in read ? read.handlers : read;
    },
  },
  "settings of pi and oh-my-pi": {
    text: SETTINGS,
    decide: (text) => {
      const read = readManifest(fileOf(bytesOf(text)), "/settings.json");
      return read?.ok === true ? [read.value, read.lineOf("Stop")] : read;
    },
  },
  "fields of a skill": {
    text: '---\nname: a\nhooks:\n  Stop:\n    - hooks: [{ type: command, command: "x" }]\n---\nText\n',
    decide: async (text) => {
      const read = await readFrontmatter(bytesOf(text));
      return read !== undefined && "file" in read ? [read.name, read.file.handlers] : read;
    },
  },
  "stdout of a settings hook": {
    text: DENY,
    decide: (text) =>
      readRaw("PreToolUse", { stdout: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesOf(text)) }),
  },
  "body of an http hook": {
    text: DENY,
    decide: (text) =>
      readRaw("PreToolUse", { status: 200, body: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesOf(text)) }),
  },
  "stdout of a j-cli hook": {
    text: '{"action": "stop",\n "retry_feedback": "no"}\n',
    decide: (text) => readPrinted(String(text)),
  },
  "stdout of a chibi plugin": {
    text: '{"block": true,\n "message": "no"}\n',
    decide: (text) => answerOf(String(text)),
  },
};

describe.each(Object.entries(DOORS))("%s", (_, { text, decide }) => {
  it.each(Object.entries(CHANGES))("decides the same with %s", async (_name, change) => {
    expect(await decide(change(text))).toEqual(await decide(text));
  });
});

it.each(["utf-16le", "utf-16be"])("UTF-16 is named, with and without a mark: %s", (encoding) => {
  for (const mark of ["\uFEFF", ""]) {
    const bytes = Buffer.from(`${mark}{"a": 1}`, "utf16le");
    const read = decodeText(encoding === "utf-16le" ? bytes : bytes.swap16());
    expect(read).toMatchObject({ ok: false, message: "it is UTF-16; save it as UTF-8" });
  }
});

const readCall = remarked("pre_tool_execution", readCallResult);
const readJcli = (text: string): unknown => readCall(new Printed(readPrinted(text)));
const readChibi = field({ block: isBoolean, message: isString });

/** The refusing answer of each format, and how it is read. */
const REFUSALS: Readonly<Record<string, { refusal: string; read(text: string): unknown }>> = {
  "a settings hook": { refusal: DENY.trim(), read: (stdout) => readRaw("PreToolUse", { stdout }) },
  "a settings hook's older form": {
    refusal: '{"decision": "block", "reason": "no"}',
    read: (stdout) => readRaw("PreToolUse", { stdout }),
  },
  "a settings hook for prompts": {
    refusal: '{"decision": "block", "reason": "no"}',
    read: (stdout) => readRaw("UserPromptSubmit", { stdout }),
  },
  "a settings hook that ends the run": {
    refusal: '{"continue": false, "stopReason": "no"}',
    read: (stdout) => readRaw("PostToolUse", { stdout }),
  },
  "an http hook": { refusal: DENY.trim(), read: (body) => readRaw("PreToolUse", { status: 200, body }) },
  "a j-cli hook": { refusal: '{"action": "stop"}', read: readJcli },
  "a chibi plugin": {
    refusal: '{"block": true, "message": "no"}',
    read: (text) => readChibi(answerOf(text)),
  },
};

const asWide = (text: string): string => Buffer.from(text, "utf16le").toString();

const NEAR_MISSES: Readonly<Record<string, (refusal: string) => string>> = {
  twice: (refusal) => `${refusal}\n${refusal}`,
  "an empty object before it": (refusal) => `{}\n${refusal}`,
  "an empty object behind it": (refusal) => `${refusal}\n{}`,
  "a line before it": (refusal) => `loading\n${refusal}`,
  "a word before it": (refusal) => `answer: ${refusal}`,
  "a line behind it": (refusal) => `${refusal}\ndone`,
  "in a list": (refusal) => `[${refusal}]`,
  "as a JSON text": (refusal) => JSON.stringify(refusal),
  "in a code fence": (refusal) => `\`\`\`json\n${refusal}\n\`\`\``,
  "cut at its end": (refusal) => refusal.slice(0, -1),
  "cut in the middle": (refusal) => refusal.slice(0, Math.floor(refusal.length / 2)),
  "with single quotes": (refusal) => refusal.replaceAll('"', "'"),
  "with a comma too many": (refusal) => refusal.replace(/\}$/, ",}"),
  "in UTF-16": asWide,
  "in UTF-16 with a mark": (refusal) => asWide(`\uFEFF${refusal}`),
  "two byte order marks": (refusal) => `\uFEFF\uFEFF${refusal}`,
  "of a settings hook": () => DENY,
  "of j-cli": () => '{"action": "stop"}',
  "of chibi": () => '{"block": true, "message": "no"}',
};

/** Whether a reading refuses or is told to the person. */
function isHeard(read: () => unknown): boolean {
  let reading: unknown;
  try {
    reading = read();
  } catch {
    return true;
  }
  const { ok, answer, odd } = reading as { ok: boolean; answer?: object; odd?: readonly unknown[] };
  if (!ok || (odd !== undefined && odd.length > 0)) return true;
  return /"(?:decision":"deny|action":"stop|halt|block)"/.test(JSON.stringify(answer ?? {}));
}

describe.each(Object.entries(REFUSALS))("a refusal of %s", (_, { refusal, read }) => {
  it.each(Object.entries(NEAR_MISSES))("is heard or told: %s", (_name, change) => {
    expect(isHeard(() => read(change(refusal)))).toBe(true);
  });
});
