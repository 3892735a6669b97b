import { createHash } from "node:crypto";
import { join } from "node:path";
import { type Diagnostic, diagnose } from "../../error/diagnostic.ts";
import type { Files } from "../../port/files.ts";
import type { Scan } from "../dialect.ts";
import { type PackageSource, packageFolder, readPackageSource } from "./package-source.ts";

/** The file beside a fetched package that says what was fetched. */
export const RECORD_NAME = "fetched.json";

/** What was fetched, byte for byte. */
export interface PackageRecord {
  readonly source: string;
  /** The version of npm, or the commit. */
  readonly version: string;
  /** Hex SHA-256 by the files' paths below the package's folder. */
  readonly files: Readonly<Record<string, string>>;
}

/** The bytes of a package's own files; what it needs of others is not its own. */
export function packageHashes(files: Files, root: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, kind } of files.list(join(root, below)) ?? []) {
    const path = below === "" ? name : `${below}/${name}`;
    if (kind === "directory" && name !== "node_modules" && name !== ".git")
      Object.assign(found, packageHashes(files, root, path));
    const bytes = kind === "directory" ? undefined : files.read(join(root, path));
    if (bytes !== undefined) found[path] = createHash("sha256").update(bytes).digest("hex");
  }
  return found;
}

/** Where a package lies that has been fetched and is as it was then; otherwise what is to be done. */
export function fetchedRoot(
  { files, hooklineHome }: Pick<Scan, "files" | "hooklineHome">,
  text: string,
): { readonly root: string } | { readonly problem: Diagnostic } {
  const source = readPackageSource(text);
  if (source === undefined)
    return refused(text, "it names no package", "Write npm:NAME@VERSION, git:HOST/PATH@REF, or a path.");
  const { prefix, root } = packageFolder(hooklineHome, source);
  const remedy = `Run \`hookline packages fetch ${text}\`.`;
  const bytes = files.read(join(prefix, RECORD_NAME));
  if (bytes === undefined || files.stat(root)?.kind !== "directory")
    return refused(text, "it has not been fetched", remedy);
  const recorded = recordedIn(bytes);
  // Another address may have the same place: the same host by another protocol.
  if (!isSameSource(recorded.source, source))
    return refused(text, "what lies there was fetched from elsewhere", remedy);
  const now = packageHashes(files, root);
  const then = recorded.files ?? {};
  const changed = [...new Set([...Object.keys(now), ...Object.keys(then)])].find((path) => now[path] !== then[path]);
  if (changed !== undefined) return refused(text, `${changed} is not as it was fetched`, remedy);
  return { root };
}

function recordedIn(bytes: Uint8Array): Partial<PackageRecord> {
  try {
    return (JSON.parse(new TextDecoder().decode(bytes)) as Partial<PackageRecord> | null) ?? {};
  } catch {
    return {};
  }
}

function isSameSource(text: unknown, source: PackageSource): boolean {
  const then = typeof text === "string" ? readPackageSource(text) : undefined;
  return then?.kind === "git" && source.kind === "git" ? then.url === source.url : then?.kind === source.kind;
}

function refused(path: string, problem: string, remedy: string): { readonly problem: Diagnostic } {
  return { problem: diagnose("UNSUPPORTED", { path, problem, remedy }) };
}
