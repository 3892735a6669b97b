import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isFields, messageOf, parseJson } from "@hookline/ground";
import { realOf } from "@hookline/ground/system";

/**
 * Changes or removes one setting in the `settings.json` of a folder, the user's or a project's; everything else in the
 * file stays. Throws, without changing the file, if it is not a JSON object.
 */
export function writeSetting(folder: string, key: string, value: unknown): void {
  // A link itself is kept.
  const path = realOf(join(folder, "settings.json"));
  const settings = readObject(path);
  // A path may be written as a single key in the file.
  const own = Object.hasOwn(settings, key) ? [key] : key.split(".");
  put(settings, own, value);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  // Keeps the mode of a file that others may read, such as a project's.
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
