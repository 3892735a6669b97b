import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importedBy, undeclared } from "../../../../scripts/declared.ts";
import { root } from "../../../../scripts/step.ts";

function manifestOf(name: string): { dependencies: Record<string, string> } {
  return JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
}

describe.each(["runtime", "hookline"] as const)("the built package %s", (name) => {
  it("imports its dependencies and nothing else, and going without one is noticed", async () => {
    const imported = await importedBy(name);
    const manifest = manifestOf(name);
    expect(undeclared(imported, manifest)).toEqual([]);
    expect(imported).toContain("esbuild");
    expect(imported).toContain("koffi");
    for (const gone of Object.keys(manifest.dependencies)) {
      const { [gone]: _, ...dependencies } = manifest.dependencies;
      expect(undeclared(imported, { ...manifest, dependencies })).toEqual([expect.stringContaining(`"${gone}"`)]);
    }
    const more = { ...manifest, dependencies: { ...manifest.dependencies, "left-over": "1.0.0" } };
    expect(undeclared(imported, more)).toEqual([expect.stringContaining('"left-over"')]);
  });
});
