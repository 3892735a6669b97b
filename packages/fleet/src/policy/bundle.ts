import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { filesBelow, readFile } from "./folder.ts";
import { sha256 } from "./key.ts";
import { type BundleFile, type Expected, type SignedManifest, signedManifest } from "./manifest.ts";
import { Refused } from "./refused.ts";

/** File name of a bundle's manifest. Beside it is the folder with the bundle's files. */
export const MANIFEST = "manifest.json";
const FILES = "files";

/** A bundle on disk whose bytes all match the manifest. */
export interface Bundle extends SignedManifest {
  /** The folder with the bundle's files. */
  readonly folder: string;
}

/** Finds the bytes with this SHA-256, such as on the fleet's server. */
export type Blobs = (hash: string) => Promise<Uint8Array | undefined>;

/**
 * Installs a bundle below a folder, under its digest, entirely or not at all. Throws `Refused`, and leaves nothing
 * behind, if the manifest is not trusted or bytes do not match it.
 */
export async function installBundle(
  bundles: string,
  envelope: Uint8Array,
  { blobs, ...expected }: Expected & { readonly blobs: Blobs },
): Promise<Bundle> {
  const { manifest, digest } = signedManifest(envelope, expected);
  const place = join(bundles, digest);
  const known = wholeAt(place, expected);
  if (known !== undefined) return known;
  mkdirSync(bundles, { recursive: true, mode: 0o700 });
  const draft = join(bundles, `.${digest.slice(0, 16)}-${randomBytes(6).toString("hex")}.tmp`);
  try {
    mkdirSync(join(draft, FILES), { recursive: true, mode: 0o700 });
    for (const file of manifest.files)
      writeNew(join(draft, FILES, file.path), await blobOf(file, blobs), file.executable);
    writeNew(join(draft, MANIFEST), envelope);
    const bundle = checkedBundle(draft, expected);
    // Another process of this machine may have installed the bundle meanwhile, and may be loading it.
    if (wholeAt(place, expected) === undefined) putInPlace(draft, place, expected);
    return { ...bundle, folder: join(place, FILES) };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Reads a bundle again, including each file; throws `Refused` unless it matches its manifest and the root trusts that
 * manifest. The caller must check whether it has expired.
 */
export function checkedBundle(place: string, expected: Expected): Bundle {
  const folder = join(place, FILES);
  for (const one of [place, folder])
    if (lstatSync(one, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new Refused("path", `${one} is not a folder`);
  const signed = signedManifest(readFile(place, MANIFEST), expected);
  const wanted = new Map(signed.manifest.files.map((file) => [file.path, file]));
  for (const { path, executable } of filesBelow(folder, { what: place, leaves: false })) {
    const file = wanted.get(path);
    if (file === undefined) throw new Refused("extra", `${place}: ${path} is not in the manifest`);
    wanted.delete(path);
    requireBytes(readFile(folder, path), file);
    if (executable !== (file.executable === true))
      throw new Refused(
        "hash",
        `${place}: ${path} is ${executable ? "" : "not "}executable, but the manifest says otherwise`,
      );
  }
  const [missing] = wanted.keys();
  if (missing !== undefined) throw new Refused("missing", `${place}: ${missing} is missing`);
  return { ...signed, folder };
}

async function blobOf(file: BundleFile, blobs: Blobs): Promise<Uint8Array> {
  const bytes = await blobs(file.sha256);
  if (bytes === undefined) throw new Refused("missing", `the content of ${file.path} (${file.sha256}) is missing`);
  requireBytes(bytes, file);
  return bytes;
}

function requireBytes(bytes: Uint8Array, file: BundleFile): void {
  if (bytes.length === file.bytes && sha256(bytes) === file.sha256) return;
  throw new Refused(
    "hash",
    `${file.path} is not the file that was signed: it has ${bytes.length} of ${file.bytes} bytes, or other bytes`,
  );
}

function writeNew(path: string, bytes: Uint8Array, executable?: true): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fd = openSync(path, "wx", executable ? 0o700 : 0o600);
  try {
    writeFileSync(fd, bytes);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Returns the bundle at a place; `undefined` if there is none, or if it is changed or incomplete. */
function wholeAt(place: string, expected: Expected): Bundle | undefined {
  if (!existsSync(place)) return undefined;
  try {
    return checkedBundle(place, expected);
  } catch {
    return undefined;
  }
}

/**
 * Moves a draft into place. A changed bundle there is moved away first; one that another process installs first stays.
 */
function putInPlace(draft: string, place: string, expected: Expected): void {
  try {
    if (existsSync(place)) {
      const old = `${draft}.old`;
      renameSync(place, old);
      rmSync(old, { recursive: true, force: true });
    }
    renameSync(draft, place);
  } catch (thrown) {
    if (wholeAt(place, expected) === undefined) throw thrown;
  }
}
