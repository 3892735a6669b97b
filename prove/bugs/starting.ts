import type { Bug } from "./bug.ts";

const STARTING = "process/starting.test.ts";
const ENVIRONMENT = "process/environment.test.ts";
const LIMITS = "transport/process/limits.ts";

/** Bugs in how processes are started, with what, and how long they wait. */
export const starting: readonly Bug[] = [
  {
    name: "time counted from the queue",
    says: "hooks that only waited for a free slot count as timed out",
    patches: [
      {
        file: "transport/process/transport.ts",
        from: "return await runNow(call, limits, queueMs);",
        to: "return await runNow(call, { ...limits, timeoutMs: Math.max(1, limits.timeoutMs - queueMs) }, queueMs);",
      },
    ],
    test: { file: STARTING, names: "counts the time from the start, not from the call" },
  },
  {
    name: "unclamped timeout",
    says: "a very long timeout fires at once, which switches a guard off",
    patches: [{ file: LIMITS, from: "if (timeoutMs <= MAX_MS) return", to: "if (timeoutMs > 0) return" }],
    test: { file: STARTING, names: "clamps .* ms and says so once" },
  },
  {
    name: "unchecked timeout",
    says: "a timeout that is not a number fires at once",
    patches: [{ file: LIMITS, from: " || !(timeoutMs > 0)) {", to: ") {" }],
    test: { file: STARTING, names: "refuses .* as a time" },
  },
  {
    name: "ETXTBSY not retried",
    says: "a hook that was saved a moment ago does not run",
    patches: [
      {
        file: "transport/process/starter.ts",
        from: "readonly number[] = [10, 40, 160];",
        to: "readonly number[] = [];",
      },
    ],
    test: { file: STARTING, names: "waits for a program that is still being written" },
  },
  {
    name: "E2BIG thrown",
    says: "a long argument ends the agent, because Node throws instead of emitting",
    patches: [
      {
        file: "transport/process/direct.ts",
        from: "      plumbing?.discard();\n      return failureOf(error);\n    }\n    const { pid }",
        to: "      plumbing?.discard();\n      throw error;\n    }\n    const { pid }",
      },
    ],
    test: { file: STARTING, names: "reports what is too large for the system" },
  },
  {
    of: "integrations",
    name: "E2BIG lets a j-cli call pass",
    says: "padding the arguments switches a guard of hooks.yaml off",
    patches: [
      {
        file: "settings-hooks/process-failure.ts",
        from: 'return new HookFailure("engine", message, code === "E2BIG"',
        to: 'return new HookFailure("exited", message, code === "E2BIG"',
      },
    ],
    test: { file: "jcli/bash.test.ts", names: "a start that fails with E2BIG refuses a tool call" },
  },
  {
    of: "integrations",
    name: "E2BIG lets a chibi call pass",
    says: "padding the arguments switches a plugin's guard off",
    patches: [
      {
        file: "chibi/hooks/delivery.ts",
        from: '    throw new HookFailure("engine", problem, "TOO_LARGE");\n  }\n  const text = jsonOf(cut);',
        to: '    throw new HookFailure("bad", problem, "TOO_LARGE");\n  }\n  const text = jsonOf(cut);',
      },
    ],
    test: {
      file: "chibi/oversize.test.ts",
      names: "that reads the environment refuses a call that it cannot be shown",
    },
  },
  {
    name: "aborted calls stay in the queue",
    says: "an aborted turn keeps taking slots from the next",
    patches: [
      {
        file: "transport/process/slots.ts",
        from: '      signal?.addEventListener("abort", onAbort, { once: true });\n',
        to: "",
      },
    ],
    test: { file: STARTING, names: "takes a waiting call out of the queue when it is aborted" },
  },
  {
    name: "no limit to what runs at once",
    says: "a burst of events starts more processes than the machine has room for",
    patches: [{ file: "transport/process/slots.ts", from: "let free = count;", to: "let free = count * 1000;" }],
    test: { file: STARTING, names: "runs no more at once than it may" },
  },
  {
    name: "descriptors left after a failed start",
    says: "each missing program costs the agent some descriptors",
    patches: [
      {
        file: "transport/process/plumbing.ts",
        from: "      settle();\n      closeHostEnds();",
        to: "      settle();",
      },
    ],
    test: { file: "process/pipes.test.ts", names: "keeps no descriptor, no listener and no dead child" },
  },
  {
    name: "provider keys passed on",
    says: "every hook sees the keys of the model providers",
    patches: [
      {
        file: "transport/process/environment.ts",
        from: "const now = !isProviderKey(name);",
        to: "const now = true;",
      },
    ],
    test: { file: ENVIRONMENT, names: "shows a user process all but keys and protocol variables" },
  },
  {
    name: "protocol variables passed on",
    says: "a hook acts on the event of another conversation",
    patches: [{ file: "transport/process/transport.ts", from: "...(options.protocol ?? []), ", to: "" }],
    test: { file: ENVIRONMENT, names: "shows a user process all but keys and protocol variables" },
  },
  {
    name: "projects inherit the environment",
    says: "a project's hooks see every secret of the shell",
    patches: [
      {
        file: "transport/process/environment.ts",
        from: 'tier === "project" && ',
        to: 'tier === ("nobody" as string) && ',
      },
    ],
    test: { file: ENVIRONMENT, names: "shows a project's process nothing but the allowlist" },
  },
  {
    name: "a call may change the marker",
    says: "a hook that sets the marker is never found again",
    patches: [
      {
        file: "transport/process/environment.ts",
        from: "  env[RUN_VARIABLE] = markerFor",
        to: "  env[RUN_VARIABLE] ??= markerFor",
      },
    ],
    test: { file: ENVIRONMENT, names: "does not let a call change the marker" },
  },
];
