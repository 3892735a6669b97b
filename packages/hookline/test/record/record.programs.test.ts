import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readRecording } from "@hookline/runtime";
import { expect, onTestFinished, test } from "vitest";
import { Workplace } from "../support/cli.ts";

const SCRIPT = `replies:
  - toolCalls:
      - { name: write, arguments: { path: made.txt, content: made } }
      - { name: bash, arguments: { command: touch touched.txt } }
  - text: Over.
`;

function workplace(settings: object): Workplace {
  const at = new Workplace();
  onTestFinished(() => at.remove());
  at.write("~/.hookline/settings.json", JSON.stringify(settings));
  at.write("script.yaml", SCRIPT);
  return at;
}

const GO = ["--script", "script.yaml", "-p", "go"];

test("with decisionLog: required nothing runs that is not on record, and the run ends with 1", async () => {
  const at = workplace({ decisionLog: "required" });
  const recordings = at.write("~/.hookline/recordings", "a file in the folder's place");
  const refused = await at.run(["--mode", "json", ...GO]);
  expect(refused.code).toBe(1);
  expect(refused.out.match(/cannot be recorded: /g)?.length).toBeGreaterThanOrEqual(2);
  expect(refused.err.match(/The recording is not complete/g)).toHaveLength(1);
  expect(["made.txt", "touched.txt"].filter((name) => existsSync(join(at.project, name)))).toEqual([]);
  // When the recording can be written, the same calls run, and each is recorded.
  rmSync(recordings);
  mkdirSync(recordings);
  expect(await at.run(GO)).toMatchObject({ code: 0, out: "Over.\n" });
  expect(existsSync(join(at.project, "made.txt")) && existsSync(join(at.project, "touched.txt"))).toBe(true);
  const [name = ""] = readdirSync(recordings).filter((file) => file.endsWith(".jsonl"));
  const reader = readRecording(join(recordings, name));
  const guarded: unknown[] = [];
  for await (const { event, payload } of reader.moments()) if (event === "tool.before") guarded.push(payload);
  reader.close();
  expect(guarded).toEqual([{ tool: "write" }, { tool: "bash" }]);
});
