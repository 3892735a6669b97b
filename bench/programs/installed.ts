import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { stop } from "esbuild";
import { buildAgent, buildRuntime } from "../../scripts/build.ts";
import { root } from "../../scripts/step.ts";

let place: Promise<string> | undefined;

/** Returns the command line as users have it: built, packed, and installed into an empty folder; once per build. */
export function installedBin(): Promise<string> {
  place ??= install();
  return place;
}

async function install(): Promise<string> {
  await Promise.all([buildRuntime(), buildAgent()]);
  // esbuild's process would keep running and compete with the measured programs.
  await stop();
  const hash = createHash("sha256");
  for (const name of ["runtime", "hookline"]) {
    const folder = join(root, "packages", name);
    hash.update(readFileSync(join(folder, "package.json")));
    const files = readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" }).sort();
    for (const file of files.filter((path) => /\.c?js$/.test(path))) {
      hash.update(file);
      hash.update(readFileSync(join(folder, "dist", file)));
    }
  }
  const folder = join(root, ".cache/bench/installed", hash.digest("hex").slice(0, 16));
  const bin = join(folder, "node_modules/hookline/bin/hookline.js");
  if (existsSync(bin)) return bin;
  const staging = `${folder}.${process.pid}`;
  mkdirSync(staging, { recursive: true });
  for (const name of ["runtime", "hookline"]) {
    copyFileSync(join(root, "LICENSE"), join(root, "packages", name, "LICENSE"));
    npm(["pack", "--silent", "--pack-destination", staging], join(root, "packages", name));
  }
  const tarballs = readdirSync(staging).filter((name) => name.endsWith(".tgz"));
  writeFileSync(join(staging, "package.json"), '{"name":"user","private":true,"type":"module"}');
  npm(["install", "--silent", "--no-audit", "--no-fund", ...tarballs.map((name) => `./${name}`)], staging);
  rmSync(folder, { recursive: true, force: true });
  renameSync(staging, folder);
  return bin;
}

function npm(args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync("npm", [...args], { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${args[0]} in ${cwd}: ${stderr}`);
}
