import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Violation } from "./layers.ts";
import { root } from "./step.ts";
import { gitFiles } from "./tracked.ts";

const LONGEST = 700;

/** Examples for hook authors are modules in the form that their agents require. */
const FOREIGN = /\/dialect\/\w+\/starter\.ts$/;

const DECLARES = /^export (abstract |async )?(function|class|const|interface|type \w+)\b/;

/** The countable rules that a file's name or text breaks. */
export function houseViolations(path: string, text: string): Violation[] {
  const problems: string[] = [];
  const lines = text.split("\n");
  const name = basename(path);
  if (lines.length > LONGEST) problems.push(`has ${lines.length} lines; ${LONGEST} are the most`);
  if (!/^[a-z0-9]+(-[a-z0-9]+)*\.tsx?$/.test(name))
    problems.push("a name is in lower case, its words joined by hyphens");
  if (/\b(utils?|helpers|common|misc|shared|stuff|types)\b/.test(name)) problems.push("its name says nothing");
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1] ?? "";
    // An overloaded function is documented at its first signature.
    if (DECLARES.test(line) && !before.endsWith("*/") && !before.startsWith("export function"))
      problems.push(`line ${at + 1}: an export without a docstring`);
    if (/^export default\b/.test(line) && !FOREIGN.test(path)) problems.push(`line ${at + 1}: a default export`);
    if (/\brealpathSync\(/.test(line))
      problems.push(`line ${at + 1}: realpathSync, which mistakes or never ends some links; use realpathSync.native`);
    if (/\/\/.*\b(TODO|FIXME|XXX)\b/.test(line)) problems.push(`line ${at + 1}: something is left for later`);
  }
  return problems.map((problem) => ({ file: path, problem }));
}

/** Checks the sources of the packages and the scripts. */
export function allHouseViolations(): Violation[] {
  return [...gitFiles("*.ts"), ...gitFiles("*.tsx")]
    .filter((path) => /^(packages\/\w+\/src|scripts)\//.test(path) && !path.startsWith("scripts/picture/"))
    .filter((path) => existsSync(join(root, path)))
    .flatMap((path) => houseViolations(path, readFileSync(join(root, path), "utf8")));
}

if (import.meta.main) {
  const violations = allHouseViolations();
  for (const { file, problem } of violations) process.stderr.write(`${file}: ${problem}\n`);
  process.stdout.write(violations.length === 0 ? "The house rules hold.\n" : `${violations.length} violations.\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
