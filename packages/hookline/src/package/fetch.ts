import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemFiles } from "@hookline/ground/system";
import { packages } from "@hookline/integrations";
import type { Asker } from "./environment.ts";
import { fetchGit } from "./git.ts";
import { dependenciesIn, installFromNpm, readManifest } from "./npm.ts";
import { Programs } from "./programs.ts";

/** A fetched package, and where it is. */
export interface FetchedPackage extends packages.PackageRecord {
  readonly root: string;
}

/** What is needed to fetch. */
export interface FetchParts extends Asker {
  readonly hooklineHome: string;
}

/**
 * Fetches a package with npm or git into hookline's home, replacing an earlier one, and records its bytes. No program
 * of the package or of the project runs, and none of their settings are read; the agent provides pi's packages to it.
 * Rejects with the program's output.
 */
export async function fetchPackage(text: string, parts: FetchParts): Promise<FetchedPackage> {
  const source = packages.readPackageSource(text);
  if (source === undefined)
    throw new Error(`"${text}" names no package; write npm:NAME@VERSION, or git:HOST/PATH@REF with the whole host`);
  const { prefix, root } = packages.packageFolder(parts.hooklineHome, source);
  const partial = `${prefix}.${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  const programs = new Programs(parts, parts.hooklineHome);
  try {
    const inside = join(partial, root.slice(prefix.length + 1));
    let version: string;
    if (source.kind === "npm") {
      await installFromNpm({ [source.name]: source.version }, {}, partial, programs);
      version = String(readManifest(join(inside, "package.json"))["version"] ?? "");
    } else {
      version = await fetchGit(source, inside, programs);
      const manifest = readManifest(join(inside, "package.json"));
      const [needed, optional] = ["dependencies", "optionalDependencies"].map((field) =>
        dependenciesIn(manifest, field),
      );
      if (Object.keys({ ...needed, ...optional }).length > 0)
        await installFromNpm(needed ?? {}, optional ?? {}, partial, programs);
    }
    const files = packages.packageHashes(systemFiles, inside);
    const record: packages.PackageRecord = { source: text, version, files };
    writeFileSync(join(partial, packages.RECORD_NAME), `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
    rmSync(prefix, { recursive: true, force: true });
    mkdirSync(dirname(prefix), { recursive: true, mode: 0o700 });
    renameSync(partial, prefix);
    return { ...record, root };
  } finally {
    await programs.close();
    rmSync(partial, { recursive: true, force: true });
  }
}
