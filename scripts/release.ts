import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TARGETS } from "./bridge-client.ts";
import { commandLine } from "./command-line.ts";
import { COMMANDS, callOf } from "./commands.ts";
import { root } from "./step.ts";

/** Everything that a release must pass; checks that are likely to fail early come first. */
const PROOFS = [
  "check",
  "conformance",
  "conformance:mcp",
  "test",
  "test:programs",
  "inspector-tests",
  "fleet-tests",
  "check:packages",
  "check:docs",
  "examples",
  "demo",
  "engines",
  "differential",
  "differential-newest",
  "third-party",
  "undo",
  "fresh",
  "prove",
  "bench",
] as const;

/** The published packages, each after those that it depends on. */
const PACKAGES = ["runtime", "guards", "conformance", "fleet", "hookline"] as const;

/**
 * Prepares a release: refuses a tree with uncommitted changes, a branch other than main, differing versions and a
 * changelog without the version; runs every proof; packs. Publishes nothing: the last lines say how.
 */
const { values } = commandLine({
  name: "release",
  says: "Refuses a tree with uncommitted changes, runs every proof, and says how to publish.",
  options: {
    tagged: { type: "string", value: "TAG", says: "only check that this tag, the packages and the changelog agree" },
  },
});
const version = versionOf("packages/hookline");
const objections = [
  [...PACKAGES.map((name) => `packages/${name}`), ...TARGETS.map((target) => `native/bridge-${target}`)].some(
    (folder) => versionOf(folder) !== version,
  ) && "the packages have different versions",
  !readFileSync(join(root, "CHANGELOG.md"), "utf8").includes(`\n## ${version}`) &&
    `CHANGELOG.md has no heading for ${version}: give what is unreleased that heading and a date`,
  ...(values.tagged === undefined
    ? objectionsHere()
    : [values.tagged !== `v${version}` && `${values.tagged} is not v${version}`]),
].filter((objection) => objection !== false);
for (const objection of objections) process.stderr.write(`${objection}\n`);
process.exitCode = objections.length > 0 ? 1 : values.tagged === undefined ? prove() : 0;

/** Returns the reasons against a release from this clone. */
function objectionsHere(): (string | false)[] {
  return [
    git("status", "--porcelain") !== "" && "the tree has changes: commit or remove them",
    git("branch", "--show-current") !== "main" && "this is not the branch main",
    git("tag", "--list", `v${version}`) !== "" && `v${version} is there already: raise the versions`,
  ];
}

function prove(): number {
  for (const name of PROOFS) {
    process.stdout.write(`\n== ${callOf(name)}\n`);
    if (
      spawnSync("npm", ["run", "-s", ...(name in COMMANDS ? ["dev", "--"] : []), name], { cwd: root, stdio: "inherit" })
        .status !== 0
    ) {
      process.stderr.write(`\n${name} failed: nothing is released.\n`);
      return 1;
    }
  }
  process.stdout.write(
    `\nEverything holds. To release ${version}:\n\n  git tag v${version} && git push origin v${version}\n\nThe workflow \`release\` publishes what is tagged. By hand, without the native clients of the bridge, it is:\n\n${PACKAGES.map((name) => `  npm publish --workspace packages/${name} --access public\n`).join("")}`,
  );
  return 0;
}

function versionOf(folder: string): string {
  return (JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as { version: string }).version;
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}
