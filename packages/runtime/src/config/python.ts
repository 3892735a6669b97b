/**
 * Whether a file is compiled Python that Python compares with its source before it runs it: such files come and go with
 * each run and decide nothing. Compiled files that are never compared run in place of their source (PEP 552).
 */
export function isCheckedPython(name: string, bytes: Uint8Array): boolean {
  if (!name.endsWith(".pyc")) return false;
  const flags = bytes[4];
  return flags === 0 || flags === 3;
}
