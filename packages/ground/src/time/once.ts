/** Returns a function that computes a value at its first call and keeps it. If that throws, the next call retries. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
