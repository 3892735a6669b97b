import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { BenchCase } from "./case.ts";

const folder = join(import.meta.dirname, "cases");

/** Returns all cases, in the order of their files. */
export async function benchCases(): Promise<readonly BenchCase[]> {
  const files = readdirSync(folder).sort();
  const modules = await Promise.all(files.map((file) => import(join(folder, file))));
  return (modules as { readonly cases: readonly BenchCase[] }[]).flatMap(({ cases }) => cases);
}
