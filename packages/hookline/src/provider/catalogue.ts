import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { HooklineError } from "@hookline/runtime";
import { messageOf } from "@hookline/runtime/internal";
import { knownProvider } from "./known.ts";
import type { Model } from "./provider.ts";

// The built program has its own folder with the data; when run from source, it is read from the installed package.
const PLACES = ["catalogue", "node_modules/@earendil-works/pi-ai/dist/providers/data"];

const read = new Map<string, readonly Model[]>();
let folder: string | undefined;

/**
 * The models of a known provider, from the catalogue in pi-ai. Reads only that provider's file, and only once.
 * Synchronous, because an extension's `find` is.
 */
export function catalogue(provider: string): readonly Model[] {
  const cached = read.get(provider);
  if (cached !== undefined) return cached;
  if (knownProvider(provider) === undefined) return [];
  folder ??= findFolder(`${provider}.json`);
  const path = join(folder, `${provider}.json`);
  try {
    const groups = JSON.parse(readFileSync(path, "utf8")) as Record<string, Record<string, Model>>;
    const models = Object.values(groups).flatMap((group) => Object.values(group));
    read.set(provider, models);
    return models;
  } catch (cause) {
    throw new HooklineError("UNREADABLE", { path, problem: messageOf(cause) }, { cause });
  }
}

function findFolder(file: string): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let place = start, above = ""; place !== above; above = place, place = dirname(place)) {
    for (const inner of PLACES) if (existsSync(join(place, inner, file))) return join(place, inner);
  }
  throw new HooklineError("UNREADABLE", {
    path: "The model catalogue",
    problem: `it is not installed beside ${start}`,
  });
}
