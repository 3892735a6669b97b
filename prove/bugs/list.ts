import type { Bug } from "./bug.ts";

/**
 * Mistakes that agents have shipped, or that are as easy to make, each in one line of the code. Mistakes in the rows of
 * dialects need no patch: `prove -- cells` flips every cell of them.
 */
export const BUGS: readonly Bug[] = [
  {
    name: "child.killed",
    says: "sending SIGTERM counts as ending the process, so one that ignores it keeps running",
    patches: [
      {
        file: "transport/process/tree.ts",
        from: "  const killAt = clock.now() + graceMs;",
        to: "  if (graceMs >= 0) return [];\n  const killAt = clock.now() + graceMs;",
      },
    ],
    test: {
      file: "process/ending.test.ts",
      names: "kills a process that ignores SIGTERM",
    },
  },
  {
    name: "waiting for close",
    says: "a forgotten child that holds the pipe hangs the agent",
    patches: [
      {
        file: "transport/process/supervise.ts",
        from: "    exited.then(() => (exit",
        to: "    Promise.all([exited, drained]).then(() => (exit",
      },
    ],
    test: {
      file: "process/ending.test.ts",
      names: "does not wait for a descendant that keeps the pipes open",
    },
  },
  {
    name: "half an answer",
    says: "the part that fits of an answer that is too long is used",
    patches: [
      {
        file: "transport/process/output.ts",
        from: "      held = growing(0);\n",
        to: "",
      },
    ],
    test: {
      file: "process/output.test.ts",
      names: "ends a process that writes more than it may$",
    },
  },
  {
    name: "no listener for EPIPE",
    says: "a hook that reads no input ends the agent",
    patches: [
      {
        file: "transport/process/plumbing.ts",
        from: 'return stdin.on("error", () => {});',
        to: "return stdin;",
      },
    ],
    test: {
      file: "process/output.test.ts",
      names: "accepts 5242880 bytes of input that nobody reads",
    },
  },
  {
    of: "ground",
    name: "Object.assign merge",
    says: "an answer with __proto__ changes the prototype of what it is merged into",
    patches: [
      {
        file: "decode/json.ts",
        from: "left: MAY_HOLD_PROTO.test(text) ? dropProto(parsed) : 0",
        to: "left: MAY_HOLD_PROTO.test(text) ? 0 : 0",
      },
    ],
    test: {
      file: "decode/json.test.ts",
      names: "changes no prototype: plain",
    },
  },
  {
    of: "ground",
    name: "partial sanitiser",
    says: "Node's own stripper leaves controls with which a hook paints over the approval",
    patches: [
      {
        file: "decode/text.ts",
        from: "  let styled = false;\n",
        to: '  if (text !== "") return process.getBuiltinModule("node:util").stripVTControlCharacters(text);\n  let styled = false;\n',
      },
    ],
    test: {
      file: "decode/text.test.ts",
      names: "leaves no control",
    },
  },
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
    test: {
      file: "process/starting.test.ts",
      names: "counts the time from the start, not from the call",
    },
  },
  {
    name: "unclamped timeout",
    says: "a very long timeout fires at once, which switches a guard off",
    patches: [
      {
        file: "transport/process/limits.ts",
        from: "if (timeoutMs <= MAX_MS) return",
        to: "if (timeoutMs > 0) return",
      },
    ],
    test: {
      file: "process/starting.test.ts",
      names: "clamps .* ms and says so once",
    },
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
    name: "an unknown end counts as a success",
    says: "a hook whose exit was collected elsewhere counts as one that allowed the call",
    patches: [
      {
        file: "transport/process/exits.ts",
        from: 'tell(status === "lost" ? status : exitOf(status));',
        to: 'tell(exitOf(status === "lost" ? 0 : status));',
      },
    ],
    test: {
      file: "process/native.test.ts",
      names: "does not take a process for a success that somebody else has collected",
    },
  },
  {
    name: "a second look-up",
    says: "the address that was judged is not the one that is asked, so that a name server leads a hook into a network",
    patches: [
      {
        file: "transport/http/connect.ts",
        from: "      done(null, pinned),",
        to: "      void resolve(host).then((found) => done(null, found.map(({ address }) => ({ address, family: isIP(address) })))),",
      },
    ],
    test: {
      file: "http/addresses.test.ts",
      names: "used as it was judged",
    },
  },
  {
    name: "bytes not judged",
    says: "a project's module runs with bytes that were not approved",
    patches: [
      {
        file: "transport/module/graph.ts",
        from: "  if (parts.admits?.({ path, sha256 }) === false) throw notAdmitted(path);\n",
        to: "",
      },
    ],
    test: {
      file: "module/failure.test.ts",
      names: "a file that is not is never run",
    },
  },
  {
    name: "judges that ask judges",
    says: "a host whose requests fire hooks asks its judge without end",
    patches: [
      {
        file: "transport/llm/bounded.ts",
        from: "if (before.includes(transport)) return",
        to: "if (before.length < 0) return",
      },
    ],
    test: {
      file: "llm/bounded.test.ts",
      names: "refuses a call that follows from a call",
    },
  },
  {
    of: "integrations",
    name: "sequential template",
    says: "text of the conversation is filled into a judge's prompt a second time",
    patches: [
      {
        file: "jcli/hooks/llm.ts",
        from: '  return template.replace(PLACEHOLDER, (_, name: (typeof TEMPLATE_FIELDS)[number]) => event[name] ?? "");',
        to: '  return TEMPLATE_FIELDS.reduce((text, name) => text.replaceAll(`{{`.concat(name, `}}`), () => event[name] ?? ""), template);',
      },
    ],
    test: {
      file: "jcli/llm.test.ts",
      names: "is filled once",
    },
  },
  {
    name: "folder-only trust",
    says: "whatever an approved place holds now counts as approved",
    patches: [
      {
        file: "consent/trust-store.ts",
        from: "difference(now, approval)",
        to: "difference(now, now)",
      },
    ],
    test: {
      file: "config/consent.test.ts",
      names: "is asked about again, and nothing of it runs",
    },
  },
  {
    of: "hookline",
    name: "links not followed",
    says: "the model writes to a hook file through a link",
    patches: [
      {
        file: "protect/landing.ts",
        from: "|| links === MOST_LINKS",
        to: "|| links < MOST_LINKS",
      },
    ],
    test: {
      file: "protect/places.test.ts",
      names: "links of every kind lead to what they lead to",
    },
  },
  {
    of: "hookline",
    name: "quotes hide a name",
    says: 'the shell command `echo x > .j"cl"i/hooks.yaml` counts as harmless',
    patches: [
      {
        file: "protect/command.ts",
        from: '.replaceAll(/["\']/g, "")',
        to: "",
      },
    ],
    test: {
      file: "protect/command.test.ts",
      names: "is asked about",
    },
  },
  {
    of: "integrations",
    name: "a host gives up its last letters",
    says: "`git:host.tld:8443/tool` is fetched from `host.tld:844`, which nobody named",
    patches: [
      {
        file: "in-process/package-source.ts",
        from: "(?::(\\d+)(?=\\/))?(?:\\/|:(?!\\d+(?:[/@]|$)))(.+)$/;",
        to: "(?::(\\d+))?[/:]?(.+)$/;",
      },
    ],
    test: {
      file: "in-process/package-source.test.ts",
      names: "means the host that it names|names no package| is https",
    },
  },
  {
    of: "hookline",
    name: "append without repair",
    says: "the next entry joins a torn line, and both are lost",
    patches: [
      {
        file: "session/file.ts",
        from: "    if (!this.#sound) {",
        to: "    if (this.#sound) {",
      },
    ],
    test: {
      file: "session/torn-tail.test.ts",
      names: "the next entry never joins a torn one",
    },
  },
  {
    name: "absent hooks are fine",
    says: "a required hook that is missing lets every call go on",
    patches: [
      {
        file: "session/stand-in.ts",
        from: "place.presence = presenceOf(place.expected);",
        to: "place.presence = { ...presenceOf(place.expected), fault: undefined };",
      },
    ],
    test: {
      file: "config/required.test.ts",
      names: "a required hook that is",
    },
  },
];
