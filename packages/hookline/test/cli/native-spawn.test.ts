import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";

let place: Workplace;

beforeEach(() => {
  place = new Workplace();
});

afterEach(() => place.remove());

/** Looks at what the process has loaded once a program has been started. */
const LOOKS = `import { readFileSync, writeFileSync } from "node:fs";
export default (pi) => pi.on("agent_end", () => {
  writeFileSync("loaded", String(/koffi/.test(readFileSync("/proc/self/maps", "utf8"))));
});
`;

test.runIf(process.platform === "linux").each([
  ["without the setting", {}, {}, "true"],
  ["with nativeSpawn: false", { nativeSpawn: false }, {}, "false"],
  ["with nativeSpawn: false of a project", {}, { nativeSpawn: false }, "true"],
])("%s the native library is loaded or not, and hooks run", async (_, user, project, loaded) => {
  place.write("~/.hookline/settings.json", JSON.stringify(user));
  place.write(".hookline/settings.json", JSON.stringify(project));
  place.write("~/.pi/agent/extensions/looks.ts", LOOKS);
  place.write("~/.jdata/agent/hooks.yaml", "pre_tool_execution:\n  - command: 'touch hooked; echo {}'\n");
  place.write(
    "s.json",
    JSON.stringify({
      replies: [{ toolCalls: [{ name: "bash", arguments: { command: "touch ran" } }] }, { text: "ok" }],
    }),
  );
  const ran = await place.run(["--script", "s.json", "-p", "go"]);
  expect(ran.code).toBe(0);
  expect(readFileSync(join(place.project, "loaded"), "utf8")).toBe(loaded);
  expect(readFileSync(join(place.project, "hooked"), "utf8")).toBe("");
  expect(readFileSync(join(place.project, "ran"), "utf8")).toBe("");
});
