const { create, defineProperty, getOwnPropertyDescriptor, getOwnPropertyNames, getPrototypeOf, hasOwn } = Object;

type Bag = Record<string, unknown>;

/** esbuild's helpers, which scripts get as parameters in this order. Imports are namespaces, so none is copied. */
const HELPERS = {
  __create: create,
  __defProp: defineProperty,
  __getOwnPropDesc: getOwnPropertyDescriptor,
  __getOwnPropNames: getOwnPropertyNames,
  __getProtoOf: getPrototypeOf,
  __hasOwnProp: Object.prototype.hasOwnProperty,
  __export: exportGetters,
  __copyProps: copyProps,
  __reExport: reExport,
  __toESM: (namespace: unknown) => namespace,
  __toCommonJS: (namespace: object) => markModule(namespace),
} as const;

/** The values of the helper parameters, which are the last arguments of a script's function. */
export const HELPER_VALUES: readonly unknown[] = Object.values(HELPERS);

const PARAMETERS = [
  "exports",
  "require",
  "module",
  "__filename",
  "__dirname",
  "hookline$require",
  "hookline$meta",
  "imp$rt",
  "hookline$await",
  "Bun",
  ...Object.keys(HELPERS),
].join(", ");

/**
 * Wraps a file's code in a function expression. The inner block lets a file declare `__dirname` or `require` itself.
 * One line precedes the code.
 */
export function wrap(code: string, strict: boolean): string {
  return `(function (${PARAMETERS}) {${strict ? '"use strict";' : ""}{\n${code}\n}})`;
}

/** Adds live exports to a module object and marks it as made from an ES module. */
export function exportGetters(target: object, all: Readonly<Record<string, () => unknown>>): void {
  for (const name of Object.keys(all)) {
    const get = all[name];
    if (get !== undefined) defineProperty(target, name, { get, enumerable: true, configurable: true });
  }
}

/** Marks an exports object as an ES module's, so that its `default` is used directly. */
export function markModule<T extends object>(target: T): T {
  return hasOwn(target, "__esModule") ? target : defineProperty(target, "__esModule", { value: true });
}

/**
 * Converts the exports of a CommonJS module, a builtin or an object to a namespace: `default` plus live getters. An
 * object that has `__esModule` is a namespace already.
 */
export function toNamespace(exports: unknown, fallbackDefault: boolean): Bag {
  if (isModule(exports)) return exports;
  const namespace = markModule(create(null) as Bag);
  if (isBag(exports)) copyProps(namespace, exports, fallbackDefault ? "default" : undefined);
  if (fallbackDefault) defineProperty(namespace, "default", { value: exports, enumerable: true });
  return namespace;
}

/** Returns whether exports are already a namespace. */
export function isModule(exports: unknown): exports is Bag {
  return isBag(exports) && "__esModule" in exports && exports["__esModule"] === true;
}

/**
 * Converts Node's `import()` of a package's file to a namespace. CommonJS is read as bundlers do, which honour
 * `__esModule`.
 */
export function nativeNamespace(imported: Bag): Bag {
  const whole = imported["default"];
  const isCommonJs = imported["module.exports"] === whole && "module.exports" in imported;
  if (isCommonJs || (imported["__esModule"] === true && isBag(whole))) return toNamespace(whole, true);
  return toNamespace(imported, false);
}

const cached = new WeakMap<object, Bag>();

/** Converts the exports of a builtin or provided module to a namespace. Keeps it, because they outlive the load. */
export function lastingNamespace(exports: object, fallbackDefault: boolean): Bag {
  const known = cached.get(exports);
  if (known !== undefined) return known;
  const namespace = toNamespace(exports, fallbackDefault);
  cached.set(exports, namespace);
  return namespace;
}

function isBag(value: unknown): value is Bag {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

function copyProps(target: object, source: unknown, except?: string): object {
  if (!isBag(source)) return target;
  for (const key of getOwnPropertyNames(source)) {
    if (key === except || hasOwn(target, key)) continue;
    const enumerable = getOwnPropertyDescriptor(source, key)?.enumerable ?? true;
    defineProperty(target, key, { get: () => source[key], enumerable, configurable: true });
  }
  return target;
}

function reExport(target: object, source: unknown, second?: object): void {
  copyProps(target, source, "default");
  if (second !== undefined) copyProps(second, source, "default");
}
