import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ResolvedSpecifier } from "./resolve.ts";

type Resolve = (specifier: string, from: string) => ResolvedSpecifier;

interface Require {
  (specifier: string): unknown;
  readonly folder: string;
  resolve(specifier: string): string;
  readonly main: undefined;
  readonly cache: object;
  readonly extensions: object;
}

/** Makes the `require` of a file. Like `createRequire`, it also accepts a `file:` URL, even of a folder. */
export function createRequireFor(
  file: string | URL,
  resolve: Resolve,
  load: (target: ResolvedSpecifier, from: string) => unknown,
): Require {
  const path = file instanceof URL || file.startsWith("file:") ? fileURLToPath(file) : file;
  const require = (specifier: string): unknown => load(resolve(specifier, path), path);
  return Object.assign(require, {
    folder: dirname(path),
    resolve: (specifier: string) => nameOf(resolve(specifier, path)),
    main: undefined,
    cache: {},
    extensions: {},
  });
}

/** Returns a module's `import.meta`. */
export function metaOf(path: string, resolve: Resolve): object {
  return {
    filename: path,
    dirname: dirname(path),
    main: false,
    get url() {
      return pathToFileURL(path).href;
    },
    resolve: (specifier: string) => urlOf(resolve(specifier, path)),
  };
}

function nameOf(target: ResolvedSpecifier): string {
  if (target.kind === "provided") return target.specifier;
  return target.kind === "builtin" ? target.id : target.path;
}

function urlOf(target: ResolvedSpecifier): string {
  if (target.kind === "builtin") return target.id.startsWith("node:") ? target.id : `node:${target.id}`;
  return target.kind === "provided" ? target.specifier : pathToFileURL(target.path).href;
}
