/** A function that computes its value at the first call and keeps it; a call that throws keeps nothing. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
