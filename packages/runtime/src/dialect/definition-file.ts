import type { Files } from "../port/files.ts";
import { JSON_LIMITS } from "./json.ts";

/** The bytes of a file that defines hooks, or why there are none. The caller skips missing files. */
export function readDefinitionFile(
  files: Pick<Files, "stat" | "read" | "fault">,
  path: string,
): { readonly bytes: Uint8Array } | { readonly problem: string } {
  const stat = files.stat(path);
  if (stat?.kind !== "file") return { problem: files.fault?.(path) ?? "it is not a file" };
  if (stat.size > JSON_LIMITS.bytes) return { problem: "it is larger than 8 MiB" };
  const bytes = files.read(path);
  return bytes === undefined ? { problem: "access was denied" } : { bytes };
}
