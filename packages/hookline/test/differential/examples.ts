import { readdirSync } from "node:fs";
import { join } from "node:path";
import { peer } from "./peer.ts";

/** Examples of the real pi that cannot be loaded where only its own package is installed, and what they lack. */
export const LACKING: Readonly<Record<string, string>> = {
  gondolin: "@earendil-works/gondolin",
  sandbox: "@anthropic-ai/sandbox-runtime",
};

/** The path of an example, by its name. */
export function example(name: string): string {
  if ("absent" in peer) throw new Error(peer.absent);
  return join(peer.folder, "examples/extensions", name.includes(".") ? name : `${name}.ts`);
}

/** The path of an example that is a folder. */
export function exampleFolder(name: string): string {
  return example("x").replace(/x\.ts$/, name);
}

/** Every example's name: its file, or its folder. */
export function exampleNames(): string[] {
  return readdirSync(exampleFolder(""))
    .filter((name) => name !== "README.md")
    .sort();
}
