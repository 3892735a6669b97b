import fc from "fast-check";
import { expect, test } from "vitest";
import { bundleHash } from "../../src/transport/module/bundle-hash.ts";
import { esbuildTransformer } from "../../src/transport/module/passes.ts";

const identifier = fc.stringMatching(/^[a-z][a-zA-Z0-9]{0,6}$/).map((name) => `_${name}`);
const specifier = fc.oneof(
  fc.stringMatching(/^@?[a-z][a-z0-9/.-]{0,12}$/),
  fc.stringMatching(/^\.\.?\/[^\\\n\r\u2028\u2029`$]{1,10}$/),
  fc.constantFrom("./é/ü.ts", "./a b.ts", `./it's "quoted".ts`, "node:fs", "./😀.ts"),
);
const statement = fc.record({
  specifier,
  names: fc.uniqueArray(identifier, { minLength: 1, maxLength: 4 }),
  form: fc.constantFrom("named", "default", "both", "namespace", "bare", "star"),
});
const decoy = fc.constantFrom(
  'const d = `\nimport { x } from "decoy";\nexport * from "decoy";\n`;',
  "/*\nimport decoy from 'decoy';\n*/",
  "// import decoy from 'decoy';",
  'const r = /import { x } from "decoy";/;',
  "const s = 'import(\"decoy-in-a-string\")';",
  "const o = { import() {}, from: 'decoy' }; o.import();",
);

test("the imports that are found are those that were written", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(statement, decoy), { maxLength: 5 }), fc.boolean(), async (parts, waits) => {
      const wanted: { specifier: string; names: string[] }[] = [];
      const lines: string[] = [];
      for (const [index, [{ specifier: from, names, form }, noise]] of parts.entries()) {
        const local = names.map((name) => `${name}_${index}`);
        const list = names.map((name, at) => `${name} as ${local[at]}`).join(", ");
        const text = JSON.stringify(from);
        const forms = {
          named: [`import { ${list} } from ${text};`, names, local],
          default: [`import d_${index} from ${text}`, ["default"], [`d_${index}`]],
          both: [`import d_${index}, {\n${list}\n} from ${text};`, ["default", ...names], [`d_${index}`, ...local]],
          namespace: [`import * as n_${index} from ${text}`, [], [`n_${index}`]],
          bare: [`import ${text};`, [], []],
          star: [`export * from ${text};`, [], []],
        } as const;
        const [source, found, used] = forms[form];
        wanted.push({ specifier: from, names: [...found] });
        lines.push(
          source,
          noise.replaceAll(/const (\w)/g, `const decoy_$1_${index}`).replace("o.import", `decoy_o_${index}.import`),
          `use(${used.join(", ")});`,
        );
      }
      if (waits) lines.push("await null;");
      const { imports, waits: waiting, dynamic } = await esbuildTransformer.transform(lines.join("\n"), "ts");
      // esbuild may bring `export *` forward, so the order is not compared.
      const sorted = (all: readonly { specifier: string }[]) => all.map((one) => JSON.stringify(one)).sort();
      expect(sorted(imports)).toEqual(sorted(wanted));
      expect(waiting).toBe(waits);
      expect(dynamic.filter((name) => name !== "decoy-in-a-string")).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test("a graph's hash follows paths and bytes, not the order of imports", () => {
  const file = (path: string, sha256: string) => ({ path, sha256 });
  const whole = bundleHash([file("/a", "1"), file("/b", "2"), file("/c", "3")]);
  expect(whole).toMatch(/^[\da-f]{64}$/);
  expect(bundleHash([file("/a", "1"), file("/c", "3"), file("/b", "2")])).toBe(whole);
  const others = [
    [file("/a", "1"), file("/b", "2")],
    [file("/b", "2"), file("/a", "1"), file("/c", "3")],
    [file("/a", "1"), file("/b", "3"), file("/c", "2")],
    [file("/x", "1"), file("/b", "2"), file("/c", "3")],
    [],
  ];
  expect(new Set([whole, ...others.map(bundleHash)]).size).toBe(others.length + 1);
});
