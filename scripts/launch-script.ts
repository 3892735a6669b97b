import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import { type Import, partsOf, spliced } from "./module-parts.ts";

/**
 * Converts a built module into a script that `loader` runs with V8's cached code, and puts a module with the same
 * exports in its place. No export may change after the module has run.
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
  const { imports, exported, exports, dynamic } = partsOf(name, code);
  if (exported.length === 0) throw new Error(`${name} cannot be made a script: it exports nothing.`);
  const from = [...new Set(imports.map(({ from: specifier }) => specifier))];
  const bound = (one: Import): string => {
    if (one.names.length === 0) return "";
    const place = `__from[${from.indexOf(one.from)}]`;
    const whole = one.names.filter(([imported]) => imported === "*").map(([, local]) => `const ${local}=${place};`);
    const named = one.names
      .filter(([imported]) => imported !== "*")
      .map(([imported, local]) => (imported === local ? local : `${imported}:${local}`));
    return `${whole.join("")}${named.length === 0 ? "" : `const{${named.join(",")}}=${place};`}`;
  };
  const body = spliced(code, [
    ...[...imports, ...exports].map(({ start, end }) => ({ start, end, by: "" })),
    ...dynamic.map(({ start }) => ({ start, end: start + "import".length, by: "__import" })),
  ]);
  const given = exported.map(([local, alias]) => (alias === local ? local : `${alias}:${local}`));
  const text = `(function(__from,__import,__url){"use strict";${imports.map(bound).join("")}${body}return{${given.join(",")}}})\n`;
  const script = name.replace(/\.js$/, ".cjs");
  writeFileSync(join(dist, script), text);
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const lines = [
    `import{runCompiled}from"./${loader}";`,
    ...from.map((specifier, i) => `import*as i${i} from"${specifier}";`),
    `export const{${exported.map(([, alias]) => alias).join(",")}}=`,
    `runCompiled(new URL("./${script}",import.meta.url).href,"${hash}",[${from.map((_, i) => `i${i}`).join(",")}],(name)=>import(name));\n`,
  ];
  writeFileSync(path, lines.join(""));
}
