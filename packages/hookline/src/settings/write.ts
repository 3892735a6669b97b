import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isFields, messageOf, parseJson } from "@hookline/ground";
import { realOf } from "@hookline/ground/system";

/**
 * Changes or removes one setting in the `settings.json` of a folder, the user's or a project's. The rest of the file
 * stays the same. Throws without changing the file if it is not a JSON object.
 */
export function writeSetting(folder: string, key: string, value: unknown): void {
  // If the file is a link, its target is changed.
  const path = realOf(join(folder, "settings.json"));
  const settings = readObject(path);
  // The file may contain the whole path of a setting as one property name.
  const own = Object.hasOwn(settings, key) ? [key] : key.split(".");
  put(settings, own, value);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  // The file keeps its mode: others may be allowed to read it, for example in a project.
  const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777;
  writeFileSync(draft, `${JSON.stringify(settings, null, 2)}\n`, { mode, flag: "wx" });
  renameSync(draft, path);
}

type Fields = Record<string, unknown>;

function put(fields: Fields, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length > 0) {
    const inner = isFields(fields[name]) ? fields[name] : {};
    put(inner, rest, value);
    if (Object.keys(inner).length === 0) delete fields[name];
    else fields[name] = inner;
  } else if (value === undefined) delete fields[name];
  else fields[name] = value;
}

function readObject(path: string): Fields {
  let text: string;
  try {
    if (!statSync(path).isFile())
      throw new Error(`${path} is not a file. Replace it with one first; nothing was changed.`);
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw thrown;
  }
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (thrown) {
    throw new Error(`${path} is not JSON: ${messageOf(thrown)}. Correct it first; nothing was changed.`);
  }
  if (!isFields(value)) throw new Error(`${path} is not a JSON object. Correct it first; nothing was changed.`);
  return value;
}
