import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bug, packageOf } from "./bug.ts";

const root = join(import.meta.dirname, "../..");

const PACKAGES = ["ground", "runtime", "bridge", "integrations", "hookline"];
const PARTS = ["src", "test", "package.json"];

/** A copy of the packages and their tests, into which bugs are put. */
export interface Copy extends Disposable {
  readonly folder: string;
  /** Applies the patches of a bug; returns which of them no longer fits. `restore` reverts them. */
  apply(bug: Bug): string | undefined;
  restore(): void;
}

export function createCopy(): Copy {
  const folder = mkdtempSync(join(tmpdir(), "hookline-bugs-"));
  for (const part of PACKAGES.flatMap((name) => PARTS.map((part) => `packages/${name}/${part}`))) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  // Tests and the configuration import some of the scripts.
  const isScript = (path: string): boolean => !/\.\w+$/.test(path) || path.endsWith(".ts");
  cpSync(join(root, "scripts"), join(folder, "scripts"), { recursive: true, filter: isScript });
  cpSync(join(root, "vitest.config.ts"), join(folder, "vitest.config.ts"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  // The copied packages must import each other, not the originals.
  const linked = join(folder, "packages/node_modules/@hookline");
  mkdirSync(linked, { recursive: true });
  for (const name of PACKAGES.slice(0, -1)) symlinkSync(join(folder, "packages", name), join(linked, name));
  const before = new Map<string, string>();

  return {
    folder,
    apply(bug) {
      for (const { of = bug.of, file, from, to } of bug.patches) {
        const path = join(folder, packageOf(of), "src", file);
        const text = readFileSync(path, "utf8");
        if (text.split(from).length !== 2) return `${file} does not hold ${JSON.stringify(from)} once`;
        if (!before.has(path)) before.set(path, text);
        writeFileSync(
          path,
          text.replace(from, () => to),
        );
      }
      return undefined;
    },
    restore() {
      for (const [path, text] of before) writeFileSync(path, text);
      before.clear();
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
