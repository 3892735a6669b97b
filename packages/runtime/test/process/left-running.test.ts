import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { claude } from "../../../integrations/src/claude/hooks/index.ts";
import { openSession } from "../../../integrations/test/opened.ts";

test("a program that a hook left running is named when the last session has closed", async () => {
  // The hook ends when its child has become `sleep`; before that the child is still called as the shell is.
  const command =
    "setsid sleep 86400 >/dev/null 2>&1 </dev/null & until grep -q sleep /proc/$!/comm; do sleep 0.01; done; exit 0";
  const opened = await openSession(
    claude,
    {
      "home/.claude/settings.json": JSON.stringify({
        hooks: { Stop: [{ hooks: [{ type: "command", command }] }] },
      }),
    },
    { env: { PATH: process.env["PATH"] ?? "" } },
  );
  const stop = { prompt: "p", reply: "r", messages: [], retryCount: 0, stopHookActive: false };
  await opened.session.emit("agent.stop", stop);
  await opened.session.close();
  await opened.runtime.close();
  const told = opened.diagnostics.filter(({ code }) => code === "PROGRAM_ENDED").map(({ message }) => message);
  expect(told).toEqual([
    expect.stringMatching(/^Programs that Stop hook \S+settings\.json:1 started, .* were ended: sleep$/),
  ]);
  rmSync(opened.root, { recursive: true, force: true });
});
