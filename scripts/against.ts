import { join } from "node:path";
import { casesIn, OPTIONS, resultOf, written } from "../conformance/result.ts";
import { messageOf } from "../packages/ground/src/error/error.ts";
import { VERSION } from "../packages/ground/src/error/version.ts";
import { commandLine } from "./command-line.ts";
import { root } from "./step.ts";

const { values, words, refuse } = commandLine({
  name: "against",
  says: "Runs the cases against another runtime, like the command of packages/conformance. The runtime's command reads one case\nper line and writes one answer per line; see packages/conformance/README.md. Write a second -- before the command.",
  options: OPTIONS,
  words: { called: "COMMAND", says: "the other runtime, and its arguments" },
});
if (words.length === 0) refuse("Which command?");
const result = await resultOf(words, asked(), VERSION);
process.stdout.write(written(result, values));
if (result.cases.some(({ state }) => state === "differs")) process.exitCode = 1;

function asked(): ReturnType<typeof casesIn> {
  try {
    return casesIn(join(root, "conformance"), values);
  } catch (thrown) {
    return refuse(messageOf(thrown));
  }
}
