/**
 * Loads the items of a source some steps ahead and yields the results in order. A failed load rejects when its turn
 * comes. Results that are never requested are ignored.
 */
export async function* readAhead<T, R>(
  source: AsyncIterable<T>,
  width: number,
  load: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const pending: Promise<R>[] = [];
  for await (const item of source) {
    const loading = load(item);
    loading.catch(() => undefined);
    pending.push(loading);
    if (pending.length >= width) yield await (pending.shift() as Promise<R>);
  }
  for (const loading of pending) yield await loading;
}
