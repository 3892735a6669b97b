/** Modules that do not load, and how much of the error's text is the program's own; the rest is the engine's. */
export const BROKEN: Readonly<Record<string, { readonly text: string; readonly own: number }>> = {
  "none.ts": { text: "export const x = 1;\n", own: Number.POSITIVE_INFINITY },
  "object.ts": { text: "export default {};\n", own: Number.POSITIVE_INFINITY },
  "text.ts": { text: 'export default "hook";\n', own: Number.POSITIVE_INFINITY },
  "throws.ts": { text: 'throw new Error("top");\n', own: "Failed to load hook: top".length },
  "factory.ts": { text: 'export default () => { throw new Error("within"); };\n', own: Number.POSITIVE_INFINITY },
  "rejects.ts": { text: 'export default async () => { throw new Error("later"); };\n', own: Number.POSITIVE_INFINITY },
  "class.ts": { text: "export default class Hook {}\n", own: "Failed to load hook: ".length },
  "syntax.ts": { text: "export default (pi => {\n", own: "Failed to load hook: ".length },
  "import.ts": { text: 'import "./nowhere.ts";\nexport default () => {};\n', own: "Failed to load hook: ".length },
  "early.ts": { text: 'export default (pi) => { pi.sendMessage("x"); };\n', own: Number.POSITIVE_INFINITY },
  "exits.ts": { text: "export default () => { process.exit(3); };\n", own: "Failed to load hook: ".length },
  "good.ts": { text: "export default () => {};\n", own: 0 },
};

/** Returns what `loadHooks` reports about the broken hooks, in order, and about one more that does not exist. */
export async function loadBroken(lib: any, folder: string): Promise<unknown> {
  const names = [...Object.keys(BROKEN), "missing.ts"];
  const { hooks, errors } = await lib.loadHooks(
    names.map((name) => `${folder}/${name}`),
    folder,
  );
  const base = (path: string): string => path.slice(folder.length + 1);
  return {
    hooks: hooks.map(({ path }: any) => base(path)),
    errors: errors.map(({ path, error }: any) => [
      base(path),
      error.slice(0, BROKEN[base(path)]?.own ?? "Failed to load hook: ".length),
    ]),
  };
}

/** Returns the results of `execCommand` for programs that end in every way. */
export async function runCommands(lib: any, folder: string): Promise<unknown[]> {
  const given: [string, string[], object?][] = [
    ["sh", ["-c", "echo out; echo err >&2"]],
    ["sh", ["-c", "exit 3"]],
    ["sh", ["-c", "printf 'ä%s' \"$1\"", "sh", "; exit 9"]],
    ["pwd", []],
    ["sh", ["-c", "exec sleep 30"], { timeout: 50 }],
    ["cat", []],
  ];
  const results = [];
  for (const [command, args, options] of given) {
    const { stdout, stderr, killed, code } = await lib.execCommand(command, args, folder, options);
    results.push({ stdout: stdout.replace(folder, "«folder»"), stderr, killed, code: killed ? "any" : code });
  }
  return results;
}
