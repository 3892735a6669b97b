import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commandLine } from "./command-line.ts";
import { root } from "./step.ts";

/** Everything that a release must pass, in the order of how soon it says no. */
const PROOFS = [
  "check",
  "conformance",
  "test",
  "test:programs",
  "check:packages",
  "check:docs",
  "examples",
  "demo",
  "differential",
  "third-party",
  "fresh",
  "prove",
  "bench",
] as const;

/**
 * Makes a release ready: refuses a tree with changes, a branch that is not main, versions that differ and a changelog
 * without the version; runs every proof; packs. It publishes nothing: the last lines say how.
 */
commandLine({ name: "release", says: "Refuses a tree with changes, runs every proof, and says how to publish." });
const version = versionOf("packages/hookline");
const objections = [
  git("status", "--porcelain") !== "" && "the tree has changes: commit or remove them",
  git("branch", "--show-current") !== "main" && "this is not the branch main",
  versionOf("packages/runtime") !== version && "the two packages have different versions",
  git("tag", "--list", `v${version}`) !== "" && `v${version} is there already: raise the versions`,
  !readFileSync(join(root, "CHANGELOG.md"), "utf8").includes(`\n## ${version}`) &&
    `CHANGELOG.md has no heading for ${version}: give what is unreleased that heading and a date`,
].filter((objection) => objection !== false);
for (const objection of objections) process.stderr.write(`${objection}\n`);
process.exitCode = objections.length > 0 ? 1 : prove();

function prove(): number {
  for (const name of PROOFS) {
    process.stdout.write(`\n== npm run ${name}\n`);
    if (spawnSync("npm", ["run", "-s", name], { cwd: root, stdio: "inherit" }).status !== 0) {
      process.stderr.write(`\n${name} failed: nothing is released.\n`);
      return 1;
    }
  }
  process.stdout.write(
    `\nEverything holds. To release ${version}:\n\n  git tag v${version} && git push origin v${version}\n  npm publish --workspace packages/runtime --access public\n  npm publish --workspace packages/hookline --access public\n`,
  );
  return 0;
}

function versionOf(folder: string): string {
  return (JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as { version: string }).version;
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}
