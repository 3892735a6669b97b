import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { commandLine } from "./command-line.ts";
import { joinChunks, launchGroups, outputsOf } from "./launch-chunk.ts";
import { asScript } from "./launch-script.ts";
import { lightClients } from "./light-clients.ts";
import { deferNodeModules } from "./node-modules.ts";
import { noticesOf } from "./notices.ts";
import { root, step } from "./step.ts";

const shared: BuildOptions = {
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22.19",
  conditions: ["source"],
  logLevel: "warning",
  legalComments: "none",
  // CommonJS dependencies that are bundled ask for Node's modules through `require`.
  banner: {
    js: 'const require = (id) => process.getBuiltinModule(id) ?? process.getBuiltinModule("node:module").createRequire(import.meta.url)(id);',
  },
};

/** Builds the library: one bundle for each public entry, shared parts split off. */
export async function buildRuntime(): Promise<void> {
  const base = join(root, "packages/runtime");
  rmSync(join(base, "dist"), { recursive: true, force: true });
  await build({
    ...shared,
    entryPoints: {
      index: join(base, "src/index.ts"),
      dialects: join(base, "src/dialect/index.ts"),
      "testing/index": join(base, "src/testing/index.ts"),
    },
    outdir: join(base, "dist"),
    external: ["esbuild", "yaml", "valibot", "typebox", "@sinclair/typebox"],
  });
}

/** Builds the agent: the library and the providers are bundled in, each part loaded when it is needed. */
export async function buildAgent(): Promise<void> {
  const base = join(root, "packages/hookline");
  rmSync(join(base, "dist"), { recursive: true, force: true });
  mkdirSync(join(base, "dist"), { recursive: true });
  const { metafile } = await build({
    ...shared,
    metafile: true,
    minifySyntax: true,
    minifyWhitespace: true,
    entryPoints: { main: join(base, "src/cli/main.ts"), compiled: join(base, "src/cli/compiled.ts") },
    outdir: join(base, "dist"),
    external: ["esbuild"],
    plugins: [lightClients],
    // Its entry for Node is CommonJS, whose names are lost when it is imported lazily from a bundle.
    alias: { yaml: join(dirname(fileURLToPath(import.meta.resolve("yaml"))), "../browser/index.js") },
  });
  writeFileSync(join(base, "dist/THIRD-PARTY-NOTICES.txt"), noticesOf(metafile));
  const dist = join(base, "dist");
  const outputs = outputsOf(metafile);
  const groups = launchGroups(outputs, "src/cli/main.ts");
  await joinChunks(dist, outputs, groups);
  await deferNodeModules(dist, outputs);
  for (const { file } of groups) await asScript(dist, file, "compiled.js");
  // The catalogue of models is data that is read when a model is looked up by name.
  const provider = dirname(fileURLToPath(import.meta.resolve("@earendil-works/pi-ai/providers/all")));
  cpSync(join(provider, "data"), join(base, "dist/catalogue"), { recursive: true });
  const { version } = JSON.parse(readFileSync(join(base, "package.json"), "utf8")) as { version: string };
  const { VERSION } = (await import(join(base, "src/cli/version.ts"))) as { VERSION: string };
  if (version !== VERSION)
    throw new Error(
      `packages/hookline/src/cli/version.ts says ${VERSION}, package.json says ${version}: make them equal.`,
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
