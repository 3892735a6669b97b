/** The part of a hook's id that tells it from others: the file without its folders, and what follows it. */
export function shortName(id: string): string {
  const [path = "", ...rest] = id.split("#");
  const file = path.split(/[/\\]/).at(-1) || path;
  return [file, ...rest].join("#");
}
