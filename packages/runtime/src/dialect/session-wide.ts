/** Returns a value that all instances of a session share under a key; `make` creates it on first use. */
export function sharedOf<T>(shared: Map<string, unknown>, key: string, make: () => T): T {
  if (!shared.has(key)) shared.set(key, make());
  return shared.get(key) as T;
}
