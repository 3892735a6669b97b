import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Workplace } from "../support/cli.ts";

const KEY = "key-0123456789-of-the-environment";

test("a key in the message of a failed hook is in no report and no trace", async () => {
  const place = new Workplace();
  onTestFinished(() => place.remove());
  const message = `refused with ${KEY} and Bearer abcdefghijklmnop`;
  place.write("~/.omp/agent/extensions/broken.ts", `throw new Error("${message}");\nexport default () => {};\n`);
  place.write(
    "~/.pi/agent/extensions/fails.ts",
    `export default (pi) => pi.on("input", () => { throw new Error("${message}"); });\n`,
  );
  place.write("script.json", JSON.stringify({ replies: [{ text: "done" }] }));
  const env = { OPENAI_API_KEY: KEY };

  const { err } = await place.run(["--script", "script.json", "--trace", "trace.jsonl", "-p", "go"], { env });
  const { out: list } = await place.run(["hooks", "list"], { env });
  const { out: json } = await place.run(["hooks", "list", "--json"], { env });
  const { out: shown } = await place.run(["--script", "script.json", "-p", "/hooks"], { env });
  const trace = readFileSync(join(place.project, "trace.jsonl"), "utf8");

  expect(JSON.parse(json)).toMatchObject({ summary: { notRunning: 1 } });
  for (const text of [err, list, json, shown, trace]) {
    expect(text).toContain("refused with [OPENAI_API_KEY] and Bearer [token]");
    expect(text).not.toContain(KEY);
  }
});
