// Keeps a line for each tool call, chained by hashes, so that a changed, removed or added line shows.
// `node audit.ts FILE` says whether a file is as it was written.
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { guard } from "@hookline/runtime/guard";

const FOLDER = join(process.env["HOOKLINE_HOME"] ?? join(homedir(), ".hookline"), "audit");
const FILE = join(FOLDER, `${new Date().toISOString()}-${process.pid}.jsonl`.replaceAll(":", ""));
/** Has the hash of the last line. Write it to another machine: a chain alone does not show that its end is missing. */
const headOf = (file: string): string => `${file}.head`;

const digest = (value: unknown): string =>
  createHash("sha256")
    .update(JSON.stringify(value) ?? "")
    .digest("hex");
let head = digest("");

function write(fields: object): void {
  const line = JSON.stringify({ ...fields, before: head });
  if (head === digest("")) mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
  appendFileSync(FILE, `${line}\n`, { mode: 0o600 });
  head = digest(line);
  writeFileSync(headOf(FILE), head, { mode: 0o600 });
}

/** Returns the first thing that is wrong with a file's text; `last` is the hash of its last line. */
export function problemOf(text: string, last: string): string | undefined {
  let expected = digest("");
  const lines = text.split("\n");
  const torn = lines.pop();
  for (const [at, line] of lines.entries()) {
    // Every line ends with the hash of the one before it, and its own hash is that of its text.
    if (!line.endsWith(`"before":"${expected}"}`)) return `Line ${at + 1} does not follow the line before it.`;
    expected = digest(line);
  }
  if (torn !== "") return `Line ${lines.length + 1} is not complete: writing was interrupted, or its end was cut off.`;
  return expected === last ? undefined : `The end after line ${lines.length} is missing, or the last line was changed.`;
}

export default guard({
  name: "audit",
  on: "tool.end",
  run: ({ tool, args, result, isError }) =>
    write({ time: new Date().toISOString(), tool, args: digest(args), result: digest(result), isError }),
  cases: [
    { tool: "bash", args: { command: "ls" }, payload: { result: { content: [] }, isError: false }, expect: "none" },
  ],
});

const [, program, file] = process.argv;
if (program === fileURLToPath(import.meta.url) && file !== undefined)
  console.log(problemOf(readFileSync(file, "utf8"), readFileSync(headOf(file), "utf8")) ?? "The chain is whole.");
