import type { Bug } from "./bug.ts";

const REQUIRED = "config/required.test.ts";
const PRECEDENCE = "config/precedence.test.ts";
const STAND_IN = "session/stand-in.ts";
const MODEL = "laws/stand-in.test.ts";

/** Bugs that leave out a hook that must be asked: in loading, in the lock file, and in searching a project. */
export const presence: readonly Bug[] = [
  {
    name: "a guard on trial that refuses",
    says: "a hook in shadow takes part in the decision",
    patches: [
      {
        file: "hook/registry.ts",
        from: "const isShadow = this.#inShadow(hook);",
        to: "const isShadow = false as boolean;",
      },
    ],
    test: { file: "session/shadow.test.ts", names: "decides nothing" },
  },
  {
    name: "a guard on trial that counts as there",
    says: "a hook that must run counts as running while it is in shadow",
    patches: [
      {
        file: STAND_IN,
        from: "if (expected.entry === undefined && has(this.#shadowed))",
        to: "if (expected.name === undefined)",
      },
      { file: "config/presence.ts", from: "if (shadow !== undefined) return", to: "if (shadow === null) return" },
      { file: STAND_IN, from: "return has(this.#live) ? undefined : NO_HANDLER;", to: "return undefined;" },
    ],
    test: { file: "session/shadow.test.ts", names: "counts as absent" },
  },
  {
    name: "absent hooks are fine",
    says: "a required hook that is missing lets every call go on",
    patches: [
      {
        file: STAND_IN,
        from: "place.presence = presenceOf(place.expected);",
        to: "place.presence = { ...presenceOf(place.expected), fault: undefined };",
      },
    ],
    test: { file: REQUIRED, names: "a required hook that is" },
  },
  {
    name: "a handler that goes is not missed",
    says: "a required hook that unregisters itself is no longer asked, and nobody is told",
    patches: [{ file: STAND_IN, from: "    else live.delete(hook);\n", to: "" }],
    test: { file: REQUIRED, names: "one that goes brings it back" },
  },
  {
    name: "unguarded while hooks load",
    says: "calls run while a required hook is being reloaded",
    patches: [
      { file: STAND_IN, from: "    this.#loading.put(WHILE_LOADING, LOADING, this.#parts.registry);\n", to: "" },
      {
        file: STAND_IN,
        from: "      place.presence = LOADING;\n      this.#update(place);\n",
        to: "      place.standIn.withdraw();\n",
      },
    ],
    test: { file: MODEL, names: "at every wait" },
  },
  {
    name: "stood in for too late",
    says: "there is no stand-in for a required hook until everything is loaded",
    patches: [
      { file: STAND_IN, from: "    this.#loading.put(WHILE_LOADING, LOADING, this.#parts.registry);\n", to: "" },
      {
        file: STAND_IN,
        from: "    else place.standIn.put(",
        to: "    else if (place.presence !== LOADING) place.standIn.put(",
      },
    ],
    test: { file: MODEL, names: "at every wait" },
  },
  {
    name: "relieved too early",
    says: "the stand-in for a required hook is removed before the hook is loaded",
    patches: [
      {
        file: "session/load.ts",
        from: "    dispose(loader.release(dialect));\n",
        to: '    dispose(loader.release(dialect));\n        loader.standIns.end(() => ({ on: "guard" }));\n',
      },
    ],
    test: { file: MODEL, names: "at every wait" },
  },
  {
    name: "a setting leaves out the refusals",
    says: "an order of lanes in the settings leaves out the stand-ins for absent hooks",
    patches: [
      {
        file: "session/runtime.ts",
        from: "[standInLane(), ...orderLanes(",
        to: "[...(options.lanes === undefined ? [standInLane()] : []), ...orderLanes(",
      },
    ],
    test: { file: REQUIRED, names: "does not reach what refuses" },
  },
  {
    name: "a flag leaves out the refusals",
    says: "a choice of dialects leaves out the stand-ins for the hooks of the others",
    patches: [
      {
        file: "session/runtime.ts",
        from: "[standInLane(), ...orderLanes(",
        to: "[...((options.dialects ?? []).length > 1 ? [standInLane()] : []), ...orderLanes(",
      },
    ],
    test: { file: REQUIRED, names: "does not reach what refuses" },
  },
  {
    name: "a project's place comes first",
    says: "a project that links to one of the user's guards takes it over without a question",
    patches: [
      {
        of: "integrations",
        file: "in-process/directory.ts",
        from: "if (seen.has(path) || isTaken) return [];",
        to: "if (seen.has(path)) return [];",
      },
    ],
    test: { file: PRECEDENCE, names: "is asked whatever a project puts anywhere" },
  },
  {
    name: "a project's file takes the user's name",
    says: "an unapproved file of a project drops the user's guard of the same name",
    patches: [
      {
        of: "integrations",
        file: "omp/hooks/capability.ts",
        from: "  const first = claims",
        to: '  const first = claims.get("project " + key) ?? claims',
      },
    ],
    test: { file: PRECEDENCE, names: "is asked whatever a project puts anywhere" },
  },
];

const of = "hookline" as const;
const SETTINGS = "settings/settings.test.ts";
const PROJECT = "settings/project.ts";

/** Bugs in whose settings count. */
export const settings: readonly Bug[] = [
  {
    of,
    name: "smaller passes for stricter",
    says: "a project makes fail open what the user made fail closed",
    patches: [{ file: PROJECT, from: "value === only) return", to: 'typeof value === "string") return' }],
    test: { file: SETTINGS, names: "is reported and not used" },
  },
  {
    of,
    name: "a project names the user's files",
    says: "a project decides what the failure of a user's hook means",
    patches: [
      {
        file: PROJECT,
        from: 'return path.startsWith("~") || from === "" || from.startsWith("..");',
        to: 'return from === "";',
      },
    ],
    test: { file: SETTINGS, names: "is reported and not used" },
  },
  {
    of,
    name: "a project's number wins",
    says: "a project raises one of the user's limits",
    patches: [
      {
        file: "settings/settings.ts",
        from: "if (added !== undefined && !isLarger) return",
        to: "if (added !== undefined) return",
      },
    ],
    test: { file: SETTINGS, names: "counts only where it is the smaller one" },
  },
  {
    of,
    name: "the administrator loses",
    says: "a user's file weakens a setting for everyone on the machine",
    patches: [
      {
        file: "settings/settings.ts",
        from: "    user.set(key, mine === undefined ? value :",
        to: "    if (!user.has(key)) user.set(key, mine === undefined ? value :",
      },
    ],
    test: { file: SETTINGS, names: "the administrator's values win" },
  },
  {
    of,
    name: "anybody is the administrator",
    says: "a file that others may write sets values for everyone on the machine",
    patches: [
      { file: "settings/settings.ts", from: "if ((stat.mode & 0o022) !== 0) return", to: "if (stat.mode < 0) return" },
    ],
    test: { file: SETTINGS, names: "the administrator's file is not used where" },
  },
];
