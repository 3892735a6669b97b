/** What all instances of a session share under a key; made when it is first asked for. */
export function sharedOf<T>(shared: Map<string, unknown>, key: string, make: () => T): T {
  if (!shared.has(key)) shared.set(key, make());
  return shared.get(key) as T;
}
