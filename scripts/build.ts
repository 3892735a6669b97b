import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { BUILT_CLIENTS, joinedClient } from "../packages/bridge/src/client/client-text.ts";
import { escapeBeyondAscii } from "./ascii.ts";
import { atOrigin } from "./at-origin.ts";
import { buildClientHere } from "./bridge-client.ts";
import { buildConformance } from "./build-conformance.ts";
import { buildInspector } from "./build-inspector.ts";
import { commandLine } from "./command-line.ts";
import { makeDeclarations } from "./declarations.ts";
import { handedKit } from "./handed-kit.ts";
import { joinChunks, launchGroups, outputsOf } from "./launch-chunk.ts";
import { deferNodeModules } from "./node-modules.ts";
import { noticesOf } from "./notices.ts";
import { replacedModules } from "./replaced-modules.ts";
import { isStale } from "./stale.ts";
import { root } from "./step.ts";

const shared: BuildOptions = {
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22.19",
  conditions: ["hookline-source"],
  logLevel: "warning",
  legalComments: "none",
  // Bundled CommonJS dependencies load Node's modules with `require`.
  banner: {
    js: 'const require = (id) => process.getBuiltinModule(id) ?? process.getBuiltinModule("node:module").createRequire(import.meta.url)(id);',
  },
};

const runtime = join(root, "packages/runtime");
const guards = join(root, "packages/guards");
const fleet = join(root, "packages/fleet");
const agent = join(root, "packages/hookline");

/** The bundles of each package, by its folder in `packages`. */
export const BUNDLES = {
  /** The library: one bundle for each public entry, with shared chunks. */
  runtime: {
    ...shared,
    entryPoints: {
      index: join(runtime, "src/index.ts"),
      dialects: join(runtime, "src/dialects.ts"),
      dialect: join(runtime, "src/dialect/kit.ts"),
      command: join(runtime, "src/command/index.ts"),
      guard: join(runtime, "src/guard/index.ts"),
      ai: join(runtime, "src/ai/index.ts"),
      otel: join(runtime, "src/otel/index.ts"),
      "testing/index": join(runtime, "src/testing/index.ts"),
      replay: join(runtime, "src/replay/index.ts"),
    },
    outdir: join(runtime, "dist"),
    external: ["esbuild", "unbash", "yaml", "valibot", "typebox", "@sinclair/typebox", "@opentelemetry/api"],
  },
  /** The guards, which import the installed library. */
  guards: {
    ...shared,
    entryPoints: { index: join(guards, "src/index.ts") },
    outdir: join(guards, "dist"),
    external: ["@hookline/runtime"],
  },
  /** The fleet, which receives hookline's parts from hookline; everything else is built in. */
  fleet: {
    ...shared,
    minifySyntax: true,
    minifyWhitespace: true,
    entryPoints: { index: join(fleet, "src/index.ts"), kit: join(fleet, "src/kit.ts") },
    outdir: join(fleet, "dist"),
    plugins: [handedKit],
  },
  /** The agent: includes the library and the providers, each part loaded when it is needed. */
  hookline: {
    ...shared,
    minifySyntax: true,
    minifyWhitespace: true,
    entryPoints: {
      main: join(agent, "src/cli/main.ts"),
      "telemetry-worker": join(agent, "src/telemetry/worker.ts"),
    },
    outdir: join(agent, "dist"),
    external: ["esbuild"],
    plugins: [atOrigin, replacedModules],
    inject: [join(agent, "src/provider/http/globals.ts")],
    // yaml's entry for Node is CommonJS, whose names are lost when a bundle imports it lazily.
    alias: { yaml: join(dirname(fileURLToPath(import.meta.resolve("yaml"))), "../browser/index.js") },
  },
} as const satisfies Record<string, BuildOptions>;

/** The script in an exported page of the inspector, which runs in a browser and replaces the server. */
export const EXPORT_SCRIPT = {
  bundle: true,
  format: "iife",
  platform: "browser",
  target: "es2022",
  minify: true,
  charset: "utf8",
  conditions: ["hookline-source"],
  logLevel: "warning",
  legalComments: "none",
  // After tree shaking nothing uses these imports; a test of the script checks that.
  external: ["node:*", "esbuild", "koffi"],
  // A file that is bundled first and then left out uses `import.meta`.
  logOverride: { "empty-import-meta": "silent" },
  entryPoints: [join(agent, "src/inspect/export-page.ts")],
  outfile: join(agent, "dist/inspector-export.js"),
} as const satisfies BuildOptions;

/** Joins the chunks that a launch loads, and makes every file cheap to load. */
const launchFiles: Plugin = {
  name: "launch-files",
  setup({ initialOptions, onEnd }) {
    onEnd(async ({ errors, metafile }) => {
      const { outdir } = initialOptions;
      if (errors.length > 0 || metafile === undefined || outdir === undefined) return;
      const outputs = outputsOf(metafile);
      const groups = launchGroups(outputs, "src/cli/main.ts");
      await joinChunks(outdir, outputs, groups);
      await deferNodeModules(outdir, outputs);
      escapeBeyondAscii(outdir, outputs.keys());
    });
  },
};

/** Builds the library. */
export async function buildRuntime(): Promise<void> {
  await buildAlone(runtime, BUNDLES.runtime);
}

/** Builds the guards. */
export async function buildGuards(): Promise<void> {
  await buildAlone(guards, BUNDLES.guards);
}

/** Builds the fleet. */
export async function buildFleet(): Promise<void> {
  const { metafile } = await buildAlone(fleet, BUNDLES.fleet);
  writeNotices(BUNDLES.fleet.outdir, Object.keys(metafile.inputs));
}

async function buildAlone(folder: string, bundle: BuildOptions & { readonly outdir: string }) {
  await compareVersions(folder);
  rmSync(bundle.outdir, { recursive: true, force: true });
  return build({ ...bundle, metafile: true });
}

function writeNotices(dist: string, inputs: readonly string[]): void {
  writeFileSync(join(dist, "THIRD-PARTY-NOTICES.txt"), noticesOf(inputs));
}

/** Builds the agent. */
export async function buildAgent(): Promise<void> {
  const dist = BUNDLES.hookline.outdir;
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const plugins = [...BUNDLES.hookline.plugins, launchFiles];
  const { metafile } = await build({ ...BUNDLES.hookline, plugins, metafile: true });
  writeNotices(dist, [...Object.keys(metafile.inputs), ...(await buildInspector())]);
  // The model catalogue is data that is read when a model is looked up by name.
  const provider = dirname(fileURLToPath(import.meta.resolve("@earendil-works/pi-ai/providers/all")));
  cpSync(join(provider, "data"), join(dist, "catalogue"), { recursive: true });
  await build(EXPORT_SCRIPT);
  for (const kind of ["module", "script"] as const) writeFileSync(join(dist, BUILT_CLIENTS[kind]), joinedClient(kind));
  if (buildClientHere() === undefined) process.stdout.write("No C compiler: the bridge's client is Node's here.\n");
  await compareVersions(agent);
}

/** Builds the programs that tests start, unless nothing has changed since the last build. */
export async function buildForTests(): Promise<void> {
  if (isStale()) await Promise.all([buildRuntime(), buildFleet(), buildAgent()]);
}

async function compareVersions(folder: string): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  const file = join(root, "packages/ground/src/error/version.ts");
  const { VERSION } = (await import(file)) as { VERSION: string };
  if (version !== VERSION)
    throw new Error(`${file} says ${VERSION}, ${folder}/package.json says ${version}: make them equal.`);
}

if (import.meta.main) {
  const { values } = commandLine({
    name: "build",
    says: "Builds the packages.",
    options: { "no-types": { type: "boolean", says: "skip the declarations" } },
  });
  await Promise.all([buildRuntime(), buildGuards(), buildFleet(), buildAgent(), buildConformance()]);
  if (values["no-types"] !== true) process.exitCode = await makeDeclarations();
}
