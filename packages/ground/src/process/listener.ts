const mark = Symbol.for("hookline.listener");

/**
 * Marks a listener on `process` as the host's own. The host adds and removes such listeners at any time, even while a
 * module loads, and the module must not be blamed for them.
 */
export function ownListener<T extends (...args: never[]) => unknown>(listener: T): T {
  return Object.defineProperty(listener, mark, { value: true });
}

/** Whether `ownListener` has marked a listener. */
export function isOwnListener(listener: object): boolean {
  return mark in listener;
}
