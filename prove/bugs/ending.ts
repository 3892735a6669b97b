import type { Bug } from "./bug.ts";

const ENDING = "process/ending.test.ts";
const TREE = "transport/process/tree.ts";
const SUPERVISE = "transport/process/supervise.ts";

/** Bugs in how processes are ended, and in when a call returns. */
export const ending: readonly Bug[] = [
  {
    name: "child.killed",
    says: "sending SIGTERM counts as ending the process, so one that ignores it keeps running",
    patches: [
      {
        file: TREE,
        from: "  const killAt = clock.now() + graceMs;",
        to: "  if (graceMs >= 0) return [];\n  const killAt = clock.now() + graceMs;",
      },
    ],
    test: { file: ENDING, names: "kills a process that ignores SIGTERM" },
  },
  {
    name: "waiting for close",
    says: "a forgotten child that holds the pipe hangs the agent",
    patches: [
      {
        file: SUPERVISE,
        from: "    exited.then(() => (exit",
        to: "    Promise.all([exited, drained]).then(() => (exit",
      },
    ],
    test: { file: ENDING, names: "does not wait for a descendant that keeps the pipes open" },
  },
  {
    name: "endless drain",
    says: "the exit is seen, but the agent still waits for the pipes",
    patches: [{ file: SUPERVISE, from: "const DRAIN_MS = 250;", to: "const DRAIN_MS = 2 ** 31 - 1;" }],
    test: { file: ENDING, names: "does not wait for a descendant that keeps the pipes open" },
  },
  {
    name: "no drain",
    says: "the last output of a hook before its exit is lost",
    patches: [
      {
        file: SUPERVISE,
        from: "await within(clock, DRAIN_MS, Promise.race([stop.promise, drained]));",
        to: "running.stdout.read(dropped);",
      },
    ],
    test: { file: "process/output.test.ts", names: "reads to the end what a process wrote just before its exit" },
  },
  {
    name: "group not killed",
    says: "only the shell is ended; the processes that it started keep running",
    patches: [
      {
        file: TREE,
        from: "(entry.group === tree.leader || entry.session === tree.leader)",
        to: "entry.pid === tree.leader",
      },
      { file: TREE, from: "for (const child of children.get(entry.pid) ?? []) add(child);", to: "" },
      { file: TREE, from: "false : isMarked(entry.pid, tree.accepts);", to: "false : false;" },
      { file: TREE, from: "    signal(-tree.leader, name);", to: "    signal(tree.leader, name);" },
    ],
    test: { file: ENDING, names: "leaves nothing behind when the time is over: nested.sh" },
  },
  {
    name: "no marker scan",
    says: "a daemon that left the group is never found",
    patches: [{ file: TREE, from: "false : isMarked(entry.pid, tree.accepts);", to: "false : false;" }],
    test: { file: ENDING, names: "leaves nothing behind when the time is over: double-fork.sh" },
  },
  {
    name: "no second look",
    says: "a daemon that is just becoming another program is overlooked",
    patches: [
      {
        file: TREE,
        from: "BLANK_MS = 724",
        to: "BLANK_MS = 0",
      },
    ],
    test: { file: ENDING, names: "finds a daemon that shows no environment while it is being ended" },
  },
  {
    name: "descendants not followed",
    says: "a child that dropped its environment and its session is never found",
    patches: [{ file: TREE, from: "for (const child of children.get(entry.pid) ?? []) add(child);", to: "" }],
    test: { file: ENDING, names: "leaves nothing behind when the time is over: set-apart.sh" },
  },
  {
    name: "stopped process not woken",
    says: "a stopped process never acts on SIGTERM, so it cannot clean up",
    patches: [{ file: TREE, from: '  send(tree, left, known, "SIGCONT");', to: "" }],
    test: { file: ENDING, names: "wakes a stopped process" },
  },
  {
    name: "abort not heard",
    says: "Esc does not end a running hook",
    patches: [{ file: SUPERVISE, from: 'call.signal?.addEventListener("abort", onAbort, { once: true });', to: "" }],
    test: { file: ENDING, names: "leaves nothing behind when it is aborted: nested.sh" },
  },
  {
    name: "late abort",
    says: "a hook is started although its turn was aborted",
    patches: [
      {
        file: "transport/process/slots.ts",
        from: "if (closed || signal?.aborted === true) return undefined;",
        to: "if (closed) return undefined;",
      },
    ],
    test: { file: ENDING, names: "starts nothing for a signal that has fired before" },
  },
  {
    name: "close overlooks what is being started",
    says: "a process that is being started while the agent quits is left behind",
    patches: [
      {
        file: SUPERVISE,
        from: "if (call.signal?.aborted === true || about.closed()) onAbort();",
        to: "if (call.signal?.aborted === true) onAbort();",
      },
    ],
    test: { file: ENDING, names: "ends a process that was being started while the transport was closed" },
  },
  {
    name: "listener left on the signal",
    says: "every hook of a session leaves a listener on its signal",
    patches: [{ file: SUPERVISE, from: 'call.signal?.removeEventListener("abort", onAbort);', to: "" }],
    test: { file: ENDING, names: "leaves no listener on the signal" },
  },
  {
    name: "silent survivors",
    says: "a process that could not be ended is not reported",
    patches: [
      { file: SUPERVISE, from: "if (survivors.length > 0) about.report", to: "if (survivors.length < 0) about.report" },
    ],
    test: { file: ENDING, names: "names the processes that it could not end" },
  },
  {
    name: "exit of the host leaves its hooks",
    says: "an agent that exits in the middle of a hook leaves the hook running",
    patches: [
      {
        file: "transport/process/presence.ts",
        from: '  if (groups.size === 0) process.on("exit", ownListener(endGroups));',
        to: "",
      },
    ],
    test: { file: "process/reap.test.ts", names: "a host that exits in the middle takes its groups along" },
  },
  {
    name: "pid reuse",
    says: "a run counts as alive because its host's pid was given to another program",
    patches: [
      {
        file: "transport/process/run-file.ts",
        from: "return found !== undefined && found.startTicks === startTicks && !found.zombie;",
        to: "return found !== undefined && startTicks >= 0 && !found.zombie;",
      },
    ],
    test: { file: "process/reap.test.ts", names: "stands for a dead run when only the start time differs" },
  },
  {
    name: "uncollected host",
    says: "a run counts as alive because nobody has collected its host, which was killed",
    patches: [
      {
        file: "transport/process/run-file.ts",
        from: "found.startTicks === startTicks && !found.zombie;",
        to: "found.startTicks === startTicks;",
      },
    ],
    test: { file: "process/reap.test.ts", names: "that nobody has collected" },
  },
  {
    name: "living runs are reaped",
    says: "starting a second agent ends the hooks of the first",
    patches: [
      {
        file: "transport/process/run-file.ts",
        from: "(record.namespace !== here.namespace || isAlive(record))",
        to: "record.namespace !== here.namespace",
      },
    ],
    test: { file: "process/reap.test.ts", names: "the runs of a living host are left alone" },
  },
  {
    name: "reaping by the beginning of a marker",
    says: "the processes of another run are ended because its id begins with the same characters",
    patches: [
      {
        file: "transport/process/reap.ts",
        from: "{runId}.`);",
        to: "{runId}`);",
      },
    ],
    test: { file: "process/reap.test.ts", names: "a run whose id begins with a dead one's is left alone" },
  },
  {
    name: "runs of other machines are reaped",
    says: "two machines that share a home folder end each other's hooks",
    patches: [
      {
        file: "transport/process/run-file.ts",
        from: "    if (record.host !== here.host) continue;\n",
        to: "",
      },
    ],
    test: { file: "process/reap.test.ts", names: "of another machine is left alone" },
  },
];
