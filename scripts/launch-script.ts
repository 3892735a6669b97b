import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";

const IMPORT = /(?<=^|[;}\n])import ?(?:\{([^{}]*)\} ?from ?)?"(\.\/[^"]+)";/g;
// In a message it stands in quotes; the built code itself has double ones alone.
const DYNAMIC = /(?<![\w$.`'"])import\((?=["\w$])/g;
const EXPORT = /export ?\{([^{}]*)\};?\s*$/;

/**
 * Turns a built module into a script that `loader` runs with what V8 made of its functions the last time, and puts a
 * module with the same exports in its place. No export may change after the module has run.
 */
export async function asScript(dist: string, name: string, loader: string): Promise<void> {
  const path = join(dist, name);
  const { code } = await transform(readFileSync(path, "utf8"), {
    format: "esm",
    target: "node22.19",
    charset: "ascii",
    define: { "import.meta.url": "__url" },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
  });
  const from: string[] = [];
  const body = code.replace(IMPORT, (_, names: string | undefined, specifier: string) => {
    if (!from.includes(specifier)) from.push(specifier);
    if (names === undefined) return "";
    return `const{${names.replaceAll(" as ", ":")}}=__from[${from.indexOf(specifier)}];`;
  });
  const exported = EXPORT.exec(body)?.[1];
  const deferred = body.replace(DYNAMIC, "__import(");
  if (exported === undefined || /(?<=^|[;}\n])import[ {*"]|[^`]\bimport\(/.test(deferred))
    throw new Error(`${name} cannot be made a script: it exports nothing, or has an import of an unknown form.`);
  const pairs = exported.split(",").map((pair) => pair.split(" as ") as [string, string?]);
  const given = pairs.map(([local, alias = local]) => `${alias}:${local}`);
  const text = `(function(__from,__import,__url){"use strict";${deferred.replace(EXPORT, "")}return{${given.join(",")}}})\n`;
  const script = name.replace(/\.js$/, ".cjs");
  writeFileSync(join(dist, script), text);
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const lines = [
    `import{runCompiled}from"./${loader}";`,
    ...from.map((specifier, i) => `import*as i${i} from"${specifier}";`),
    `export const{${pairs.map(([local, alias = local]) => alias).join(",")}}=`,
    `runCompiled(new URL("./${script}",import.meta.url).href,"${hash}",[${from.map((_, i) => `i${i}`).join(",")}],(name)=>import(name));\n`,
  ];
  writeFileSync(path, lines.join(""));
}
