import { join } from "node:path";
import type { Tier } from "@hookline/ground";
import type { Candidate, Diagnostic, Found, Scan } from "@hookline/runtime/dialect";
import { diagnose } from "@hookline/runtime/dialect";
import { hooklineFolders } from "@hookline/runtime/engine";
import { eachOnce, type PlacedModule } from "../../in-process/directory.ts";
import { resolvePath } from "../../in-process/explicit.ts";
import { moduleFiles } from "../../in-process/module-text.ts";
import { ownPackageAt, ownPackageLists, packageGuards } from "../../in-process/own-packages.ts";
import { noFolder } from "../../settings-hooks/definition-file.ts";
import { GUARD_FILE } from "../about.ts";

const PREFIX = "hookline:";

/**
 * Finds guard files without running any: the project's, then the user's, then those of packages, then those that the
 * command line names as `hookline:PATH`. A folder's files are sorted bytewise by name. Its subfolders are not searched,
 * so that they can hold modules which guards import.
 */
export function discover(scan: Scan): Found {
  const [own, stray] = hooklineFolders(scan);
  const folders = [
    { path: join(scan.cwd, ".hookline", "guards"), tier: "project" },
    ...[stray, own].flatMap((home) =>
      home === undefined ? [] : [{ path: join(home.path, "guards"), tier: home.tier }],
    ),
  ] as const;
  const diagnostics: Diagnostic[] = folders.flatMap(({ path }) => noFolder(scan.files, path));
  const named = scan.explicit
    .filter((text) => text.startsWith(PREFIX))
    .map((text) => resolvePath(text.slice(PREFIX.length), scan.cwd, scan.home));
  for (const path of named)
    if (scan.files.stat(path)?.kind !== "file")
      diagnostics.push(diagnose("UNREADABLE", { path, problem: "there is no such file" }));
  const lists = ownPackageLists(scan);
  // Packages that cannot be fetched are left out here; the dialect `pi` reports them.
  const packaged = lists.flatMap((list) =>
    list.sources.flatMap((source) => {
      const at = ownPackageAt(scan, list, source);
      return "root" in at ? packageGuards(scan.files, at.root).map((path) => ({ path, tier: list.tier })) : [];
    }),
  );
  const modules: PlacedModule[] = [
    ...folders.flatMap(({ path, tier }) => inFolder(scan, path, tier)),
    ...packaged.sort((a, b) => (a.tier === b.tier ? 0 : a.tier === "project" ? -1 : 1)),
    ...named.map((path) => ({ path, tier: "user" as const })),
  ];
  return {
    searched: [...new Set([...folders.map(({ path }) => path), ...named, ...lists.map(({ path }) => path)])],
    candidates: eachOnce(scan.files, modules).map((module) => candidate(scan, module)),
    diagnostics,
  };
}

function inFolder({ files }: Scan, folder: string, tier: Tier): PlacedModule[] {
  return (files.list(folder) ?? [])
    .filter(({ name }) => GUARD_FILE.test(name))
    .map(({ name }) => ({ path: join(folder, name), tier }))
    .filter(({ path }) => files.stat(path)?.kind !== "directory");
}

function candidate(scan: Scan, { path, tier }: PlacedModule): Candidate {
  const isThere = scan.files.stat(path)?.kind === "file";
  return {
    lane: "hookline",
    source: { path, tier, dialect: "hookline", api: "guard" },
    ...(isThere ? { state: "runs" } : { state: "broken", reason: "there is no such file" }),
    files: isThere ? moduleFiles(scan, path) : [],
    onFailure: "refuses what it guards, withholds what it redacts",
    definition: undefined,
  };
}
