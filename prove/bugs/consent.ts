import type { Bug } from "./bug.ts";

const CONSENT = "config/consent.test.ts";
const STORE_TEST = "config/trust-store.test.ts";
const BOUND = "config/bound.test.ts";
const GUARDED = "consent/guarded.ts";
const PRIVATE = "store/private-file.ts";
const STORE = "consent/trust-store.ts";
const STARTS = "command/starts.ts";
const RULE = "../../hookline/test/consent/rule.test.ts";

/** Bugs in what runs of a project, and in how approvals are stored. */
export const consent: readonly Bug[] = [
  {
    name: "folder-only trust",
    says: "whatever an approved place holds now counts as approved",
    patches: [{ file: STORE, from: "difference(now, approval)", to: "difference(now, now)" }],
    test: { file: CONSENT, names: "is asked about again, and nothing of it runs" },
  },
  {
    name: "approval of a neighbour",
    says: "one approval in a file approves every entry of it",
    patches: [{ file: STORE, from: "definition === now.definition);", to: "definition !== undefined);" }],
    test: { file: CONSENT, names: "an approval of one entry is none of its neighbour's" },
  },
  {
    name: "looked at once",
    says: "a script that changes while the session runs is started",
    patches: [
      {
        file: GUARDED,
        from: "if (problem !== undefined) return notRun(problem);",
        to: "",
      },
    ],
    test: { file: CONSENT, names: "a process whose script has changed is not started" },
  },
  {
    name: "looked at, then loaded from the disk",
    says: "a module that changes between the question and the import runs",
    patches: [{ file: GUARDED, from: "if (known.get(path) === now ||", to: "if (known.has(path) ||" }],
    test: { file: CONSENT, names: "a module that changes between the question and the import is not run" },
  },
  {
    name: "late imports go unasked",
    says: "a module may import anything while it runs",
    patches: [
      {
        file: GUARDED,
        from: "            onRefused(path);\n            return false;",
        to: "            return true;",
      },
    ],
    test: { file: CONSENT, names: "what a module imports later must be what was agreed to" },
  },
  {
    name: "bound to a name",
    says: "an approval that is bound to a folder holds even when the folder changes",
    patches: [
      {
        file: "consent/fingerprint.ts",
        from: "if (tree !== undefined) return tree.path;",
        to: "",
      },
    ],
    test: { file: BOUND, names: "does not start what has changed while the session runs" },
  },
  {
    name: "looked at before the start only",
    says: "a file that changes while the hook runs counts as the one that was approved",
    patches: [{ file: GUARDED, from: "return during === undefined ? report : notRun(during);", to: "return report;" }],
    test: { file: "consent/looks.test.ts", names: "refuses where a covered file changed while the hook ran" },
  },
  {
    name: "new modules go unasked",
    says: "a file that shadows a module runs although nobody approved it",
    patches: [{ file: "consent/fingerprint.ts", from: "if (added !== undefined) return join(folder, added);", to: "" }],
    test: { file: "consent/looks.test.ts", names: "a module that Python would load beside a script" },
  },
  {
    name: "a change is a new hook",
    says: "the report does not say that an approved hook has changed",
    patches: [{ file: STORE, from: 'same.length > 0 || !asItWas ? "changed"', to: 'same.length > 1 ? "changed"' }],
    test: { file: CONSENT, names: "the report says that it has changed" },
  },
  {
    name: "trust store through a link",
    says: "somebody else's file decides what runs",
    patches: [
      {
        of: "ground",
        file: PRIVATE,
        from: "constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)",
        to: "constants.O_RDONLY",
      },
    ],
    test: { file: STORE_TEST, names: "a link in its place approves nothing" },
  },
  {
    name: "trust store that others write",
    says: "another user of the machine gives consent",
    patches: [{ of: "ground", file: PRIVATE, from: "if ((mode & 0o022) !== 0) return", to: "if (mode < 0) return" }],
    test: { file: STORE_TEST, names: "a file that others may have written approves nothing" },
  },
  {
    name: "trust store that others read",
    says: "everybody can read what a person runs",
    patches: [{ of: "ground", file: PRIVATE, from: "if ((mode & 0o077) !== 0) fchmodSync(fd, 0o600);", to: "" }],
    test: { file: STORE_TEST, names: "a file that others may read is made private" },
  },
  {
    name: "a damaged entry costs the store",
    says: "one unreadable approval discards all the others",
    patches: [
      {
        file: STORE,
        from: "entries.flatMap((entry) => approvalIn(entry) ?? []) :",
        to: "(entries.every((entry) => approvalIn(entry)) ? entries.map((entry) => approvalIn(entry) as Approval) : undefined) :",
      },
    ],
    test: { file: STORE_TEST, names: "a damaged entry costs itself" },
  },
  {
    name: "read, then written",
    says: "when several programs approve at once, all approvals but one are lost",
    patches: [
      {
        of: "ground",
        file: "store/exclusive.ts",
        from: "while (!claim(folder, name)) {",
        to: "while (name === folder) {",
      },
    ],
    test: { file: STORE_TEST, names: "no approval is lost when six write at once" },
  },
  {
    name: "the claim of a dead process",
    says: "nothing can be approved any more after a crash",
    patches: [
      {
        of: "ground",
        file: "store/exclusive.ts",
        from: "if (isAlive(name)) return name;",
        to: "if (name !== mine) return name;",
      },
    ],
    test: { file: STORE_TEST, names: "the claim of a process that was killed holds nobody up" },
  },
  {
    name: "a program on stdin",
    says: "what a shell reads from a file or a pipe runs, and no approval says so",
    patches: [
      { file: STARTS, from: "for (const word of from) this.#files(", to: "for (const word of []) this.#files(" },
    ],
    test: { file: RULE, names: "a redirection|a pipe from cat" },
  },
  {
    name: "open for nothing",
    says: "each program is called open, and a person learns to agree to everything",
    patches: [
      {
        file: STARTS,
        from: 'else this.all.push({ ...spot, kind: "program", name });',
        to: "else this.#open(spot, COMPUTED);",
      },
    ],
    test: { file: RULE, names: "a denylist|data for an unknown program" },
  },
];
