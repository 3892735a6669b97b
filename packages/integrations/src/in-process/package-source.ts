import { createHash } from "node:crypto";
import { join } from "node:path";
import { parseJson } from "@hookline/ground";
import type { Files, Scan } from "@hookline/runtime/dialect";
import { type Diagnostic, diagnose } from "@hookline/runtime/dialect";

/** A parsed package source, such as `npm:NAME@VERSION` or `git:HOST/PATH@REF`. */
export type PackageSource =
  | { readonly kind: "npm"; readonly name: string; readonly version: string }
  | { readonly kind: "git"; readonly url: string; readonly ref: string | undefined; readonly place: string };

/** The folders of a fetched package. */
export interface PackageFolder {
  /** hookline's folder for the package, its dependencies and the record of what was fetched. */
  readonly prefix: string;
  readonly root: string;
}

// npm would take a name that begins with a dot or a dash as a path or an option, and a version with a colon or a slash
// as another source.
const NPM = /^npm:((?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*)(?:@([\w.+^~<>=*|-]+))?$/i;
const ADDRESS = /^(https?|ssh|git):\/\/(?:([\w.-]+)@)?([^/@:]+)(?::(\d+))?\/(.+)$/;
const LOGIN = /^git@([^/@:]+):(.+)$/;
// Digits after a colon are a port, never the beginning of a path.
const HOST_AND_PATH = /^([^/@:]+)(?::(\d+)(?=\/))?(?:\/|:(?!\d+(?:[/@]|$)))(.+)$/;

const HOST = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;
const SEGMENT = /^(?!\.{1,2}$)[\w.~][\w.~-]*$/;
const REF = /^\w[\w./-]*$/;

/** Whether a text is a package source rather than a path. */
export function isPackageSource(text: string): boolean {
  return /^(npm:|git:|git@|ssh:|https?:|github:)/.test(text);
}

/** Parses a package source. Returns `undefined` for any other text, and for a package that cannot be fetched. */
export function readPackageSource(text: string): PackageSource | undefined {
  const npm = NPM.exec(text);
  if (npm !== null) return { kind: "npm", name: npm[1] as string, version: npm[2] ?? "latest" };
  const named = text.startsWith("npm:") ? undefined : addressIn(text);
  if (named === undefined) return undefined;
  const { host, port = "", path: given } = named;
  const [, path = "", ref] = /^(.*?)(?:\.git)?(?:@([^@]+))?$/s.exec(given) ?? [];
  const isPort = port === "" || (Number(port) > 0 && Number(port) < 65_536);
  if (!isHost(host) || !isPort || !path.split("/").every((segment) => SEGMENT.test(segment))) return undefined;
  if (ref !== undefined && (!REF.test(ref) || ref.includes(".."))) return undefined;
  const place = join(port === "" ? host : `${host}_${port}`, path);
  return { kind: "git", url: named.url(path), ref, place };
}

/** Whether a text is a host name or a full IPv4 address. Ambiguous forms such as `127.1` are rejected. */
function isHost(host: string): boolean {
  const url = `http://${host}/`;
  return HOST.test(host) && URL.canParse(url) && new URL(url).hostname === host.toLowerCase();
}

/** The parts of a git source, not yet checked. */
interface Named {
  readonly host: string;
  readonly port?: string | undefined;
  /** The path as written, still with `.git` and a ref if it has them. */
  readonly path: string;
  url(path: string): string;
}

function addressIn(text: string): Named | undefined {
  const github = /^(?:git:)?github:([^/]+\/.+)$/s.exec(text)?.[1];
  if (github !== undefined) return { host: "github.com", path: github, url: (path) => `https://github.com/${path}` };
  // `git:` is hookline's prefix and is cut off, but `git://` is a protocol and stays.
  const rest = /^git:(?!\/\/)/.test(text) ? text.slice("git:".length) : text;
  const [, scheme, user, host, port, path] = ADDRESS.exec(rest) ?? [];
  if (host !== undefined && path !== undefined) {
    const login = user === undefined ? "" : `${user}@`;
    return {
      host,
      port,
      path,
      url: (named) => `${scheme}://${login}${host}${port === undefined ? "" : `:${port}`}/${named}`,
    };
  }
  const [, there, below] = LOGIN.exec(rest) ?? [];
  if (there !== undefined && below !== undefined)
    return { host: there, path: below, url: (named) => `git@${there}:${named}.git` };
  const [, bare, bareport, behind] = (rest !== text && HOST_AND_PATH.exec(rest)) || [];
  // A host without a dot is rejected: it may be a user's name, with the host left out.
  if (bare === undefined || behind === undefined || !(bare.includes(".") || bare === "localhost" || bareport))
    return undefined;
  return {
    host: bare,
    port: bareport,
    path: behind,
    url: (named) => `https://${bare}${bareport === undefined ? "" : `:${bareport}`}/${named}`,
  };
}

/** Returns the folders of a package below hookline's home. */
export function packageFolder(hooklineHome: string, source: PackageSource): PackageFolder {
  const packages = join(hooklineHome, "packages");
  if (source.kind === "npm") {
    const prefix = join(packages, "npm", `${source.name.replace("/", "+")}@${source.version}`);
    return { prefix, root: join(prefix, "node_modules", source.name) };
  }
  const prefix = join(packages, "git", `${source.place}@${(source.ref ?? "HEAD").replaceAll("/", "+")}`);
  return { prefix, root: join(prefix, "package") };
}

/** The name of the file beside a fetched package that records what was fetched. */
export const RECORD_NAME = "fetched.json";

/** The record of a fetched package, by which later changes to its files are detected. */
export interface PackageRecord {
  readonly source: string;
  /** The npm version, or the git commit. */
  readonly version: string;
  /** The registry's digest of the package's tarball, as `sha512-…`. */
  readonly integrity?: string;
  /** The SHA-256 of each file in hex, by its path below the package's folder. */
  readonly files: Readonly<Record<string, string>>;
}

/** Hashes a package's own files, without its dependencies. */
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

/** A package whose hooks cannot be loaded, with the reason and a remedy. */
export interface Unfetched {
  readonly problem: Diagnostic;
  /** The folder where the package would be. */
  readonly folder: string;
  /** The problem as a clause, shown as the reason why the package's hooks do not run. */
  readonly reason: string;
}

/** Returns the folder of a package that has been fetched and not changed since, or else the problem. */
export function fetchedRoot(
  { files, hooklineHome }: Pick<Scan, "files" | "hooklineHome">,
  text: string,
): { readonly root: string } | Unfetched {
  const source = readPackageSource(text);
  if (source === undefined) {
    const remedy = "Write npm:NAME@VERSION, git:HOST/PATH@REF, or a path.";
    return refused(text, join(hooklineHome, "packages", text), "it names no package", remedy);
  }
  const { prefix, root } = packageFolder(hooklineHome, source);
  const remedy = `Run \`hookline packages fetch ${text}\`.`;
  const bytes = files.read(join(prefix, RECORD_NAME));
  if (bytes === undefined || files.stat(root)?.kind !== "directory")
    return refused(text, root, "it has not been fetched", remedy);
  const recorded = recordedIn(bytes);
  // Two sources can share a folder: the same host by different protocols.
  if (!isSameSource(recorded.source, source))
    return refused(text, root, "what is there was fetched from another source", remedy);
  const now = packageHashes(files, root);
  const then = recorded.files ?? {};
  const changed = [...new Set([...Object.keys(now), ...Object.keys(then)])].find((path) => now[path] !== then[path]);
  if (changed !== undefined) return refused(text, root, `${changed} has changed since it was fetched`, remedy);
  return { root };
}

/** Reads the record of a fetched package; empty if there is no readable one. */
export function packageRecord(files: Files, { prefix }: PackageFolder): Partial<PackageRecord> {
  const bytes = files.read(join(prefix, RECORD_NAME));
  return bytes === undefined ? {} : recordedIn(bytes);
}

function recordedIn(bytes: Uint8Array): Partial<PackageRecord> {
  try {
    return (parseJson(bytes) as Partial<PackageRecord> | null) ?? {};
  } catch {
    return {};
  }
}

function isSameSource(text: unknown, source: PackageSource): boolean {
  const then = typeof text === "string" ? readPackageSource(text) : undefined;
  return then?.kind === "git" && source.kind === "git" ? then.url === source.url : then?.kind === source.kind;
}

function refused(path: string, folder: string, problem: string, remedy: string): Unfetched {
  const reason = `${path}: ${problem}. ${remedy}`;
  return { problem: diagnose("UNSUPPORTED", { path, problem, remedy }), folder, reason };
}
