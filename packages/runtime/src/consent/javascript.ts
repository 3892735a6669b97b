import { isBuiltin } from "node:module";
import { dirname, extname, join, resolve } from "node:path";
import type { Files } from "@hookline/ground";
import { parseJson } from "@hookline/ground";
import { isInside } from "../dialect/project.ts";
import { dependencyFolder } from "./dependencies.ts";
import { isCode } from "./language.ts";

const QUOTED = /(["'`])((?:(?!\1)[^\\\n$]|\$(?!\{))+)\1/g;
const LEAD =
  /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\(|\bresolve\s*\(|createRequire\s*\([^()]*\)\s*\(|\bWorker\s*\(|\b(URL)\s*\()(?:\s|\/\*[\s\S]*?\*\/)*$/;

/** Returns the names of the modules that a JavaScript or TypeScript text imports. */
export function importsOfJavaScript(text: string): string[] {
  const found = new Set<string>();
  const own = /(?:const|let|var)\s+(\w+)\s*=\s*(?:\w+\.)?createRequire\s*\(/.exec(text)?.[1];
  for (const { 2: quoted = "", index } of text.matchAll(QUOTED)) {
    const before = text.slice(Math.max(0, index - 80), index);
    const isOwn = own !== undefined && new RegExp(`\\b${own}\\s*\\(\\s*$`).test(before);
    const lead = isOwn ? [] : LEAD.exec(before);
    if (lead === null || (lead[1] !== undefined && !isCode(quoted))) continue;
    found.add(quoted.startsWith("#") ? quoted : quoted.replace(/[?#].*$/, ""));
  }
  return [...found];
}

/** The files that a module's name resolves to. */
export interface Resolved {
  /** The files of the project to which the name resolves. */
  readonly files: readonly string[];
  /** The `package.json` files that decide to which files the name resolves. */
  readonly by?: readonly string[];
  /** The dependency folder that contains the module. */
  readonly dependency?: string;
}

const NOTHING: Resolved = { files: [] };
const WRITTEN_AS: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
  ".jsx": [".tsx"],
};
const ADDED = [".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx", ".json", ".node"];

/**
 * Resolves a module's name as Node and TypeScript loaders do, with `main`, `exports`, `imports` and the nearest
 * package's own name. The targets for all conditions count.
 */
export function resolveJavaScript(name: string, folder: string, root: string, files: Files): Resolved {
  if (/^\.{0,2}\/|^\.{1,2}$/.test(name)) return pathTo(resolve(folder, name), files);
  if (name.startsWith("file:"))
    return { files: moduleAt(decodeURIComponent(name.slice(5).replace(/^\/\//, "")), files) };
  if (isBuiltin(name) || /^[a-z]+:/.test(name)) return NOTHING;
  const own = nearestPackage(folder, root, files);
  if (name.startsWith("#")) {
    const targets = own === undefined ? [] : targetsOf(own.json["imports"], name);
    const found = mergedOf(targets.map((target) => resolveJavaScript(target, own?.folder ?? folder, root, files)));
    return { ...found, by: [...(found.by ?? []), ...(own === undefined ? [] : packageFile(own.folder))] };
  }
  const parts = name.split("/");
  const packageName = parts.slice(0, name.startsWith("@") ? 2 : 1).join("/");
  const below = name.slice(packageName.length);
  if (own?.json["name"] === packageName && own.json["exports"] !== undefined)
    return { files: filesOfPackage(own.folder, own.json, below, files), by: packageFile(own.folder) };
  for (let above = folder; ; above = dirname(above)) {
    const installed = join(above, "node_modules", packageName);
    const real = files.real(installed);
    if (real !== undefined) {
      // Only a link to a package of this project leads to files of the project.
      if (dependencyFolder(real) !== undefined || !isInside(real, root))
        return { files: [], dependency: join(above, "node_modules") };
      const json = packageIn(real, files);
      const found = filesOfPackage(real, json ?? {}, below, files);
      return { files: found, by: json === undefined ? [] : packageFile(real) };
    }
    if (!isInside(above, root) || above === root || dirname(above) === above)
      return { files: byTypeScript(name, folder, root, files) };
  }
}

/** Finds the module at a path, including the `package.json` of a folder that has one. */
export function pathTo(path: string, files: Files): Resolved {
  const found = moduleAt(path, files);
  const isByPackage = files.stat(path)?.kind === "directory" && packageIn(path, files)?.["main"] !== undefined;
  return { files: found, ...(isByPackage && { by: packageFile(path) }) };
}

const packageFile = (folder: string): string[] => [join(folder, "package.json")];

/** Returns the files that a module loader may take for a path: as it is, with an ending, or a folder's index. */
function moduleAt(path: string, files: Files): string[] {
  const kind = files.stat(path)?.kind;
  if (kind === "file") return [path];
  const ending = extname(path);
  const near = [
    ...(WRITTEN_AS[ending] ?? []).map((other) => path.slice(0, -ending.length) + other),
    ...ADDED.map((added) => path + added),
  ].filter((one) => files.stat(one)?.kind === "file");
  if (near[0] !== undefined) return [near[0]];
  if (kind !== "directory") return [];
  const { main } = packageIn(path, files) ?? {};
  const begun = typeof main === "string" && !/^(?:\.?\/)?$/.test(main) ? moduleAt(resolve(path, main), files) : [];
  if (begun.length > 0) return begun;
  const index = ADDED.map((added) => join(path, `index${added}`)).find((one) => files.stat(one)?.kind === "file");
  return index === undefined ? [] : [index];
}

/**
 * Returns the files that a name resolves to by `paths` in the nearest `tsconfig.json`, which TypeScript loaders follow.
 */
function byTypeScript(name: string, folder: string, root: string, files: Files): string[] {
  for (let at = folder; ; at = dirname(at)) {
    const bytes = files.read(join(at, "tsconfig.json"));
    if (bytes !== undefined) {
      const text = new TextDecoder().decode(bytes).replaceAll(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, "$1");
      const { paths = "{}" } = /"paths"\s*:\s*(?<paths>\{[^{}]*\})/.exec(text)?.groups ?? {};
      const base = /"baseUrl"\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? ".";
      try {
        const map = parseJson(paths.replaceAll(/,(\s*[}\]])/g, "$1"));
        return targetsIn(map, name).flatMap((target) => moduleAt(resolve(at, base, target), files));
      } catch {
        return [];
      }
    }
    if (!isInside(at, root) || at === root || dirname(at) === at) return [];
  }
}

function filesOfPackage(
  folder: string,
  json: Readonly<Record<string, unknown>>,
  below: string,
  files: Files,
): string[] {
  const { exports } = json;
  if (exports === undefined) return moduleAt(join(folder, below), files);
  return targetsOf(exports, `.${below}`).flatMap((target) => moduleAt(resolve(folder, target), files));
}

/** Returns every target of a name in `exports` or `imports`, under any condition. */
function targetsOf(map: unknown, name: string): string[] {
  const fields = typeof map === "object" && map !== null && !Array.isArray(map) ? Object.entries(map) : [];
  if (!fields.some(([key]) => /^[.#]/.test(key))) return name === "." ? valuesOf(map, "") : [];
  return targetsIn(map, name);
}

function targetsIn(map: unknown, name: string): string[] {
  const fields = typeof map === "object" && map !== null ? Object.entries(map) : [];
  return fields.flatMap(([key, value]) => {
    if (key === name) return valuesOf(value, "");
    const [before = "", after] = key.split("*");
    const fits =
      after !== undefined && name.startsWith(before) && name.endsWith(after) && name.length >= key.length - 1;
    return fits ? valuesOf(value, name.slice(before.length, name.length - after.length)) : [];
  });
}

function valuesOf(value: unknown, star: string): string[] {
  if (typeof value === "string") return [value.replaceAll("*", star)];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === "types" ? [] : valuesOf(inner, star)));
}

function nearestPackage(
  folder: string,
  root: string,
  files: Files,
): { readonly folder: string; readonly json: Readonly<Record<string, unknown>> } | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const json = packageIn(at, files);
    if (json !== undefined) return { folder: at, json };
    if (!isInside(at, root) || at === root || dirname(at) === at) return undefined;
  }
}

/** Returns the content of a folder's `package.json`. */
export function packageIn(folder: string, files: Files): Readonly<Record<string, unknown>> | undefined {
  const bytes = files.read(join(folder, "package.json"));
  try {
    const json = bytes === undefined ? undefined : parseJson(bytes);
    return typeof json === "object" && json !== null ? (json as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

function mergedOf(all: readonly Resolved[]): Resolved {
  const dependency = all.find((one) => one.dependency !== undefined)?.dependency;
  const by = all.flatMap((one) => one.by ?? []);
  return { files: all.flatMap((one) => one.files), by, ...(dependency !== undefined && { dependency }) };
}
