/** Keeps texts between runs under content-addressed keys. Losing one costs only time. */
export interface TextCache {
  get(key: string): string | undefined;
  put(key: string, text: string): void;
}
