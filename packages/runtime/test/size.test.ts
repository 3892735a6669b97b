import { readdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { expect, test } from "vitest";
import { PURE } from "../../../scripts/layers.ts";

const src = join(import.meta.dirname, "../src");

/** The engine: what it needs of the ground comes along. */
const CORE = PURE["runtime"] ?? [];

/** The largest size of the engine for an embedder, in bytes: all its folders, minified, with valibot beside it. */
const BUDGET = { plain: 133_000, gzip: 45_000 };

/** The bundle of every module of the folders, for a machine that has no Node modules. */
async function bundled(folders: readonly string[], more = ""): Promise<Uint8Array> {
  const files = folders.flatMap((folder) =>
    readdirSync(join(src, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => `./${folder}/${path}`),
  );
  const { outputFiles } = await build({
    stdin: {
      contents: [...files.map((path, i) => `export * as m${i} from "${path}";`), more].join("\n"),
      resolveDir: src,
      loader: "ts",
    },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    external: ["valibot"],
    conditions: ["hookline-source"],
    write: false,
    logLevel: "silent",
    plugins: [withoutNode],
  });
  return (outputFiles[0] as { contents: Uint8Array }).contents;
}

const withoutNode: Plugin = {
  name: "without-node",
  setup({ onResolve }) {
    onResolve({ filter: /^node:/ }, ({ path, importer }) => ({ errors: [{ text: `${importer} imports ${path}` }] }));
  },
};

test("the engine runs where there is no Node, and is within its budget of bytes", async () => {
  const bundle = await bundled(CORE);
  const size = { plain: bundle.length, gzip: gzipSync(bundle).length };
  expect(size.plain).toBeLessThanOrEqual(BUDGET.plain);
  expect(size.gzip).toBeLessThanOrEqual(BUDGET.gzip);
  // A budget that is never near is none.
  expect(size.plain).toBeGreaterThan(BUDGET.plain * 0.8);
});

test("a Node module among them is noticed", async () => {
  await expect(bundled(["fold"], 'export * as planted from "node:fs";')).rejects.toThrow("imports node:fs");
});

test("a folder that is not pure does not build so", async () => {
  await expect(bundled(["session"])).rejects.toThrow("imports node:");
});
