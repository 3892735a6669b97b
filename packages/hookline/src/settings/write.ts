import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "@hookline/runtime/internal";

/**
 * Changes one of the user's settings, or takes it out; everything else in the file stays as it is. Throws for a file
 * that is no JSON object, which is left alone.
 */
export function writeSetting(hooklineHome: string, key: string, value: unknown): void {
  const path = real(join(hooklineHome, "settings.json"));
  const settings = readObject(path);
  // A path may stand in the file as one key.
  const own = Object.hasOwn(settings, key) ? [key] : key.split(".");
  put(settings, own, value);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  writeFileSync(draft, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(draft, path);
}

type Fields = Record<string, unknown>;

function put(fields: Fields, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length > 0) {
    const inner = isObject(fields[name]) ? fields[name] : {};
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
      throw new Error(`${path} is no file. Put one in its place first; nothing was changed.`);
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw thrown;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw new Error(`${path} is no JSON: ${messageOf(thrown)}. Correct it first; nothing was changed.`);
  }
  if (!isObject(value)) throw new Error(`${path} is no JSON object. Correct it first; nothing was changed.`);
  return value;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The file behind links, so that a link to it stays one. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
