/**
 * Loads the items of a source some steps ahead and gives them in the source's order.
 * A failed load rejects when its turn comes; loads that are never asked for are left to end unseen.
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
