/**
 * A private copy of plain data: arrays and plain objects are new, everything else is shared
 * (strings, functions, class instances, signals). Cycles are not copied: foreign data is bounded in depth where it is read.
 */
export function cloneShell<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const copy = new Array(value.length);
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      copy[i] = typeof item === "object" && item !== null ? cloneShell(item) : item;
    }
    return copy as T;
  }
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) return value;
  const copy: Record<string, unknown> = proto === null ? Object.create(null) : {};
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key];
    const own = typeof item === "object" && item !== null ? cloneShell(item) : item;
    if (key === "__proto__")
      Object.defineProperty(copy, key, { value: own, writable: true, enumerable: true, configurable: true });
    else copy[key] = own;
  }
  return copy as T;
}
