import type { Files } from "@hookline/runtime/dialect";
import { type Diagnostic, diagnose } from "@hookline/runtime/dialect";
import { JSON_LIMITS } from "@hookline/runtime/engine";

/** Reads a file that defines hooks, or reports why it cannot. Callers skip missing files. */
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

/** Reports a file at a path where a folder is expected. */
export function noFolder(files: Pick<Files, "stat">, path: string): readonly Diagnostic[] {
  if (files.stat(path)?.kind !== "file") return [];
  return [diagnose("UNREADABLE", { path, problem: "it is a file, and a folder is expected" })];
}
