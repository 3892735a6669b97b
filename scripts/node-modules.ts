import { readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { type Metafile, transform } from "esbuild";
import { partsOf, spliced } from "./module-parts.ts";

const NAME = "node.js";
const OBJECT = "__node";

/** esbuild's records of built files, by their names in one folder. */
export type Outputs = ReadonlyMap<string, Metafile["outputs"][string]>;

/**
 * Makes built files load Node's modules when they first use them, in the form that `require` returns. An `import` reads
 * all exports of a module, and with `node:http` alone that loads a second HTTP client, with `node:util` a terminal.
 */
export async function deferNodeModules(dist: string, outputs: Outputs): Promise<void> {
  const keys = new Set<string>();
  for (const [name, { imports }] of outputs) {
    const wanted = imports.filter((one) => one.external && one.kind === "import-statement" && isBuiltin(one.path));
    if (wanted.length === 0) continue;
    const path = join(dist, name);
    const { code, define, found } = withoutImports(name, readFileSync(path, "utf8"));
    if (found !== wanted.length)
      throw new Error(
        `${name} imports Node's modules ${wanted.length} times, of which ${found} were found in its text.`,
      );
    for (const place of Object.values(define)) keys.add(place.split(".")[1] as string);
    const deferred = await transform(`import{${OBJECT}}from"./${NAME}";${code}`, {
      define,
      format: "esm",
      target: "node22.19",
      minifyWhitespace: true,
      minifySyntax: true,
      legalComments: "none",
    });
    writeFileSync(path, deferred.code);
  }
  const names = [...keys].sort();
  // Variables are prefixed, because one called `process` would hide the object that loads modules.
  const getters = names.map((name) => `get ${name}(){return $${name}??=load("node:${name.replaceAll("$", "/")}")}`);
  const text = `const load=process.getBuiltinModule;let ${names.map((name) => `$${name}`).join(",")};export const ${OBJECT}={${getters.join(",")}};\n`;
  writeFileSync(join(dist, NAME), text);
}

/** A file's text without its imports of Node's modules, and the replacement for each name that they bound. */
function withoutImports(name: string, text: string): { code: string; define: Record<string, string>; found: number } {
  const { imports, exported } = partsOf(name, text);
  const own = imports.filter(({ from }) => isBuiltin(from));
  const handedOn = new Set(exported.map(([local]) => local));
  const define: Record<string, string> = {};
  // Names that are exported again must be bound.
  const gone = own.filter(({ names }) => !names.some(([, local]) => handedOn.has(local)));
  for (const { from, names } of gone) {
    const place = `${OBJECT}.${from.replace(/^node:/, "").replaceAll("/", "$")}`;
    for (const [imported, local] of names)
      define[local] = imported === "*" || imported === "default" ? place : `${place}.${imported}`;
  }
  return {
    code: spliced(
      text,
      gone.map(({ start, end }) => ({ start, end, by: "" })),
    ),
    define,
    found: own.length,
  };
}
