import type { Bug } from "./bug.ts";

const PLACES_TEST = "protect/places.test.ts";
const ATTEMPTS = "protect/attempts.test.ts";
const COMMANDS = "protect/command.test.ts";
const PLACES = "protect/places.ts";
const COMMAND = "protect/command.ts";
const of = "hookline" as const;

/** Bugs in what keeps the model from changing hooks with the agent's own tools. */
export const protection: readonly Bug[] = [
  {
    of,
    name: "names compared letter by letter",
    says: "the model writes to `.JCLI/hooks.yaml`, which many disks take for the hooks file",
    patches: [{ file: PLACES, from: '.normalize("NFC").toLowerCase().normalize("NFC")', to: '.normalize("NFC")' }],
    test: { file: PLACES_TEST, names: "hook files are protected" },
  },
  {
    of,
    name: "links not followed",
    says: "the model writes to a hook file through a link",
    patches: [{ file: "protect/landing.ts", from: "|| links === MOST_LINKS", to: "|| links < MOST_LINKS" }],
    test: { file: PLACES_TEST, names: "links of every kind lead to what they lead to" },
  },
  {
    of,
    name: "second names not known",
    says: "the model writes to a hook's script through a hard link",
    patches: [
      {
        file: PLACES,
        from: "target.isDirectory() || target.nlink < 2) return false;",
        to: "target.isDirectory() || target.nlink > 0) return false;",
      },
    ],
    test: { file: PLACES_TEST, names: "links of every kind lead to what they lead to" },
  },
  {
    of,
    name: "scripts of hooks forgotten",
    says: "the model rewrites the script of one of the user's hooks",
    patches: [{ file: PLACES, from: "...moved, ...this.#parts.hookPlaces()]", to: "...moved]" }],
    test: { file: PLACES_TEST, names: "hook files are protected" },
  },
  {
    of,
    name: "moved homes forgotten",
    says: "hooks are not protected if a variable has moved their folder",
    patches: [{ file: PLACES, from: "const given = [hooklineHome, ...moved, ", to: "const given = [hooklineHome, " }],
    test: { file: PLACES_TEST, names: "hook files are protected" },
  },
  {
    of,
    name: "nobody to ask counts as a yes",
    says: "the model may change hooks when nobody can be asked",
    patches: [
      {
        file: "protect/tools.ts",
        from: "if (!canAsk(ui))\n    throw",
        to: "if (!canAsk(ui)) return;\n  if (ui === undefined)\n    throw",
      },
    ],
    test: { file: ATTEMPTS, names: "without anybody who could agree" },
  },
  {
    of,
    name: "a no counts as a yes",
    says: "the person's refusal has no effect",
    patches: [
      {
        file: "protect/tools.ts",
        from: "if (!(await agrees(ui, asked, signal))) throw",
        to: "if ((await agrees(ui, asked, signal)) === undefined) throw",
      },
    ],
    test: { file: ATTEMPTS, names: "a no changes nothing" },
  },
  {
    of,
    name: "hidden text in the question",
    says: "a person approves something other than what they were shown",
    patches: [
      {
        file: "protect/tools.ts",
        from: 'map((part) => cleanText(part, { controls: "show" }))',
        to: "map((part) => part)",
      },
    ],
    test: { file: ATTEMPTS, names: "a person sees the whole change" },
  },
  {
    of,
    name: "quotes hide a name",
    says: 'the shell command `echo x > .j"cl"i/hooks.yaml` counts as harmless',
    patches: [{ file: COMMAND, from: `.replaceAll(/["']/g, "")`, to: "" }],
    test: { file: COMMANDS, names: "is asked about" },
  },
  {
    of,
    name: "patterns hide a name",
    says: "the shell command `rm -r .jc*` counts as harmless",
    patches: [
      {
        file: COMMAND,
        from: "globbed(plain, new Set([...all, ...TELLING_WORDS.map((word) => resolve(place.cwd, word))]), place);",
        to: "undefined;",
      },
    ],
    test: { file: COMMANDS, names: "is asked about" },
  },
  {
    of,
    name: "consent given by the model",
    says: "the model approves hooks with `hookline trust approve`",
    patches: [{ file: COMMAND, from: "if (consenting !== undefined) return consenting;", to: "" }],
    test: { file: COMMANDS, names: "is asked about" },
  },
];
