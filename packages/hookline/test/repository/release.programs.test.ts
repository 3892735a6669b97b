import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMANDS } from "../../../../scripts/commands.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const top = mkdtempSync(join(tmpdir(), "hookline-release-"));
const clone = join(top, "clone");

function git(...args: readonly string[]): void {
  const author = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
  execFileSync("git", [...author, ...args], { cwd: clone, stdio: "ignore" });
}

function release(): { readonly code: number | null; readonly err: string } {
  const { status, stderr } = spawnSync(process.execPath, ["--conditions=hookline-source", "scripts/release.ts"], {
    cwd: clone,
    encoding: "utf8",
  });
  return { code: status, err: stderr };
}

/** Clones the current state, committed or not, as a person who wants to release it has it. */
beforeAll(() => {
  execFileSync("git", ["clone", "--quiet", "--no-tags", `file://${root}`, clone]);
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
  writeFileSync(join(clone, ".git/info/exclude"), "node_modules\n");
  const script = join(clone, "scripts/release.ts");
  writeFileSync(script, readFileSync(join(root, "scripts/release.ts")));
  // The changelog is put into the state before a release, even if this is the state after one.
  const changes = join(clone, "CHANGELOG.md");
  writeFileSync(changes, readFileSync(changes, "utf8").replaceAll(/^## \d.*$/gm, "## Unreleased"));
  git("checkout", "--quiet", "-B", "main");
  git("commit", "--quiet", "--all", "--allow-empty", "-m", "as it stands");
});

afterAll(() => rmSync(top, { recursive: true, force: true }));

test("a version without its part of the changelog is not released", () => {
  expect(release()).toMatchObject({ code: 1, err: expect.stringMatching(/CHANGELOG\.md has no heading for \d/) });
});

test("a tree with changes, or another branch than main, is not released", () => {
  writeFileSync(join(clone, "left-over.txt"), "");
  git("checkout", "--quiet", "-b", "elsewhere");
  const { code, err } = release();
  expect(code).toBe(1);
  expect(err).toContain("the tree has changes: commit or remove them");
  expect(err).toContain("this is not the branch main");
});

test("every script that proves something is among the proofs", () => {
  const text = readFileSync(join(root, "scripts/release.ts"), "utf8");
  const [, list = ""] = /const PROOFS = \[([^\]]*)\]/.exec(text) ?? [];
  const proofs = [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name);
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly scripts: object };
  // These write, build, measure or need a program of somebody else's; the screens are looked at by check:docs.
  const others = [
    ...["gen", "build", "bridge-client", "format", "against", "walkthrough", "picture", "release", "hosts"],
    "editors",
    ...["guards", "secrets", "undo-cost", "without"],
  ];
  expect([...proofs, ...others].sort()).toEqual(
    [...Object.keys(scripts), ...Object.keys(COMMANDS)]
      .filter((name) => !name.startsWith("pre") && name !== "dev")
      .sort(),
  );
});
