import { afterEach, beforeEach, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";

let place: Workplace;

beforeEach(() => {
  place = new Workplace();
});

afterEach(() => place.remove());

test("a module that uses what the agent lends as it loads is listed as one that runs", async () => {
  const path = place.write(
    "tools.ts",
    `import { CustomEditor, createBashTool } from "@earendil-works/pi-coding-agent";
class Editor extends CustomEditor {}
const bash = createBashTool(process.cwd());
export default (pi) => pi.on("session_start", () => void [Editor, bash]);
`,
  );
  const { sources } = JSON.parse((await place.run(["hooks", "list", "--json", "-e", path])).out);
  expect(sources).toMatchObject([{ path, state: "runs", events: ["session_start"] }]);
});

test("what modules print as they load and run does not get into the JSON that is asked for", async () => {
  const path = place.write(
    "loud.ts",
    'console.log("loading"); export default (pi) => pi.on("input", () => console.log("asked"));',
  );
  const listed = await place.run(["hooks", "list", "--json", "-e", path]);
  expect(JSON.parse(listed.out).sources).toHaveLength(1);
  expect(listed.err).toContain("loading");
  const fired = await place.run(["hooks", "fire", "pi:input", "--json", "-e", path]);
  expect(JSON.parse(fired.out).hooks).toHaveLength(1);
  expect(fired.err).toContain("asked");
});

test("a module that imports what only the real program has runs, and is listed with what it lacks", async () => {
  const path = place.write(
    "selector.ts",
    `import { ModelSelectorComponent, SettingsManager } from "@earendil-works/pi-coding-agent";
import { Agent } from "@earendil-works/pi-agent-core";
export default (pi) => pi.on("session_start", () => [new Agent({}), SettingsManager, () => new ModelSelectorComponent()]);
`,
  );
  const { out, err } = await place.run(["hooks", "list", "-e", path]);
  expect(out).toMatch(/^runs +pi .*selector\.ts.*\n +lacks ModelSelectorComponent: /m);
  expect(out + err).toContain("ctx.ui.select");
  const { sources } = JSON.parse((await place.run(["hooks", "list", "--json", "-e", path])).out);
  expect(sources).toMatchObject([{ path, state: "runs", lacks: ["ModelSelectorComponent"] }]);
  const fired = await place.run(["hooks", "fire", "pi:session_start", "--json", "-e", path]);
  expect(JSON.parse(fired.out).hooks).toMatchObject([{ status: "no-answer" }]);
});
