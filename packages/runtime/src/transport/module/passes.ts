import type * as Esbuild from "esbuild";
import { restEsbuild, withEsbuild } from "./esbuild.ts";
import { wrap } from "./interop.ts";
import { cutPreamble } from "./preamble.ts";
import { mayComputeImports, scanCalls, scanImports, splitModule } from "./scan.ts";
import { type Loader, TransformError, type Transformer, type TransformOutput } from "./unit.ts";

/** Erases types and turns ES modules into scripts, with esbuild, which is imported at the first call. */
export const esbuildTransformer: Transformer = { version: "esbuild-0.28.2-2", transform, rest: restEsbuild };

const COMMON = {
  // No tsconfig is used, because a file must mean the same wherever it is.
  tsconfigRaw: {},
  platform: "neutral",
  target: "node22",
  legalComments: "none",
  logLevel: "silent",
} as const;

/** The name of every source, because scripts are cached by content, whatever their path. */
const SOURCEFILE = "module";

/** The name that replaces `import` in a computed `import()`; it has the same length, so that columns stay the same. */
const COMPUTED_IMPORT = "imp$rt";

async function transform(source: string, loader: Loader): Promise<TransformOutput> {
  const text = source.replace(/^\uFEFF/, "").replace(/^#!/, "//");
  try {
    return await withEsbuild((esbuild) => convert(esbuild, text, loader));
  } catch (thrown) {
    throw transformError(thrown);
  }
}

async function convert(esbuild: typeof Esbuild, source: string, loader: Loader): Promise<TransformOutput> {
  let text = source;
  let [plain, flat] = await bothPasses(esbuild, text, loader);
  if (mayComputeImports(flat)) {
    text = await markComputedImports(esbuild, source, loader);
    [plain, flat] = await bothPasses(esbuild, text, loader);
  }
  const imports = scanImports(flat);
  const { code, map } = plain ?? (await toWaitingScript(esbuild, await flatten(esbuild, text, loader, true)));
  const strict = imports.length > 0 || plain === undefined || code.includes("\nmodule.exports = __toCommonJS(");
  const body = cutPreamble(code, source);
  return {
    script: wrap(body.code, strict),
    imports,
    ...scanCalls(flat),
    waits: plain === undefined,
    shift: 1 - body.lines,
    map,
  };
}

async function bothPasses(
  esbuild: typeof Esbuild,
  text: string,
  loader: Loader,
): Promise<[plain: Printed | undefined, flat: string]> {
  const plain = await unlessWaiting(toScript(esbuild, text, loader));
  if (plain === undefined) return [plain, await flatten(esbuild, text, loader, false)];
  // All forms of import are printed as a `require` call, so a file without one has no imports.
  if (!plain.code.includes("require")) return [plain, ""];
  // Sloppy CommonJS need not be a valid ES module; if it is not, it has no imports to find.
  return [plain, await flatten(esbuild, text, loader, false).catch(() => "")];
}

interface Printed {
  readonly code: string;
  readonly map: string;
}

/**
 * Prints a file as an ES module without types. Lines that begin with `import` or `export` are then always statements,
 * so that `scanImports` can find them.
 */
async function flatten(esbuild: typeof Esbuild, text: string, loader: Loader, mapped: boolean): Promise<string> {
  const { code } = await esbuild.transform(text, {
    ...COMMON,
    sourcefile: SOURCEFILE,
    loader,
    format: "esm",
    define: GLOBALS,
    supported: { "template-literal": false },
    sourcemap: mapped ? "inline" : false,
  });
  return code;
}

const GLOBALS: Readonly<Record<string, string>> = { "import.meta": "hookline$meta", require: "hookline$require" };

function toScript(esbuild: typeof Esbuild, text: string, loader: Loader): Promise<Printed> {
  return esbuild.transform(text, {
    ...COMMON,
    sourcefile: SOURCEFILE,
    loader,
    format: "cjs",
    define: GLOBALS,
    // esbuild prints a literal `import()` as a call of `require`, for which `link` in `modules.ts` returns a promise.
    supported: { "dynamic-import": false },
    sourcemap: "external",
    sourcesContent: false,
  });
}

/** Converts an ES module to an async function whose imports stay live; exports are set before its first line. */
function toWaitingScript(esbuild: typeof Esbuild, flat: string): Promise<Printed> {
  const { header, exports, body } = splitModule(flat);
  const getters = exports.map(([name, local]) => `${JSON.stringify(name)}: () => ${local}`).join(", ");
  const start = `${header} hookline$await(async (hookline$export) => { hookline$export({ ${getters} }); `;
  return toScript(esbuild, start + body.replace(/\n(\/\/# sourceMappingURL=.*\n?)$/, "\n});\n$1"), "js");
}

/** Marks computed imports, which only esbuild's bundler reports. All imports are external, so it reads one file. */
async function markComputedImports(esbuild: typeof Esbuild, source: string, loader: Loader): Promise<string> {
  const { warnings } = await esbuild.build({
    ...COMMON,
    stdin: { contents: source, loader, sourcefile: SOURCEFILE },
    bundle: true,
    write: false,
    format: "esm",
    logOverride: { "unsupported-dynamic-import": "warning" },
    plugins: [{ name: "external", setup: (build) => build.onResolve({ filter: /.*/ }, external) }],
  });
  const lines = source.split(/(\r\n|[\n\r\u2028\u2029])/);
  for (const { id, location } of warnings) {
    if (id !== "unsupported-dynamic-import" || location === null) continue;
    const index = (location.line - 1) * 2;
    const line = lines[index] ?? "";
    const at = Buffer.from(line).subarray(0, location.column).toString().length;
    if (!line.startsWith("import", at)) continue;
    lines[index] = line.slice(0, at) + COMPUTED_IMPORT + line.slice(at + COMPUTED_IMPORT.length);
  }
  return lines.join("");
}

function external(args: Esbuild.OnResolveArgs): Esbuild.OnResolveResult | undefined {
  return args.kind === "entry-point" ? undefined : { path: args.path, external: true };
}

function errorsOf(thrown: unknown): readonly Esbuild.Message[] {
  const errors = (thrown as Partial<Esbuild.TransformFailure> | undefined)?.errors;
  return Array.isArray(errors) ? errors : [];
}

/** Returns the script; `undefined` for a file with a top-level await, which cannot be a plain script. */
async function unlessWaiting<T>(script: Promise<T>): Promise<T | undefined> {
  try {
    return await script;
  } catch (thrown) {
    if (hasTopLevelAwait(thrown)) return undefined;
    throw thrown;
  }
}

function hasTopLevelAwait(thrown: unknown): boolean {
  const errors = errorsOf(thrown);
  return errors.length > 0 && errors.every((error) => error.text.startsWith("Top-level await"));
}

function transformError(thrown: unknown): unknown {
  const first = errorsOf(thrown)[0];
  if (first === undefined) return thrown;
  const column = first.location === null ? undefined : first.location.column + 1;
  return new TransformError(first.text, first.location?.line, column, thrown);
}
