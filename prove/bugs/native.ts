import type { Bug } from "./bug.ts";

const LIBC = "transport/process/libc.ts";
const EXITS = "transport/process/exits.ts";
const NATIVE = "process/native.test.ts";
const STARTING = "process/starting.test.ts";

/** Bugs of a host that starts processes without Node's help. */
export const native: readonly Bug[] = [
  {
    name: "waiting for any child",
    says: "the host collects Node's own child processes, whose exits are then never reported",
    patches: [
      {
        file: LIBC,
        from: "let found = waitpid(child, status, WNOHANG);",
        to: "let found = waitpid(-1, status, WNOHANG);",
      },
    ],
    test: { file: NATIVE, names: "leaves the children of others to them" },
  },
  {
    name: "an unknown end counts as a success",
    says: "a hook whose exit was collected elsewhere counts as one that allowed the call",
    patches: [
      {
        file: EXITS,
        from: 'tell(status === "lost" ? status : exitOf(status));',
        to: 'tell(exitOf(status === "lost" ? 0 : status));',
      },
    ],
    test: { file: NATIVE, names: "does not take a process for a success that somebody else has collected" },
  },
  {
    name: "trust in one listener",
    says: "a module that removes all listeners makes every hook hang until its time is over",
    patches: [
      {
        file: EXITS,
        from: "timer ??= setInterval(look, LOOK_EVERY_MS).unref();",
        to: "timer ??= setInterval(() => {}, LOOK_EVERY_MS).unref();",
      },
    ],
    test: { file: NATIVE, names: "hears of an exit although somebody has removed its listener" },
  },
  {
    name: "listener left on SIGCHLD",
    says: "an idle host keeps listening to signals",
    patches: [{ file: EXITS, from: '    process.off("SIGCHLD", look);\n', to: "" }],
    test: { file: NATIVE, names: "listens to signals only while a process runs" },
  },
  {
    name: "pipes that are inherited",
    says: "a hook holds the pipes of another, whose input then never ends",
    patches: [{ file: LIBC, from: "pipe2(pair, O_CLOEXEC)", to: "pipe2(pair, 0)" }],
    test: { file: STARTING, names: "starts every process alike" },
  },
  {
    name: "signals that stay ignored",
    says: "hooks inherit the signals that the host ignores, so a broken pipe ends none of them",
    patches: [{ file: LIBC, from: "POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK", to: "POSIX_SPAWN_SETSIGMASK" }],
    test: { file: STARTING, names: "starts every process alike" },
  },
  {
    name: "the group of the host",
    says: "ending a hook also ends the agent, or the hook survives",
    patches: [{ file: LIBC, from: "POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID;", to: "POSIX_SPAWN_SETSIGMASK;" }],
    test: { file: STARTING, names: "starts every process alike" },
  },
  {
    name: "the path of the host",
    says: "a project's programs are found in the host's search path",
    patches: [
      { file: "transport/process/native.ts", from: 'path: launch.env["PATH"]', to: 'path: process.env["PATH"]' },
    ],
    test: { file: STARTING, names: "looks a program up in the path that it is given" },
  },
  {
    name: "texts cut at a NUL character",
    says: "a guard is shown less of a command than will run",
    patches: [{ file: "transport/process/native.ts", from: 'text.includes("\\0")', to: "text === undefined" }],
    test: { file: STARTING, names: "reports a NUL character" },
  },
];
