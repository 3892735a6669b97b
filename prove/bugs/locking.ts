import type { Bug } from "./bug.ts";

const LOCK = "session/lock.ts";
const LOCK_TEST = "session/lock.test.ts";
const of = "hookline" as const;

/** Bugs in who may write a session, and in handling interrupted ones. */
export const locking: readonly Bug[] = [
  {
    of,
    name: "a living owner ignored",
    says: "two agents write one session",
    patches: [{ file: LOCK, from: "if (processes.alive(owner)) return { name, owner };", to: "" }],
    test: { file: LOCK_TEST, names: "a second process is told who holds the session" },
  },
  {
    of,
    name: "a dead owner believed",
    says: "a session whose agent was killed can never be continued",
    patches: [{ file: LOCK, from: "if (processes.alive(owner)) return", to: "if (owner.pid > 0) return" }],
    test: { file: LOCK_TEST, names: "the lock of a killed process is taken over at once" },
  },
  {
    of,
    name: "owners known by their number",
    says: "another program with a dead agent's process id keeps its session locked",
    patches: [
      {
        of: "ground",
        file: "process/owner.ts",
        from: "return stat.started === owner.started && stat.state",
        to: "return stat.state",
      },
    ],
    test: { file: LOCK_TEST, names: "a process id that was given to another process holds nothing" },
  },
  {
    of,
    name: "the buried alive",
    says: "an ended agent whose exit nobody has collected keeps its session locked",
    patches: [{ of: "ground", file: "process/owner.ts", from: ' && stat.state !== "Z" && stat.state !== "X"', to: "" }],
    test: { file: LOCK_TEST, names: "a process that ended but is not buried yet holds nothing" },
  },
  {
    of,
    name: "one release for all",
    says: "a session that an agent opened twice is free when it closes one of the two",
    patches: [{ file: LOCK, from: "if (mine && --mine.count === 0) drop", to: "if (mine) drop" }],
    test: { file: LOCK_TEST, names: "the last release gives it up" },
  },
  {
    of,
    name: "append without repair",
    says: "the next entry joins a torn line, and both are lost",
    patches: [{ file: "session/file.ts", from: "    if (!this.#sound) {", to: "    if (this.#sound) {" }],
    test: { file: "session/torn-tail.test.ts", names: "the next entry never joins a torn one" },
  },
  {
    of,
    name: "never synced",
    says: "a power cut takes whole turns",
    patches: [{ file: "session/file.ts", from: "      this.#options.disk.sync(this.#fd);\n", to: "" }],
    test: { file: "session/storage.test.ts", names: "entries are synced at the end of a turn" },
  },
  {
    of,
    name: "sync that fails in silence",
    says: "nobody is told that a session is not on the disk",
    patches: [
      {
        file: "session/file.ts",
        from: '      this.#failed("sync", error);\n    } finally {',
        to: "    } finally {",
      },
    ],
    test: { file: "session/storage.test.ts", names: "a sync that fails is told" },
  },
];
