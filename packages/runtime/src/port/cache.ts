/** Keeps texts between runs under content-addressed keys. Losing a text costs only time. */
export interface TextCache {
  get(key: string): string | undefined;
  put(key: string, text: string): void;
}
