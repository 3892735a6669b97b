import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemFiles } from "@hookline/ground/system";
import { packages } from "@hookline/integrations";
import type { Asker } from "./environment.ts";
import { fetchGit } from "./git.ts";
import { installFromNpm, installLocked, integrityOf, readManifest } from "./npm.ts";
import { Programs } from "./programs.ts";

/** A fetched package, and where it is. */
export interface FetchedPackage extends packages.PackageRecord {
  readonly root: string;
}

/** The environment and the folders with which a package is fetched. */
export interface FetchParts extends Asker {
  readonly hooklineHome: string;
  /** The folder that contains `packages`; by default hookline's home. */
  readonly store?: string;
}

/** A package that has been fetched into a temporary folder. */
export interface PackageDraft {
  /** The source with the exact version or the full commit that was fetched. */
  readonly exact: string;
  readonly record: packages.PackageRecord;
  /** The folder of the package's files until `keep` moves them. */
  readonly root: string;
  /** Moves the package to the folder of `source`, in place of a package that was fetched there before. */
  keep(source: string): FetchedPackage;
  /** Removes the package, unless it was kept. */
  discard(): void;
}

/**
 * Fetches a package with npm or git into hookline's home, and records its files' hashes. Replaces an earlier one. No
 * program of the package or of the project runs, and none of their settings are read. Peer dependencies are left out:
 * they are pi's packages, which the agent has. Rejects with the program's output, and if the registry now has other
 * bytes under a version that was fetched before.
 */
export async function fetchPackage(text: string, parts: FetchParts): Promise<FetchedPackage> {
  const draft = await draftPackage(text, parts);
  try {
    return draft.keep(text);
  } finally {
    draft.discard();
  }
}

/** Fetches a package as `fetchPackage` does, but leaves an earlier one in place until the draft is kept. */
export async function draftPackage(text: string, parts: FetchParts): Promise<PackageDraft> {
  const source = sourceOf(text);
  const { store = parts.hooklineHome } = parts;
  const { prefix, root } = packages.packageFolder(store, source);
  const partial = `${prefix}.${process.pid}`;
  const inside = join(partial, root.slice(prefix.length + 1));
  const discard = (): void => rmSync(partial, { recursive: true, force: true });
  discard();
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  const programs = new Programs(parts, parts.hooklineHome);
  try {
    const got =
      source.kind === "npm"
        ? await fetchNpm(source, partial, inside, programs)
        : { version: await fetchGit(source, inside, programs) };
    if (source.kind === "git") await installLocked(inside, partial, programs);
    const exact = source.kind === "npm" ? `npm:${source.name}@${got.version}` : withRef(text, source.ref, got.version);
    const record = { source: exact, ...got, files: packages.packageHashes(systemFiles, inside) };
    refuseOtherBytes(record, store);
    return {
      exact,
      record,
      root: inside,
      keep: (wanted) => keep(partial, { ...record, source: wanted }, store),
      discard,
    };
  } catch (thrown) {
    discard();
    throw thrown;
  } finally {
    await programs.close();
  }
}

function sourceOf(text: string): packages.PackageSource {
  const source = packages.readPackageSource(text);
  if (source === undefined)
    throw new Error(`"${text}" names no package; write npm:NAME@VERSION, or git:HOST/PATH@REF with the whole host`);
  return source;
}

async function fetchNpm(
  { name, version }: Extract<packages.PackageSource, { kind: "npm" }>,
  partial: string,
  inside: string,
  programs: Programs,
) {
  await installFromNpm({ [name]: version }, {}, partial, programs);
  const integrity = integrityOf(partial, name);
  return {
    version: String(readManifest(join(inside, "package.json"))["version"] ?? ""),
    ...(integrity !== undefined && { integrity }),
  };
}

/** Replaces the ref of a git source: `git:HOST/PATH@main` becomes `git:HOST/PATH@COMMIT`. */
function withRef(text: string, ref: string | undefined, wanted: string): string {
  return `${ref === undefined ? text : text.slice(0, -ref.length - 1)}@${wanted}`;
}

/** Throws if the registry has other bytes than before under the same version, because nobody has reviewed those. */
function refuseOtherBytes({ source, integrity }: packages.PackageRecord, store: string): void {
  const then = packages.packageRecord(systemFiles, packages.packageFolder(store, sourceOf(source))).integrity;
  if (then === undefined || integrity === then) return;
  throw new Error(
    `the registry has other bytes for ${source} than were fetched before (${integrity ?? "without an integrity"} instead of ${then}). Ask its author; \`hookline packages remove ${source}\` forgets the old ones`,
  );
}

function keep(partial: string, record: packages.PackageRecord, store: string): FetchedPackage {
  const { prefix, root } = packages.packageFolder(store, sourceOf(record.source));
  writeFileSync(join(partial, packages.RECORD_NAME), `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
  rmSync(prefix, { recursive: true, force: true });
  mkdirSync(dirname(prefix), { recursive: true, mode: 0o700 });
  renameSync(partial, prefix);
  return { ...record, root };
}
