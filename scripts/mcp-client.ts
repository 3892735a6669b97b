import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./step.ts";

/** The client that the MCP project's conformance suite starts: hookline in print mode, with a scripted model. */
const [url = ""] = process.argv.slice(2);
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";

/** The call that the model makes in each scenario, as the suite's servers expect it. */
const CALLS: Readonly<Record<string, string>> = {
  tools_call: "{ name: mcp__server__add_numbers, arguments: { a: 5, b: 3 } }",
  "elicitation-sep1034-client-defaults": "{ name: mcp__server__test_client_elicitation_defaults, arguments: {} }",
  "sse-retry": "{ name: mcp__server__test_reconnection, arguments: {} }",
};

/** Output of a hook that accepts on the person's behalf, since nobody can be asked here. */
const ACCEPTS = JSON.stringify({ hookSpecificOutput: { hookEventName: "Elicitation", action: "accept", content: {} } });

const top = mkdtempSync(join(tmpdir(), "hookline-mcp-client-"));
const call = CALLS[scenario];
const replies = call === undefined ? "" : `  - toolCalls: [${call}]\n`;
const write = (path: string, text: string): void => {
  mkdirSync(join(top, path, ".."), { recursive: true });
  writeFileSync(join(top, path), text);
};
write("mcp.json", JSON.stringify({ mcpServers: { server: { type: "http", url } } }));
write("script.yaml", `replies:\n${replies}  - text: done\n`);
write("accept.json", ACCEPTS);
write(
  "home/.claude/settings.json",
  JSON.stringify({ hooks: { Elicitation: [{ hooks: [{ type: "command", command: `cat ${top}/accept.json` }] }] } }),
);
try {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(root, "packages/hookline/bin/hookline.js"),
      ...["-p", "--mcp-config", join(top, "mcp.json"), "--script", join(top, "script.yaml"), "--no-stdin", "go"],
    ],
    { cwd: top, encoding: "utf8", env: { PATH: process.env["PATH"] ?? "", HOME: join(top, "home") } },
  );
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = status ?? 1;
} finally {
  rmSync(top, { recursive: true, force: true });
}
