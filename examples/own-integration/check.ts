import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Message } from "@hookline/runtime";
import { openHost } from "./host.ts";

const top = mkdtempSync(join(tmpdir(), "hookline-acme-"));
const [home, cwd] = [join(top, "home"), join(top, "project")];
const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
};
// A hook of Acme: it is shown Acme's names.
write(join(cwd, ".acme/hooks.json"), '{ "beforeTool": ["keep-main.sh"] }');
write(
  join(cwd, "keep-main.sh"),
  `#!/bin/sh\ngrep -q '"tool":"shell".*"line":"git push' && echo '{"refuse":"main is protected"}'\nexit 0\n`,
);
// A hook of Claude Code, which knows nothing of Acme: it is shown a call of Bash.
const bash = `jq=$(cat); case "$jq" in *'"tool_name":"Bash"'*'rm -rf'*) echo 'not that way' >&2; exit 2;; esac`;
const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: bash }] }] };
write(join(cwd, ".claude/settings.json"), JSON.stringify({ hooks }));
// A hook of pi: it changes the result of a file that Acme reads.
write(
  join(home, ".pi/agent/extensions/redact.ts"),
  'export default (pi: any) => pi.on("tool_result", ({ toolName, content: [first] }: any) => toolName === "read" ? { content: [{ type: "text", text: first.text.replace(/key-\\w+/, "[key]") }] } : undefined);\n',
);

const messages: Message[] = [];
const host = await openHost({ home, cwd, messages: () => messages });
try {
  const sources = host.report.sources.map(({ path, state }) => `${state}  ${path.replace(top, "")}`);
  console.log(sources.join("\n"));
  const shell = (id: string, line: string) =>
    host.tool({ id, tool: "shell", args: { line } }, async (args) => `ran ${args["line"]}`);
  const told = [
    await shell("1", "ls"),
    await shell("2", "git push origin main"),
    await shell("3", "rm -rf build"),
    await host.tool({ id: "4", tool: "open_file", args: { file: "config" } }, async ({ file }) => `${file}: key-123`),
  ];
  for (const { ran, text } of told) console.log(`${ran ? "ran    " : "refused"}  ${text}`);
  assert.deepEqual(
    told.map(({ ran }) => ran),
    [true, false, false, true],
  );
  assert.match(told[1]?.text ?? "", /main is protected/);
  assert.match(told[2]?.text ?? "", /not that way/);
  assert.equal(told[3]?.text, "config: [key]");
  assert.deepEqual(await host.prompt("hello"), { text: "hello" });
  assert.deepEqual(await host.stop("hello", "done", 0), []);
} finally {
  await host.close();
  rmSync(top, { recursive: true, force: true });
}
