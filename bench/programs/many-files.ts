import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The number of files to search. */
export const FILES = 100_000;

const FOLDERS = 1000;
const WORDS = "alpha beta gamma delta lorem ipsum dolor sit amet const return function import export value".split(" ");
const BYTES = 450;

/** Creates a project of many small files in the scratch folder of the run; 20 of them contain `needle_here`. */
export function manyFiles(): string {
  const scratch = process.env["HOOKLINE_BENCH_SCRATCH"];
  if (scratch === undefined) throw new Error("npm run bench says by HOOKLINE_BENCH_SCRATCH where files can be made");
  const folder = join(scratch, "many-files");
  if (existsSync(folder)) return folder;
  const begun = `${folder}.begun`;
  for (let at = 0; at < FOLDERS; at++) {
    const path = join(begun, `package${Math.floor(at / 50)}`, "src", `part${at % 50}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES / FOLDERS; file++) {
      const index = at * (FILES / FOLDERS) + file;
      const needle = index % (FILES / 20) === 77 ? "needle_here 42\n" : "";
      writeFileSync(join(path, `file${file}.ts`), textOf(index) + needle);
    }
  }
  writeFileSync(join(begun, ".gitignore"), "node_modules/\n*.log\ndist/\n/build\n");
  renameSync(begun, folder);
  return folder;
}

/** Returns lines of words, different for each file. */
function textOf(index: number): string {
  let text = "";
  for (let at = index; text.length < BYTES; at = (at * 31 + 7) % 65_521)
    text += WORDS[at % WORDS.length] + (at % 8 === 0 ? "\n" : " ");
  return `${text}\n`;
}
