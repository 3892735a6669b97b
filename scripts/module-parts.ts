import { parseSync } from "oxc-parser";

/** One `import` statement of a built file. */
export interface Import {
  readonly from: string;
  /** The names that the statement binds: the imported name, `default` or `*`, and the local name. */
  readonly names: readonly (readonly [imported: string, local: string])[];
  readonly start: number;
  readonly end: number;
}

/** The imports and exports of a built file, from its syntax tree. */
export interface ModuleParts {
  readonly imports: readonly Import[];
  /** The names that the file exports. */
  readonly exported: readonly (readonly [local: string, exported: string])[];
  /** Each `import(…)`. */
  readonly dynamic: readonly DynamicImport[];
}

/** One `import(…)` of a built file, with the module that it loads if that is a literal. */
export interface DynamicImport extends Range {
  readonly from: string | undefined;
}

/** A range of a text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Parses a file that esbuild has built; throws if its exports are not a list of names. */
export function partsOf(name: string, text: string): ModuleParts {
  const { program, module, errors } = parseSync(name, text, { sourceType: "module" });
  if (errors.length > 0) throw new Error(`${name} cannot be read: ${errors[0]?.message}`);
  const imports: Import[] = [];
  const exported: [string, string][] = [];
  for (const node of program.body) {
    if (node.type === "ImportDeclaration") {
      const names = node.specifiers.map((one): [string, string] => {
        if (one.type === "ImportSpecifier") return [nameOf(one.imported), one.local.name];
        return [one.type === "ImportDefaultSpecifier" ? "default" : "*", one.local.name];
      });
      imports.push({ from: node.source.value, names, start: node.start, end: node.end });
    } else if (node.type === "ExportNamedDeclaration" && node.declaration === null && node.source === null) {
      for (const { local, exported: as } of node.specifiers) exported.push([nameOf(local), nameOf(as)]);
    } else if (node.type.startsWith("Export")) throw new Error(`${name} has an export of an unknown form.`);
  }
  const dynamic = module.dynamicImports.map(({ start, end, moduleRequest }) => {
    const from = /^(["'])([^"'\\]+)\1$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[2];
    return { start, end, from };
  });
  return { imports, exported, dynamic };
}

function nameOf(name: { readonly name: string } | { readonly value: unknown }): string {
  return "name" in name ? name.name : String(name.value);
}

/** Replaces ranges of a text, which must not overlap. */
export function spliced(text: string, parts: readonly (Range & { readonly by: string })[]): string {
  let out = "";
  let at = 0;
  for (const { start, end, by } of [...parts].sort((one, other) => one.start - other.start)) {
    out += text.slice(at, start) + by;
    at = end;
  }
  return out + text.slice(at);
}
