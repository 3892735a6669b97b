import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { root, step } from "./step.ts";

/** Built-in entries that are not published separately, with the path of their types in the library's `dist`. */
const BUILT_IN: Readonly<Record<string, string>> = {
  "@hookline/ground": "ground/index.js",
  "@hookline/ground/system": "ground/system.js",
  "@hookline/runtime/engine": "engine.js",
  "@hookline/runtime/session": "session.js",
  "@hookline/runtime/past": "past.js",
};

/**
 * Writes the type declarations of the library, of its built-in packages and of the guards into `dist` folders. `tsc`
 * writes them by the folders of the sources, which differ from those of the packages. Returns the exit code of `tsc`.
 */
export async function makeDeclarations(): Promise<number> {
  const made = join(root, ".cache/declarations");
  const dist = join(root, "packages/runtime/dist");
  rmSync(made, { recursive: true, force: true });
  const code = await step("tsc", ["-p", "packages/runtime/tsconfig.build.json"]);
  if (code !== 0) return code;
  cpSync(join(made, "runtime/src"), dist, { recursive: true });
  for (const name of ["ground", "integrations"]) cpSync(join(made, name, "src"), join(dist, name), { recursive: true });
  // `./dialects` has the types of the integrations themselves; this file names an unpublished package.
  rmSync(join(dist, "dialects.d.ts"));
  for (const path of globSync("**/*.d.ts", { cwd: dist })) nameWithin(dist, path);
  cpSync(join(made, "guards/src"), join(root, "packages/guards/dist"), { recursive: true });
  return code;
}

/** Replaces the names of built-in packages in a declaration by relative paths. */
function nameWithin(dist: string, path: string): void {
  const text = readFileSync(join(dist, path), "utf8");
  const within = text.replace(/(["'])(@hookline\/[\w/-]+)\1/g, (whole, quote: string, name: string) => {
    const place = BUILT_IN[name];
    if (place === undefined) return whole;
    const from = relative(dirname(path), place).split(sep).join("/");
    return `${quote}${from.startsWith(".") ? from : `./${from}`}${quote}`;
  });
  if (within !== text) writeFileSync(join(dist, path), within);
}
