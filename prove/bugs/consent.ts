import type { Bug } from "./bug.ts";

const CONSENT = "config/consent.test.ts";
const STORE_TEST = "config/trust-store.test.ts";
const BOUND = "config/bound.test.ts";
const GUARDED = "config/guarded.ts";
const PRIVATE = "config/private-file.ts";
const STORE = "config/trust-store.ts";

/** Bugs in what runs of a project, and in how approvals are stored. */
export const consent: readonly Bug[] = [
  {
    name: "folder-only trust",
    says: "whatever an approved place holds now counts as approved",
    patches: [{ file: STORE, from: "if (hash === approval.hash && refused", to: "if (refused" }],
    test: { file: CONSENT, names: "is asked about again, and nothing of it runs" },
  },
  {
    name: "approval of a neighbour",
    says: "one approval in a file approves every entry of it",
    patches: [
      { file: STORE, from: "definition === now.definition);", to: "definition !== undefined);" },
      {
        file: "config/fingerprint.ts",
        from: "below(path, folder), definition, lines",
        to: "below(path, folder), lines",
      },
    ],
    test: { file: CONSENT, names: "an approval of one entry is none of its neighbour's" },
  },
  {
    name: "looked at once",
    says: "a script that changes while the session runs is started",
    patches: [
      {
        file: GUARDED,
        from: "if (path === undefined) return process.run(call);",
        to: "if (path !== null) return process.run(call);",
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
        file: GUARDED,
        from: "if (now.boundTo?.sha256 !== boundTo?.sha256) return boundTo?.folder;",
        to: "",
      },
    ],
    test: { file: BOUND, names: "does not start what has changed while the session runs" },
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
    patches: [{ file: PRIVATE, from: "constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)", to: "constants.O_RDONLY" }],
    test: { file: STORE_TEST, names: "a link in its place approves nothing" },
  },
  {
    name: "trust store that others write",
    says: "another user of the machine gives consent",
    patches: [{ file: PRIVATE, from: "if ((mode & 0o022) !== 0) return", to: "if (mode < 0) return" }],
    test: { file: STORE_TEST, names: "a file that others may have written approves nothing" },
  },
  {
    name: "trust store that others read",
    says: "everybody can read what a person runs",
    patches: [{ file: PRIVATE, from: "if ((mode & 0o077) !== 0) fchmodSync(fd, 0o600);", to: "" }],
    test: { file: STORE_TEST, names: "a file that others may read is made private" },
  },
  {
    name: "a damaged entry costs the store",
    says: "one unreadable approval discards all the others",
    patches: [
      { file: STORE, from: "entries.filter(isApproval) :", to: "(entries.every(isApproval) ? entries : undefined) :" },
    ],
    test: { file: STORE_TEST, names: "a damaged entry costs itself" },
  },
  {
    name: "read, then written",
    says: "when several programs approve at once, all approvals but one are lost",
    patches: [{ file: "config/exclusive.ts", from: "while (!claim(folder, name)) {", to: "while (name === folder) {" }],
    test: { file: STORE_TEST, names: "no approval is lost when six write at once" },
  },
  {
    name: "the claim of a dead process",
    says: "nothing can be approved any more after a crash",
    patches: [
      { file: "config/exclusive.ts", from: "if (isAlive(name)) return name;", to: "if (name !== mine) return name;" },
    ],
    test: { file: STORE_TEST, names: "the claim of a process that was killed holds nobody up" },
  },
];
