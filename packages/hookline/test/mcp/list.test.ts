import { expect, test } from "vitest";
import { Desk } from "../bridge/at-desk.ts";
import { FIXTURE } from "./kit.ts";

test("a server that fails is listed as failed, also where a slower one is waited for", async () => {
  using desk = new Desk();
  // Started again, it says nothing; the other one begins only then.
  const dead = "echo >> starts; [ $(wc -l < starts) -lt 2 ] || exec sleep 300; echo out of order >&2; exit 3";
  const slow = `until [ -e starts ] && [ $(wc -l < starts) -ge 2 ]; do sleep 0.05; done; exec ${process.execPath} ${FIXTURE}`;
  const servers = { dead: { command: "sh", args: ["-c", dead] }, slow: { command: "sh", args: ["-c", slow] } };
  desk.write("~/.hookline/mcp.json", JSON.stringify({ mcpServers: servers }));
  const { out } = await desk.run("mcp", "list", "--json");
  expect(JSON.parse(out).servers).toMatchObject([
    { name: "dead", state: "failed", problem: expect.stringContaining("exit code 3") },
    { name: "slow", state: "ready" },
  ]);
});
