import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { atOrigin } from "./at-origin.ts";
import { commandLine } from "./command-line.ts";
import { joinChunks, launchGroups, outputsOf } from "./launch-chunk.ts";
import { asScript } from "./launch-script.ts";
import { deferNodeModules } from "./node-modules.ts";
import { noticesOf } from "./notices.ts";
import { replacedModules } from "./replaced-modules.ts";
import { root, step } from "./step.ts";

const shared: BuildOptions = {
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22.19",
  conditions: ["hookline-source"],
  logLevel: "warning",
  legalComments: "none",
  // CommonJS dependencies that are bundled ask for Node's modules through `require`.
  banner: {
    js: 'const require = (id) => process.getBuiltinModule(id) ?? process.getBuiltinModule("node:module").createRequire(import.meta.url)(id);',
  },
};

const runtime = join(root, "packages/runtime");
const agent = join(root, "packages/hookline");

/** How each package is bundled, by its folder in `packages`. */
export const BUNDLES = {
  /** The library: one bundle for each public entry, shared parts split off. */
  runtime: {
    ...shared,
    entryPoints: {
      index: join(runtime, "src/index.ts"),
      internal: join(runtime, "src/internal.ts"),
      dialects: join(runtime, "src/dialect/index.ts"),
      dialect: join(runtime, "src/dialect/kit.ts"),
      "testing/index": join(runtime, "src/testing/index.ts"),
    },
    outdir: join(runtime, "dist"),
    external: ["esbuild", "unbash", "yaml", "valibot", "typebox", "@sinclair/typebox"],
  },
  /** The agent: the library and the providers are bundled in, each part loaded when it is needed. */
  hookline: {
    ...shared,
    minifySyntax: true,
    minifyWhitespace: true,
    entryPoints: { main: join(agent, "src/cli/main.ts"), compiled: join(agent, "src/cli/compiled.ts") },
    outdir: join(agent, "dist"),
    external: ["esbuild"],
    plugins: [atOrigin, replacedModules],
    inject: [join(agent, "src/provider/http/globals.ts")],
    // Its entry for Node is CommonJS, whose names are lost when it is imported lazily from a bundle.
    alias: { yaml: join(dirname(fileURLToPath(import.meta.resolve("yaml"))), "../browser/index.js") },
  },
} as const satisfies Record<string, BuildOptions>;

/** Joins what a launch loads, has it take Node's modules when it uses them, and lets V8 keep what it has compiled of it. */
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
      for (const { file } of groups) await asScript(outdir, file, "compiled.js");
    });
  },
};

/** Builds the library. */
export async function buildRuntime(): Promise<void> {
  rmSync(BUNDLES.runtime.outdir, { recursive: true, force: true });
  await build(BUNDLES.runtime);
}

/** Builds the agent. */
export async function buildAgent(): Promise<void> {
  const dist = BUNDLES.hookline.outdir;
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const plugins = [...BUNDLES.hookline.plugins, launchFiles];
  const { metafile } = await build({ ...BUNDLES.hookline, plugins, metafile: true });
  writeFileSync(join(dist, "THIRD-PARTY-NOTICES.txt"), noticesOf(metafile));
  // The catalogue of models is data that is read when a model is looked up by name.
  const provider = dirname(fileURLToPath(import.meta.resolve("@earendil-works/pi-ai/providers/all")));
  cpSync(join(provider, "data"), join(dist, "catalogue"), { recursive: true });
  const { version } = JSON.parse(readFileSync(join(agent, "package.json"), "utf8")) as { version: string };
  const { VERSION } = (await import(join(agent, "src/io/version.ts"))) as { VERSION: string };
  if (version !== VERSION)
    throw new Error(
      `packages/hookline/src/io/version.ts says ${VERSION}, package.json says ${version}: make them equal.`,
    );
}

if (import.meta.main) {
  const { values } = commandLine({
    name: "build",
    says: "Builds both packages.",
    options: { "no-types": { type: "boolean", says: "without the library's declarations" } },
  });
  await Promise.all([buildRuntime(), buildAgent()]);
  if (values["no-types"] !== true) process.exitCode = await step("tsc", ["-p", "packages/runtime/tsconfig.build.json"]);
}
