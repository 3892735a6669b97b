/** Returns the short name of a hook: its file and line, without the folders. */
export function hookName({ hook, source }: { readonly hook: string; readonly source?: string }): string {
  return source === undefined || source === "" ? shortName(hook) : lastPart(source);
}

/** Returns a short name of a sub-agent: the end of its id, in which the ids of a session differ. */
export function agentName(id: string): string {
  return `sub-agent ${id.length > 12 ? id.slice(-6) : id}`;
}

/** Makes a path relative to a folder, if the file is in it. */
export function inFolder(path: string, folder: string | undefined): string {
  return folder !== undefined && folder !== "" && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

/** Shortens a hook's id: the file without its folders, and what follows the file. */
export function shortName(id: string): string {
  const [path = "", ...rest] = id.split("#");
  return [lastPart(path), ...rest].join("#");
}

function lastPart(path: string): string {
  return path.split(/[/\\]/).at(-1) || path;
}
