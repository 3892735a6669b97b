/** The possible values of a text's variables, as far as it states them literally. */
export type Variables = ReadonlyMap<string, readonly string[]>;

/** Variables for a folder in which names are tried anyway. */
const FOLDERS = ["PWD", "JCLI_CWD", "JCLI_HOOK_DIR", "CLAUDE_PROJECT_DIR"];

const MOST_WAYS = 64;
const ASSIGNED =
  /(?:^|[\s;&|({,])[$@]?([A-Za-z_]\w*)\s*:?=\s*((?:[^\s"'`;|&()<>\\]|\\[\s\S]|"(?:\\[\s\S]|[^"\\\n])*"|'[^'\n]*')+)/g;
const LISTED = /\bfor\s+([A-Za-z_]\w*)\s+in\s+([^;\n]+)/g;
const REFERENCE = /\$\{(\w+)\}|\$(\w+)|#\{(\w+)\}|\{(\w+)\}/;

/** Reads the assignments in a text. */
export function variablesIn(text: string): Variables {
  const found = new Map<string, string[]>(FOLDERS.map((name) => [name, ["."]]));
  const add = (name: string, value: string): void => {
    const known = found.get(name);
    if (known === undefined) found.set(name, [value]);
    else if (!known.includes(value)) known.push(value);
  };
  if (!text.includes("=") && !text.includes("for")) return found;
  for (const [, name = "", value = ""] of text.matchAll(ASSIGNED)) add(name, value.replaceAll(/["'\\]/g, ""));
  for (const [, name = "", list = ""] of text.matchAll(LISTED))
    for (const value of list.split(/\s+/)) add(name, value.replaceAll(/["'\\]/g, ""));
  return found;
}

/** All expansions of a piece of text; none if a variable is unknown or there are too many. */
export function fill(piece: string, variables: Variables): readonly string[] {
  let open = [piece];
  for (let round = 0; round < 8 && open.some((one) => REFERENCE.test(one)); round++) {
    open = open.flatMap((one) => {
      const [whole, ...names] = REFERENCE.exec(one) ?? [];
      const values = variables.get(names.find((name) => name !== undefined) ?? "");
      if (whole === undefined) return [one];
      return values?.map((value) => one.replace(whole, () => value)) ?? [];
    });
    if (open.length > MOST_WAYS) return [];
  }
  return open.filter((one) => !REFERENCE.test(one));
}
