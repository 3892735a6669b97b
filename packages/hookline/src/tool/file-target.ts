import { readRegularSync } from "@hookline/ground/system";
import { type AllowedPlaces, allowedFile } from "../cache/allowed.ts";
import { cachedFile } from "../cache/store.ts";
import { decodeText } from "./text-file.ts";

/** The cache folder and the allowed paths of the file tools. Read at each call: the conversation may be switched. */
export interface FilePlaces {
  cacheFolder(): string;
  readonly allowed: AllowedPlaces;
}

/** The arguments that identify the file. Exactly one of them is required. */
export type FileTarget = { readonly cache_id?: string; readonly path?: string };

/** The schema of `FileTarget`, for every file tool. */
export const TARGET_PROPERTIES = {
  cache_id: { type: "string", description: "Id of a cached tool output, from an [Output cached: ID] message" },
  path: { type: "string", description: "Path of a file, where cache_id is not given" },
} as const;

/** Returns the text of the file that a call names. Throws if the call names none or two, or may not read it. */
export function targetText({ cache_id, path }: FileTarget, places: FilePlaces): string {
  if (cache_id && path) throw new Error("Provide either cache_id or path, not both.");
  if (!cache_id && !path) throw new Error("Must provide either cache_id or path.");
  const file = cache_id ? cachedFile(places.cacheFolder(), cache_id) : allowedFile(path as string, places.allowed);
  return decodeText(readRegularSync(file), true) ?? "";
}
