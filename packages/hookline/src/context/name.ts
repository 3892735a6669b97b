/** The context that is used if none is requested. */
export const DEFAULT_CONTEXT = "default";

const NAME = /^[A-Za-z0-9_-]{1,200}$/;

/** Whether a text can be the name of a context. `-` refers to the previous context and is no name. */
export function isContextName(name: string): boolean {
  return name !== "-" && NAME.test(name);
}

/** Throws an error for the person if a text cannot name a context. */
export function checkContextName(name: string): void {
  if (!isContextName(name)) {
    throw new Error(`${JSON.stringify(name)} cannot name a context. Use letters, digits, "-" and "_".`);
  }
}

/** The facts with which a requested name is resolved: the previous context, the time and the existing names. */
export interface KnownContexts {
  readonly previous: string | undefined;
  readonly now: Date;
  exists(name: string): boolean;
}

/**
 * Resolves a request for a context: a name, `-` for the previous context, `new` or `new:prefix`. `new` makes an unused
 * name from the local time. Throws an error for the person. Source: spec/chibi.md 3.
 */
export function contextNameOf(request: string, known: KnownContexts): string {
  if (request === "-") {
    if (known.previous === undefined) {
      throw new Error('There is no previous context. "-" goes back once another context has been made current.');
    }
    return known.previous;
  }
  if (request === "new") return freshName("", known);
  if (request.startsWith("new:")) {
    const prefix = request.slice("new:".length);
    checkContextName(prefix);
    return freshName(`${prefix}_`, known);
  }
  checkContextName(request);
  return request;
}

/** Makes the name `YYYYMMDD_HHMMSS` after a prefix, with a number appended if it is taken. */
function freshName(prefix: string, { now, exists }: KnownContexts): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  const base = `${prefix}${day}_${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
  let name = base;
  for (let number = 2; exists(name); number++) name = `${base}_${number}`;
  return name;
}
