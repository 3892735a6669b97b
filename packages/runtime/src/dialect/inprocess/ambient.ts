/** Reading every variable takes longer than a module; these change what programs do, of the others the names count. */
const VARIABLES = ["PATH", "HOME", "SHELL", "LANG", "TZ", "TMPDIR", "NODE_OPTIONS", "NODE_PATH", "LD_PRELOAD"];

/** Events of the process whose listeners decide how it ends. */
const ENDING = [
  "uncaughtException",
  "unhandledRejection",
  "exit",
  "beforeExit",
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
] as const;
const BUILTINS: readonly (readonly [name: string, of: object])[] = [
  ["Object", Object],
  ["Object.prototype", Object.prototype],
  ["Array.prototype", Array.prototype],
  ["Function.prototype", Function.prototype],
  ["String.prototype", String.prototype],
  ["Promise.prototype", Promise.prototype],
  ["Map.prototype", Map.prototype],
  ["RegExp.prototype", RegExp.prototype],
  ["JSON", JSON],
  ["Reflect", Reflect],
];
/** Their functions, as they were before any module was loaded; getters are left out, since reading them may throw. */
const FUNCTIONS = BUILTINS.flatMap(([name, of]) =>
  Reflect.ownKeys(of).flatMap((key) =>
    typeof Reflect.getOwnPropertyDescriptor(of, key)?.value === "function" ? [{ name, of, key }] : [],
  ),
);

/** What everybody in the process shares, as it is at one moment. */
interface Ambient {
  readonly cwd: string;
  readonly umask: number;
  readonly names: readonly string[];
  readonly env: readonly (string | undefined)[];
  readonly listeners: readonly number[];
  readonly functions: readonly unknown[];
  readonly keys: readonly (readonly PropertyKey[])[];
}

/** Modules are loaded one after the other, so what one has left is what the next begins with. */
let latest: { readonly state: Ambient; readonly at: number } | undefined;
const FRESH_MS = 2;

/** Takes a note of the shared state; the returned function says what has changed since, in words without values. */
export function noteAmbient(): () => readonly string[] {
  const isFresh = latest !== undefined && performance.now() - latest.at < FRESH_MS;
  const before = isFresh && latest !== undefined ? latest.state : ambient();
  return () => {
    const after = ambient();
    latest = { state: after, at: performance.now() };
    return changesOf(before, after);
  };
}

function ambient(): Ambient {
  return {
    cwd: process.cwd(),
    umask: process.umask(),
    names: Object.keys(process.env),
    env: VARIABLES.map((name) => process.env[name]),
    listeners: ENDING.map((name) => process.listenerCount(name)),
    functions: FUNCTIONS.map(({ of, key }) => Reflect.get(of, key)),
    keys: BUILTINS.map(([, of]) => Reflect.ownKeys(of)),
  };
}

function changesOf(before: Ambient, after: Ambient): string[] {
  const changes: string[] = [];
  if (before.cwd !== after.cwd) changes.push("the working directory");
  if (before.umask !== after.umask) changes.push("the umask");
  const names = new Set(VARIABLES.filter((_, i) => before.env[i] !== after.env[i]));
  if (before.names.length !== after.names.length || before.names.some((name, i) => name !== after.names[i])) {
    for (const name of after.names) if (!before.names.includes(name)) names.add(name);
    for (const name of before.names) if (!after.names.includes(name)) names.add(name);
  }
  for (const name of names) changes.push(`the variable ${name}`);
  for (const [i, name] of ENDING.entries())
    if (before.listeners[i] !== after.listeners[i]) changes.push(`the listeners of ${name}`);
  for (const [i, { name, key }] of FUNCTIONS.entries())
    if (before.functions[i] !== after.functions[i]) changes.push(`${name}.${String(key)}`);
  for (const [i, [name]] of BUILTINS.entries()) {
    const [known, now] = [before.keys[i] ?? [], after.keys[i] ?? []];
    if (known.length !== now.length)
      changes.push(...now.filter((key) => !known.includes(key)).map((key) => `${name}.${String(key)}`));
  }
  return changes;
}
