import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder with the seed documents, beside the repository; required in CI. */
const folder = process.env["HOOKLINE_SEEDS"] ?? fileURLToPath(new URL("../../../../../shared/seeds", import.meta.url));

export const seedsAreHere = existsSync(folder) || process.env["CI"] !== undefined;

/** The text of a seed, by its number. */
export function seedText(number: string): string {
  const name = readdirSync(folder).find((file) => file.startsWith(number));
  if (name === undefined) throw new Error(`The seed ${number} is not in ${folder}.`);
  return readFileSync(join(folder, name), "utf8");
}

/** Fenced blocks of a language, in the document's order. */
export function fenced(number: string, language: string): string[] {
  const blocks: string[] = [];
  for (const match of seedText(number).matchAll(/^\s*```(\w*)\n([\s\S]*?)^\s*```/gm)) {
    if (match[1] === language) blocks.push(match[2] as string);
  }
  return blocks;
}

/** The unfenced example that follows a heading: from its first import to the brace that closes the module. */
export function unfenced(number: string, heading: string): string {
  const text = seedText(number);
  const from = text.indexOf("import", text.indexOf(heading));
  const end = text.indexOf("\n}\n", from);
  if (from < 0 || end < 0) throw new Error(`The seed ${number} has no example under "${heading}".`);
  return text.slice(from, end + 3);
}

/** Whether a program that an example needs is installed; in CI it must be. */
export function has(program: string): boolean {
  return process.env["CI"] !== undefined || spawnSync(program, ["--version"]).status === 0;
}
