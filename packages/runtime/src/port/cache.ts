/** Texts that are kept over runs under content-addressed keys; losing one costs time and nothing else. */
export interface TextCache {
  get(key: string): string | undefined;
  put(key: string, text: string): void;
}
