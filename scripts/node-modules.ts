import { readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { type Metafile, transform } from "esbuild";

const NAME = "node.js";
const OBJECT = "__node";
const IMPORT = /(?<=^|[;}\n])import\b([\w$\s,*{}]+)from ?"([^"]+)";/g;

/** esbuild's records of built files, by their names in one folder. */
export type Outputs = ReadonlyMap<string, Metafile["outputs"][string]>;

/**
 * Lets built files take Node's modules where they first use one, and as `require` gives them. An `import` of one reads
 * all that it exports, by which `node:http` alone loads a second HTTP client and `node:util` a terminal.
 */
export async function deferNodeModules(dist: string, outputs: Outputs): Promise<void> {
  const keys = new Set<string>();
  for (const [name, { imports }] of outputs) {
    const wanted = imports.filter((one) => one.external && one.kind === "import-statement" && isBuiltin(one.path));
    if (wanted.length === 0) continue;
    const path = join(dist, name);
    const { code, define, found } = withoutImports(readFileSync(path, "utf8"));
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
  const getters = names.map((name) => `get ${name}(){return ${name}??=load("node:${name.replaceAll("$", "/")}")}`);
  const text = `const load=process.getBuiltinModule;let ${names.join(",")};export const ${OBJECT}={${getters.join(",")}};\n`;
  writeFileSync(join(dist, NAME), text);
}

/** A file's text without its imports of Node's modules, and what takes the place of each name that they bound. */
function withoutImports(text: string): { code: string; define: Record<string, string>; found: number } {
  const define: Record<string, string> = {};
  const exported = new Set(/export ?\{([^{}]*)\};?\s*$/.exec(text)?.[1]?.split(",").map(localOf));
  let found = 0;
  const code = text.replace(IMPORT, (whole, clause: string, specifier: string) => {
    if (!isBuiltin(specifier)) return whole;
    found++;
    const place = `${OBJECT}.${specifier.replace(/^node:/, "").replaceAll("/", "$")}`;
    const bound = boundBy(clause, place);
    // What is handed on to another file must be bound.
    if (bound.some(([local]) => exported.has(local))) return whole;
    for (const [local, at] of bound) define[local] = at;
    return "";
  });
  return { code, define, found };
}

/** The names that an import binds, with where each is found. */
function boundBy(clause: string, place: string): [local: string, at: string][] {
  const [whole = "", named = ""] = clause.split(/[{}]/);
  const parts = (text: string): string[][] =>
    text.split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim().split(/ ?as /)]));
  return [
    ...parts(whole).map((names): [string, string] => [names.at(-1) as string, place]),
    ...parts(named).map((names): [string, string] => [
      names.at(-1) as string,
      names[0] === "default" ? place : `${place}.${names[0]}`,
    ]),
  ];
}

/** `a` of `a as b`. */
function localOf(pair: string): string {
  return pair.trim().split(" as ")[0] as string;
}
