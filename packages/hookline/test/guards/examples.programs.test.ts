import { spawnSync } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
});
afterEach(() => place.remove());

const fileOf = (name: string): string =>
  fileURLToPath(new URL(`../../../../examples/guards/${name}.ts`, import.meta.url));

/** Runs replies of a scripted model with an example; returns the results of its calls. */
async function run(name: string, replies: readonly object[], change = (text: string) => text) {
  place.write(`~/.hookline/guards/${name}.ts`, change(readFileSync(fileOf(name), "utf8")));
  place.write("script.json", JSON.stringify({ replies }));
  const { out, err } = await place.run(["--script", "script.json", "--mode", "json", "go"]);
  const messages = out
    .split("\n")
    .filter((line) => line.includes('"message_end"'))
    .map((line) => JSON.parse(line).message);
  const results: string[] = messages
    .filter((one) => one.role === "toolResult")
    .map(({ content }) => content.map(({ text = "" }) => text).join(""));
  return { results, said: out + err };
}

const call = (command: string) => ({ toolCalls: [{ name: "bash", arguments: { command } }] });

test("budget: a run ends with the request that is over the limit", async () => {
  const replies = [call("echo one"), call("echo two"), { text: "done" }];
  const { results, said } = await run("budget", replies, (text) => text.replace("tokens: Infinity", "tokens: 1"));
  expect(results).toEqual(["one\n"]);
  expect(said).toMatch(/used up its budget \(tokens: \d+\.00 of 1\)/);
});

test("budget: a call that had the same result five times is refused where nobody can be asked, another is not", async () => {
  const { results } = await run("budget", [...Array(6).fill(call("echo one")), call("echo two"), { text: "done" }]);
  expect(results.slice(0, 5)).toEqual(Array(5).fill("one\n"));
  expect(results[5]).toContain("This call had the same result 5 times.");
  expect(results[6]).toBe("two\n");
});

// The command is that of examples/guards/audit.md.
test("audit: a run leaves a chain that is whole, and a line that is added shows", async () => {
  await run("audit", [call("echo one"), call("echo two"), { text: "done" }]);
  const folder = join(place.home, ".hookline", "audit");
  const [name = ""] = readdirSync(folder).filter((one) => one.endsWith(".jsonl"));
  const verify = () => spawnSync(process.execPath, [fileOf("audit"), join(folder, name)], { encoding: "utf8" }).stdout;
  expect(readFileSync(join(folder, name), "utf8").trim().split("\n")).toHaveLength(2);
  expect(verify()).toBe("The chain is whole.\n");
  appendFileSync(join(folder, name), "{}\n");
  expect(verify()).toBe("Line 3 does not follow the line before it.\n");
});
