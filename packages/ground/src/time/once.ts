/**
 * Returns a function that computes its value at the first call and keeps it. If that throws, the next call tries again.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
