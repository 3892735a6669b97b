import { realpathSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, extname, isAbsolute, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { resolvePackage } from "./package.ts";
import { isData, loaderOf } from "./unit.ts";

/** A file that is read, hashed and run by this transport. */
export interface FileTarget {
  readonly kind: "file";
  /** The path, with all links resolved. */
  readonly path: string;
  /** The text from the `?` on, if any; a file with another query is another module. */
  readonly query: string;
}

/** The result of resolving a specifier. */
export type ResolvedSpecifier =
  | FileTarget
  | { readonly kind: "provided"; readonly specifier: string }
  | { readonly kind: "builtin"; readonly id: string }
  /** A file of a package that Node itself loads. */
  | { readonly kind: "native"; readonly path: string };

const WRITTEN_AS: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
  ".jsx": [".tsx"],
};
const EXTENSIONS = [".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx", ".json"];

/** Resolves `specifier` in the file `from`; `undefined` if there is no such file or package. */
export function resolveSpecifier(
  specifier: string,
  from: string,
  provides: (specifier: string) => boolean,
): ResolvedSpecifier | undefined {
  if (isPath(specifier)) {
    const file = resolvePath(specifier, from);
    return file !== undefined && isBinary(file.path) ? { kind: "native", path: file.path } : file;
  }
  if (provides(specifier)) return { kind: "provided", specifier };
  if (isBuiltin(specifier)) return { kind: "builtin", id: specifier };
  const found = resolvePackage(specifier, from);
  if (found === undefined) return undefined;
  if (isBuiltin(found)) return { kind: "builtin", id: found };
  return ownsFile(found) ? { kind: "file", path: found, query: "" } : { kind: "native", path: found };
}

/** Returns the file that a path names, by the rules of an import. */
export function resolveFile(path: string): FileTarget | undefined {
  const found = probe(path);
  return found === undefined ? undefined : { kind: "file", path: realpathSync.native(found), query: "" };
}

/** Returns whether a specifier names a file, rather than a package. */
function isPath(specifier: string): boolean {
  return /^\.{1,2}(?:\/|$)|^file:/.test(specifier) || isAbsolute(specifier);
}

function resolvePath(specifier: string, from: string): FileTarget | undefined {
  const whole = resolveFile(pathOf(specifier, from));
  const query = /[?#].*$/s.exec(specifier)?.[0];
  // A file's name may itself contain a "?" or "#".
  if (whole !== undefined || query === undefined) return whole;
  const found = resolveFile(pathOf(specifier.slice(0, -query.length), from));
  return found === undefined ? undefined : { ...found, query };
}

function pathOf(specifier: string, from: string): string {
  return (specifier.startsWith("file:") ? fileOf(specifier) : undefined) ?? resolve(dirname(from), specifier);
}

function fileOf(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

function probe(path: string): string | undefined {
  const kind = kindOf(path);
  if (kind === "file") return path;
  const extension = extname(path);
  for (const other of WRITTEN_AS[extension] ?? []) {
    const candidate = path.slice(0, -extension.length) + other;
    if (kindOf(candidate) === "file") return candidate;
  }
  for (const added of EXTENSIONS) if (kindOf(path + added) === "file") return path + added;
  if (kind !== "directory") return undefined;
  for (const added of EXTENSIONS) {
    const candidate = resolve(path, `index${added}`);
    if (kindOf(candidate) === "file") return candidate;
  }
  return undefined;
}

function kindOf(path: string): "file" | "directory" | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    return stat.isDirectory() ? "directory" : "file";
  } catch {
    return undefined;
  }
}

/** Returns whether a file is an addon or WebAssembly, which only Node can load. */
function isBinary(path: string): boolean {
  return /\.(?:node|wasm)$/.test(path);
}

/**
 * Returns whether this transport runs or reads a package's file. Node runs JavaScript of packages, but refuses
 * TypeScript there; data files are simply read.
 */
function ownsFile(path: string): boolean {
  const loader = loaderOf(path);
  if (loader === undefined) return isData(path);
  return loader !== "js" || !path.split(sep).includes("node_modules");
}
