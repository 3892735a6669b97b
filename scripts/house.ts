import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Violation } from "./layers.ts";
import { root } from "./step.ts";
import { gitFiles } from "./tracked.ts";

const LONGEST = 700;

/** Files of samples for hook authors, which must have the form that their agents require. */
const FOREIGN = /\/integrations\/src\/\w+\/hooks\/starter\.ts$/;

const DECLARES = /^export (abstract |async )?(function|class|const|interface|type \w+)\b/;

/** Checks the rules that can be decided from a file's name or text. */
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

const INTEGRATIONS = "packages/integrations/src";

/** For each kind of file in agents' folders, the file that must list all of them. */
const LISTS: readonly (readonly [file: string, list: string])[] = [
  ["about.ts", "abouts.ts"],
  ["hooks/index.ts", "index.ts"],
  ["host/index.ts", "hosts.ts"],
  ["import.ts", "imports.ts"],
  ["tools.ts", "tools.ts"],
  ["transcript.ts", "transcripts.ts"],
];

/** Returns the files in agents' folders that are in no list: nothing would load them. */
export function unlisted(
  paths: readonly string[],
  read: (list: string) => string = (list) => readFileSync(join(root, list), "utf8"),
): Violation[] {
  return LISTS.flatMap(([file, name]) => {
    const list = `${INTEGRATIONS}/${name}`;
    return paths
      .filter((path) => path.startsWith(`${INTEGRATIONS}/`) && path.endsWith(`/${file}`))
      .filter((path) => path.split("/").length === INTEGRATIONS.split("/").length + 1 + file.split("/").length)
      .filter((path) => !read(list).includes(`"./${path.slice(INTEGRATIONS.length + 1)}"`))
      .map((path) => ({ file: path, problem: `is not in ${list}` }));
  });
}

/** Returns the sections and rulings that a text cites and that `docs/reference/sources.md` does not explain. */
export function unexplained(path: string, text: string, page: string): Violation[] {
  const sections = [...text.matchAll(/\bspec\/\w+\.md \d+/g)].map(([cited]) => cited.replace(" ", "` "));
  const rulings = [...text.matchAll(/\brulings? (\d+(?:(?:, | and )\d+)*)/gi)].flatMap(([, list = ""]) =>
    list.split(/\D+/),
  );
  const rows = [...sections.map((cited) => `| \`${cited} |`), ...rulings.map((number) => `| ${number} |`)];
  return [...new Set(rows)]
    .filter((row) => !page.includes(row))
    .map((row) => ({ file: path, problem: `docs/reference/sources.md has no row ${row}` }));
}

/** Checks the sources of the packages and the scripts, and what requirements and agents' pages cite. */
export function allHouseViolations(): Violation[] {
  const page = readFileSync(join(root, "docs/reference/sources.md"), "utf8");
  const sources = [...gitFiles("*.ts"), ...gitFiles("*.tsx")]
    .filter((path) => /^(packages\/\w+\/src|scripts)\//.test(path) && !path.startsWith("scripts/picture/"))
    .filter((path) => existsSync(join(root, path)));
  return [
    ...sources.flatMap((path) => {
      const text = readFileSync(join(root, path), "utf8");
      return [...houseViolations(path, text), ...unexplained(path, text, page)];
    }),
    ...[...gitFiles("conformance/requirements/*.yaml"), ...gitFiles("packages/integrations/src/**/README.md")].flatMap(
      (path) => unexplained(path, readFileSync(join(root, path), "utf8"), page),
    ),
    ...unlisted(sources),
  ];
}

if (import.meta.main) {
  const violations = allHouseViolations();
  for (const { file, problem } of violations) process.stderr.write(`${file}: ${problem}\n`);
  process.stdout.write(violations.length === 0 ? "The house rules hold.\n" : `${violations.length} violations.\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
