/**
 * Whether a file is compiled Python that Python checks against its source before running it: such files come and go
 * with each run and decide nothing. Compiled files that are never checked run instead of their source (PEP 552).
 */
export function isCheckedPython(name: string, bytes: Uint8Array): boolean {
  if (!name.endsWith(".pyc")) return false;
  const flags = bytes[4];
  return flags === 0 || flags === 3;
}
