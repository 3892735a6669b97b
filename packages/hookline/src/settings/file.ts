import { readFileSync, statSync } from "node:fs";
import { decodeText, diagnose, guess, messageOf, parseJson } from "@hookline/ground";
import { systemFiles } from "@hookline/ground/system";
import type { Diagnostic } from "@hookline/runtime";
import { fits, type SettingValue } from "@hookline/runtime/engine";
import { SETTINGS, wanted } from "./rows.ts";

/** A settings file that has been read. Invalid settings are left out and reported. */
export interface SettingsFile {
  readonly path: string;
  readonly values: ReadonlyMap<string, SettingValue>;
  readonly diagnostics: readonly Diagnostic[];
  /** The reason why the file, or a setting in it that tightens guards, is unusable. A run must not go on without it. */
  readonly unreadable?: Diagnostic;
}

/** The largest settings file that is read, in bytes. */
const MAX_BYTES = 1024 * 1024;

/** Reads a settings file. A missing file has no values; all other failures are reported. */
export function readSettingsFile(path: string): SettingsFile {
  const found = bytesOf(path);
  if (found === undefined) return { path, values: new Map(), diagnostics: [] };
  if (!(found instanceof Uint8Array)) return failed(path, found);
  const decoded = decodeText(found);
  if (!decoded.ok) return failed(path, diagnose("SETTINGS_SYNTAX", { path, line: 1, problem: decoded.message }));
  const { text } = decoded;
  let parsed: unknown;
  try {
    parsed = parseJson(text);
  } catch (thrown) {
    const at = /position (\d+)/.exec(messageOf(thrown));
    const line = at === null ? 1 : text.slice(0, Number(at[1])).split("\n").length;
    return failed(path, diagnose("SETTINGS_SYNTAX", { path, line, problem: messageOf(thrown) }));
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    return failed(path, diagnose("SETTINGS_SYNTAX", { path, line: 1, problem: "it is not a JSON object" }));
  return valuesOf(path, text, parsed);
}

function valuesOf(path: string, text: string, parsed: object): SettingsFile {
  const values = new Map<string, SettingValue>();
  const diagnostics: Diagnostic[] = [];
  let unreadable: Diagnostic | undefined;
  const lineOf = (key: string): number =>
    Math.max(1, text.slice(0, text.indexOf(`"${key.split(".").at(-1)}"`)).split("\n").length);
  const { $schema: _, ...given } = parsed as { readonly $schema?: unknown };
  for (const [key, value] of flat(given)) {
    const row = SETTINGS[key];
    const inner = Object.keys(SETTINGS).filter((name) => name.startsWith(`${key}.`));
    if (row === undefined && inner.length > 0) {
      const problem = wrongValue(path, lineOf(key), key, `an object, with ${inner.join(", ")}`, value);
      diagnostics.push(problem);
      if (inner.some((name) => SETTINGS[name]?.guards)) unreadable ??= problem;
    } else if (row === undefined) {
      const details = { path, line: lineOf(key), key, guess: guess(key, Object.keys(SETTINGS)) };
      diagnostics.push(diagnose("UNKNOWN_KEY", details));
    } else if (fits(row, value)) values.set(key, value as SettingValue);
    else {
      const problem = wrongValue(path, lineOf(key), key, wanted(row), value);
      diagnostics.push(problem);
      if (row.guards) unreadable ??= problem;
    }
  }
  return { path, values, diagnostics, ...(unreadable !== undefined && { unreadable }) };
}

function wrongValue(path: string, line: number, key: string, shape: string, value: unknown): Diagnostic {
  const problem = `"${key}" must be ${shape}`;
  return diagnose("BAD_ENTRY", {
    path,
    line,
    problem,
    remedy: `It is ${JSON.stringify(value)}; correct or remove it.`,
  });
}

/** Returns the file's bytes, `undefined` if there is no file, or why it cannot be read. Never blocks on a pipe. */
function bytesOf(path: string): Uint8Array | Diagnostic | undefined {
  const unreadable = (problem: string): Diagnostic => diagnose("SETTINGS_UNREADABLE", { path, problem });
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) return unreadable("it is a folder");
    if (!stat.isFile()) return unreadable("it is not a file");
    if (stat.size > MAX_BYTES) return unreadable(`it is larger than ${MAX_BYTES} bytes`);
    return readFileSync(path);
  } catch {
    const fault = systemFiles.fault?.(path);
    return fault === undefined ? undefined : unreadable(fault);
  }
}

function failed(path: string, diagnostic: Diagnostic): SettingsFile {
  return { path, values: new Map(), diagnostics: [diagnostic], unreadable: diagnostic };
}

/** Yields the values in nested objects with paths such as `a.b`. A setting's value that is an object stays whole. */
function* flat(value: unknown, prefix = ""): Generator<[string, unknown]> {
  if (typeof value !== "object" || value === null || Array.isArray(value) || Object.hasOwn(SETTINGS, prefix)) {
    if (prefix !== "") yield [prefix, value];
    return;
  }
  for (const [key, inner] of Object.entries(value)) yield* flat(inner, prefix === "" ? key : `${prefix}.${key}`);
}
