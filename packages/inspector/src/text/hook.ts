/** Returns the short name of a hook: its file and line, without the folders. */
export function hookName({ hook, source }: { readonly hook: string; readonly source?: string }): string {
  return source === undefined || source === "" ? shortName(hook) : lastPart(source);
}

/** A file as it is called in a folder: without the folder, where it is in it. */
export function inFolder(path: string, folder: string | undefined): string {
  return folder !== undefined && folder !== "" && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

/** The part of a hook's id that tells it from others: the file without its folders, and what follows it. */
export function shortName(id: string): string {
  const [path = "", ...rest] = id.split("#");
  return [lastPart(path), ...rest].join("#");
}

function lastPart(path: string): string {
  return path.split(/[/\\]/).at(-1) || path;
}
