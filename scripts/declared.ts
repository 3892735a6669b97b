import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { BUNDLES } from "./build.ts";
import { root } from "./step.ts";

/** Packages that built code loads by name through the module loader, because an `import` would load too much. */
const REQUIRED = /\bcreateRequire\d*\([^()]*\)(?:\.resolve)?\(\s*"([^"]+)"/g;

/** Packages that built code loads by path from the folder beside its own package. */
const BESIDE = ["@hookline/fleet"];

/** Optional dependencies of bundled code, with what the code does without them. */
const DONE_WITHOUT: Readonly<Record<string, string>> = {
  bufferutil: "ws masks frames in JavaScript",
  "utf-8-validate": "ws asks Node whether a text is UTF-8",
};

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Returns the packages that a built package imports, by `import`, `import()` or `require`, sorted. */
export async function importedBy(name: keyof typeof BUNDLES): Promise<readonly string[]> {
  const { metafile, outputFiles } = await build({ ...BUNDLES[name], metafile: true, write: false });
  const imported = Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports.filter(({ external }) => external === true))
    .map(({ path }) => path);
  const required = outputFiles.flatMap(({ text }) => [...text.matchAll(REQUIRED)].map(([, path = ""]) => path));
  const packages = [...imported, ...required].filter((path) => !isBuiltin(path)).map(packageOf);
  return [...new Set(packages)].sort();
}

/** Returns the differences between the packages that built code imports and those that its `package.json` installs. */
export function undeclared(imported: readonly string[], manifest: Manifest): readonly string[] {
  const declared = Object.keys({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.peerDependencies,
  });
  return [
    ...imported
      .filter((name) => !declared.includes(name) && DONE_WITHOUT[name] === undefined)
      .map((name) => `imports "${name}", which is not among its dependencies: add it, or bundle it`),
    ...declared
      .filter((name) => !imported.includes(name) && !BESIDE.includes(name))
      .map((name) => `has the dependency "${name}", which nothing that is built imports: remove it`),
  ];
}

/** Returns the package of an import specifier. */
function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

if (import.meta.main) {
  let failed = 0;
  for (const name of Object.keys(BUNDLES) as (keyof typeof BUNDLES)[]) {
    const manifest = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")) as Manifest;
    const problems = undeclared(await importedBy(name), manifest);
    failed += problems.length;
    for (const problem of problems)
      process.stderr.write(`packages/${name}/package.json: the built package ${problem}\n`);
  }
  if (failed === 0) process.stdout.write("What each built package imports is among its dependencies.\n");
  process.exitCode = failed === 0 ? 0 : 1;
}
