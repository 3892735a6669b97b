const mark = Symbol.for("hookline.listener");

/**
 * Marks a listener of the process as the host's own. Such listeners come and go when the host needs them, also while a
 * module is loaded, who is not to be blamed for them.
 */
export function ownListener<T extends (...args: never[]) => unknown>(listener: T): T {
  return Object.defineProperty(listener, mark, { value: true });
}

/** Whether a listener is the host's own. */
export function isOwnListener(listener: object): boolean {
  return mark in listener;
}
