type Method = (...given: never[]) => unknown;

/** Functions that stand over another one, with what they hand on to. */
const beneath = new WeakMap<Method, { method: Method }>();

/** An object's method with functions over it that come and go in any order, such as `process.exit`. */
export interface Overlay<K extends string, M extends Method> {
  readonly on: Record<K, M>;
  readonly name: K;
}

/**
 * Puts a function over a method; `make` is given what tells the one to hand on to. Returns what takes it away again,
 * from under others of this kind too. Whoever else has put a function over it meanwhile is left alone.
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

/** Whether a function is the method or stands under others of this kind. */
export function stands<K extends string, M extends Method>({ on, name }: Overlay<K, M>, method: M): boolean {
  if (on[name] === method) return true;
  for (const above of standing({ on, name })) if (above.method === method) return true;
  return false;
}

function* standing<K extends string, M extends Method>({ on, name }: Overlay<K, M>): Generator<{ method: Method }> {
  for (let layer = beneath.get(on[name]); layer !== undefined; layer = beneath.get(layer.method)) yield layer;
}
