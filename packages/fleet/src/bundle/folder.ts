import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "@hookline/runtime/internal";
import * as v from "valibot";
import { NAME } from "../name/subjects.ts";
import { MAY } from "../policy/manifest.ts";
import type { Bundle } from "./bundle.ts";

/** The file in a folder that says what its hooks may do. */
export const MANIFEST = "manifest.json";

const MOST_BYTES = 512 * 1024;
const MOST_FILES = 1000;

const text = () => v.pipe(v.string(), v.minLength(1));
const name = () => v.pipe(v.string(), v.regex(NAME));
const schema = v.strictObject({
  v: v.literal(1),
  fleet: name(),
  channel: name(),
  version: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  hooks: v.array(
    v.strictObject({
      file: text(),
      where: v.picklist(["agent", "worker"]),
      events: v.array(text()),
      may: v.optional(v.array(v.picklist(MAY)), () => ["deny", "ask"] as const),
      needs: v.optional(v.array(text()), () => ["tool", "args"]),
      onFailure: v.optional(v.picklist(["open", "closed"]), "closed"),
      idempotent: v.optional(v.boolean(), false),
    }),
  ),
});

/**
 * Reads a bundle from a folder: `manifest.json` and the files of its hooks. Its digest covers every byte below the
 * folder. Throws what is wrong with it.
 */
export function folderBundle(folder: string): Bundle {
  const files = filesBelow(folder);
  const path = join(folder, MANIFEST);
  const reading = readJson(contentOf(folder, MANIFEST), { maxBytes: MOST_BYTES });
  if (!reading.ok) throw new Error(`${path} cannot be read: ${reading.message}`);
  const [twice] = reading.duplicates;
  if (twice !== undefined) throw new Error(`${path} has ${twice} twice`);
  const read = v.safeParse(schema, reading.value, { abortEarly: true });
  if (!read.success) {
    const [issue] = read.issues;
    throw new Error(`${path}: ${v.getDotPath(issue) ?? "it"} is not as it must be: ${issue.message}`);
  }
  const absent = read.output.hooks.find(({ file }) => !files.includes(file));
  if (absent !== undefined) throw new Error(`${path} names ${absent.file}, which is not in the folder`);
  const digest = createHash("sha256");
  for (const file of files) {
    const bytes = contentOf(folder, file);
    digest.update(`${JSON.stringify(file)} ${bytes.length} `).update(bytes);
  }
  return { digest: digest.digest("hex"), folder, manifest: read.output };
}

/** The files below a folder, in bytewise order. A link is refused: what it leads to is not in the folder. */
function filesBelow(folder: string): string[] {
  const files: string[] = [];
  const visit = (below: string): void => {
    for (const one of readdirSync(join(folder, below)).sort()) {
      const path = below === "" ? one : `${below}/${one}`;
      const found = lstatSync(join(folder, path));
      if (found.isDirectory()) visit(path);
      else if (found.isFile()) files.push(path);
      else throw new Error(`${join(folder, path)} is neither a file nor a folder`);
      if (files.length > MOST_FILES) throw new Error(`${folder} has more than ${MOST_FILES} files`);
    }
  };
  visit("");
  return files;
}

function contentOf(folder: string, path: string): Buffer {
  const bytes = readFileSync(join(folder, path));
  if (bytes.length > MOST_BYTES) throw new Error(`${join(folder, path)} has more than 512 KiB`);
  return bytes;
}
