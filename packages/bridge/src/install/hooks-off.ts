import { isFields } from "@hookline/ground";
import type { At, HostAdapter } from "../host/adapter.ts";
import type { InstalledFile } from "./installed.ts";
import { readJsonFile } from "./json-file.ts";

/** Describes to a person which of the host's own settings keep it from running the entries of these files. */
export function hooksOff(label: string, adapter: HostAdapter, at: At, files: readonly InstalledFile[]): string[] {
  const { off } = adapter;
  const { hasComments } = adapter.format("user", at);
  const own = files.flatMap(({ entries }) => entries);
  if (off === undefined || own.length === 0) return [];
  const paths = [...new Set([...(off.first?.(at) ?? []), adapter.path("project", at), adapter.path("user", at)])];
  const [names, value] = off.all;
  const settings = (path: string, keys: readonly string[]): unknown => settingAt(readJsonFile(path, hasComments), keys);
  const decides = paths.find((path) => settings(path, names) !== undefined);
  if (decides !== undefined && settings(decides, names) === value)
    return [`${label} runs no hooks: ${decides} sets ${names.join(".")} to ${value}`];
  const { some = [] } = off;
  return paths.flatMap((path) => {
    const listed = some.length === 0 ? undefined : settings(path, some);
    const skipped = own.filter(({ command }) => Array.isArray(listed) && listed.includes(command));
    const events = skipped.map(({ event }) => event).join(", ");
    return events === "" ? [] : [`${label} skips ${events}: ${path} lists them in ${some.join(".")}`];
  });
}

function settingAt(settings: unknown, names: readonly string[]): unknown {
  return names.reduce((value, name) => (isFields(value) ? value[name] : undefined), settings);
}
