import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chooseFrom } from "../packages/ground/src/error/nearest.ts";
import { COMMANDS } from "./commands.ts";
import { root, step } from "./step.ts";

const [name = "--help", ...args] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (name === "--help" || name === "-h") process.stdout.write(listed());
else if (command === undefined) {
  process.stderr.write(`There is no command "${name}". ${otherFor(name)}\n\n${listed()}`);
  process.exitCode = 2;
} else {
  const [program, ...first] = command.run;
  const env = { ...command.env, ...(command.tests !== undefined && { HOOKLINE_TESTS: command.tests }) };
  process.exitCode = await step(program, [...first, ...args], { env });
}

function listed(): string {
  const width = Math.max(...Object.keys(COMMANDS).map(({ length }) => length));
  const lines = Object.entries(COMMANDS).map(([one, { says }]) => `  ${one.padEnd(width)}  ${says}\n`);
  return `npm run dev -- NAME [options]\n\n${lines.join("")}\n--help after a name lists its options.\n`;
}

/** Suggests what to run in place of an unknown command name. */
function otherFor(wrong: string): string {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly scripts: object };
  return Object.hasOwn(scripts, wrong) ? `Run \`npm run ${wrong}\`.` : chooseFrom(wrong, Object.keys(COMMANDS));
}
