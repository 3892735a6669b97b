type Method = (...given: never[]) => unknown;

/** The function beneath each function that wraps a method: the one that it calls next. */
const beneath = new WeakMap<Method, { method: Method }>();

/** A method of an object, such as `process.exit`, that several functions may wrap and unwrap in any order. */
export interface Overlay<K extends string, M extends Method> {
  readonly on: Record<K, M>;
  readonly name: K;
}

/**
 * Wraps a method. `make` receives a function that returns the one to call next. `remove` of the result takes the
 * wrapper out again, even from below later wrappers of this kind, but not from below a wrapper of other code.
 */
export function overlay<K extends string, M extends Method>(
  { on, name }: Overlay<K, M>,
  make: (next: () => M) => M,
): { readonly method: M; readonly remove: () => void } {
  const below = { method: on[name] as Method };
  const method = make(() => below.method as M);
  beneath.set(method, below);
  on[name] = method;
  return {
    method,
    remove() {
      if (on[name] === method) on[name] = below.method as M;
      for (const above of standing({ on, name })) if (above.method === method) above.method = below.method;
    },
  };
}

/** Returns whether a function is still in use: as the method itself, or as what one of these wrappers calls. */
export function stands<K extends string, M extends Method>({ on, name }: Overlay<K, M>, method: M): boolean {
  if (on[name] === method) return true;
  for (const above of standing({ on, name })) if (above.method === method) return true;
  return false;
}

function* standing<K extends string, M extends Method>({ on, name }: Overlay<K, M>): Generator<{ method: Method }> {
  for (let layer = beneath.get(on[name]); layer !== undefined; layer = beneath.get(layer.method)) yield layer;
}
