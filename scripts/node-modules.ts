import { readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { type Metafile, transform } from "esbuild";
import { partsOf, spliced } from "./module-parts.ts";

const NAME = "node.js";
const OBJECT = "__node";

/** esbuild's kinds for import statements and `import(…)`. */
const KINDS: readonly string[] = ["import-statement", "dynamic-import"];

/** esbuild's records of built files, by their names in one folder. */
export type Outputs = ReadonlyMap<string, Metafile["outputs"][string]>;

/**
 * Makes built files load Node's modules at their first use, as the object that `require` returns. An `import` statement
 * reads all exports of a module, and with `node:http` that alone loads a second HTTP client, with `node:util` a
 * terminal.
 */
export async function deferNodeModules(dist: string, outputs: Outputs): Promise<void> {
  const keys = new Set<string>();
  for (const [name, { imports }] of outputs) {
    const wanted = imports.filter((one) => one.external && KINDS.includes(one.kind) && isBuiltin(one.path));
    if (wanted.length === 0) continue;
    const path = join(dist, name);
    const { code, define, places, found } = withoutImports(name, readFileSync(path, "utf8"));
    if (found !== wanted.length)
      throw new Error(
        `${name} imports Node's modules ${wanted.length} times, of which ${found} were found in its text.`,
      );
    for (const place of places) keys.add(place.split(".")[1] as string);
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

interface Deferred {
  readonly code: string;
  /** The replacement for each name that an `import` statement bound. */
  readonly define: Record<string, string>;
  /** Expressions for the modules that the file uses, such as `load.fs.readFileSync`. */
  readonly places: readonly string[];
  readonly found: number;
}

/** Returns a file's text without its imports of Node's modules. */
function withoutImports(name: string, text: string): Deferred {
  const { imports, exported, dynamic } = partsOf(name, text);
  const own = imports.filter(({ from }) => isBuiltin(from));
  const later = dynamic.flatMap(({ start, end, from }) =>
    from !== undefined && isBuiltin(from) ? [{ start, end, place: placeOf(from) }] : [],
  );
  const handedOn = new Set(exported.map(([local]) => local));
  const define: Record<string, string> = {};
  // A name that is exported again must stay bound, so its import stays.
  const gone = own.filter(({ names }) => !names.some(([, local]) => handedOn.has(local)));
  for (const { from, names } of gone) {
    const place = placeOf(from);
    for (const [imported, local] of names)
      define[local] = imported === "*" || imported === "default" ? place : `${place}.${imported}`;
  }
  return {
    code: spliced(text, [
      ...gone.map(({ start, end }) => ({ start, end, by: "" })),
      ...later.map(({ start, end, place }) => ({ start, end, by: `Promise.resolve(${place})` })),
    ]),
    define,
    places: [...Object.values(define), ...later.map(({ place }) => place)],
    found: own.length + later.length,
  };
}

function placeOf(from: string): string {
  return `${OBJECT}.${from.replace(/^node:/, "").replaceAll("/", "$")}`;
}
