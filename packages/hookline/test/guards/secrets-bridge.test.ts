import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Desk } from "../bridge/at-desk.ts";

const GUARD = fileURLToPath(new URL("../../../guards/src/secrets/guard.ts", import.meta.url));

test("the loss report says where a host ignores what the guard has removed", async () => {
  using desk = new Desk();
  desk.write(
    "~/.hookline/guards/secrets.ts",
    `import { secrets } from ${JSON.stringify(GUARD)};\nexport default secrets();\n`,
  );
  for (const [host, lost] of [
    ["codex", ["prompt.before.text", "tool.after.content"]],
    ["gemini", ["prompt.before.text"]],
  ] as const) {
    const { out } = await desk.run("bridge", "report", host, "--json");
    const [hook] = JSON.parse(out).hooks;
    expect(hook.state).toBe("loss");
    expect(hook.losses.map(({ field }: { field: string }) => field)).toEqual(expect.arrayContaining([...lost]));
  }
});
