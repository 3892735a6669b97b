import type { Bug } from "./bug.ts";

const CACHE_TEST = "module/cache.test.ts";
const FAILURE_TEST = "module/failure.test.ts";
const GUARD_TEST = "module/guard.test.ts";
const GRAPH = "transport/module/graph.ts";
const READINGS = "transport/module/readings.ts";
const BOUNDED = "transport/llm/bounded.ts";
const LLM = "jcli/hooks/llm.ts";

/** Bugs in how third-party modules are loaded and contained, and in how models are asked. */
export const modules: readonly Bug[] = [
  {
    name: "cache keyed by path",
    says: "an edited extension keeps running as it was",
    patches: [{ file: READINGS, from: 'sha256: hash("sha256", bytes)', to: 'sha256: hash("sha256", path)' }],
    test: { file: CACHE_TEST, names: "changed bytes give the new result" },
  },
  {
    name: "cache blind to the loader",
    says: "JavaScript is run from the cached result of TypeScript with the same bytes",
    patches: [
      {
        file: READINGS,
        from: "codes.get(key) ?? stored(key)",
        to: 'codes.get(key) ?? stored(key) ?? stored(key.replace(/-js$/, "-ts"))',
      },
    ],
    test: { file: CACHE_TEST, names: "the same bytes under another name or loader are told apart" },
  },
  {
    name: "what was read is used for ever",
    says: "a file that is saved while others load runs with its old content",
    patches: [{ file: READINGS, from: "known.state === state", to: "known.state !== undefined" }],
    test: { file: CACHE_TEST, names: "a file that has changed since it was prepared is read anew" },
  },
  {
    name: "damaged cache trusted",
    says: "a script that was damaged on disk is run",
    patches: [
      {
        file: "transport/module/store.ts",
        from: 'if (rest.length < LENGTHS_BYTES || hash("sha256", rest, "hex") !== bytes.toString("hex", 0, DIGEST_BYTES))',
        to: "if (rest.length < LENGTHS_BYTES)",
      },
    ],
    test: { file: CACHE_TEST, names: "changed in one byte of the script" },
  },
  {
    name: "bytes not judged",
    says: "a project's module runs with bytes that were not approved",
    patches: [
      {
        file: GRAPH,
        from: "  if (parts.admits?.({ path, sha256 }) === false) throw notAdmitted(path);\n",
        to: "",
      },
    ],
    test: { file: FAILURE_TEST, names: "a file that is not is never run" },
  },
  {
    name: "packages not judged",
    says: "a project's installed package runs without approval",
    patches: [
      {
        file: "transport/module/externals.ts",
        from: 'if (call.admits?.({ path, sha256: hash("sha256", readSourceSync(path)) }) === false) throw notAdmitted(path);',
        to: 'if (path === hash("sha256", readSourceSync(path))) throw notAdmitted(path);',
      },
    ],
    test: { file: FAILURE_TEST, names: "an installed package is judged by its entry file" },
  },
  {
    name: "read twice",
    says: "a module is hashed, changes, and is run with its new content",
    patches: [
      {
        file: "transport/module/transport.ts",
        from: "during(() => run(call, found))",
        to: "during(async () => { const anew = await graphOf(call); return anew.ok ? run(call, anew) : anew; })",
      },
    ],
    test: { file: FAILURE_TEST, names: "reading runs nothing and running uses what was read" },
  },
  {
    name: "a broken import runs half of the module",
    says: "an extension with a missing import has run its first imports before it fails",
    patches: [
      {
        file: GRAPH,
        from: "      if (required) throw link;",
        to: "      if (required && unit.links.size === 1) throw link;",
      },
      {
        file: "transport/module/externals.ts",
        from: "      if (link instanceof LoadFailure) throw link;\n",
        to: "      if (link instanceof LoadFailure) continue;\n",
      },
    ],
    test: { file: FAILURE_TEST, names: "nothing is run when an import is missing" },
  },
  {
    name: "missing names not told",
    says: "an extension that imports something the host lacks fails later, without a reason",
    patches: [
      {
        file: "transport/module/externals.ts",
        from: "      reportMissing(unit);\n",
        to: "      if (all.size < 0) reportMissing(unit);\n",
      },
    ],
    test: { file: "module/load.test.ts", names: "a name that a provided module lacks is undefined and told once" },
  },
  {
    name: "one module map for all loads",
    says: "a reload returns the old module",
    patches: [
      { file: "transport/module/modules.ts", from: "  const instances = new Map<string, Instance>();\n", to: "" },
      {
        file: "transport/module/modules.ts",
        from: "/** Makes the empty module map of one load. */",
        to: "const instances = new Map<string, Instance>();\n\n/** Makes the empty module map of one load. */",
      },
    ],
    test: { file: "module/load.test.ts", names: "a file is run once per load and again in the next load" },
  },
  {
    name: "exit not guarded",
    says: "process.exit in an extension ends the agent",
    patches: [
      {
        file: "transport/module/guard.ts",
        from: "  uninstall ??= install();\n",
        to: "  if (running.length < 0) uninstall ??= install();\n",
      },
    ],
    test: { file: GUARD_TEST, names: "a host survives its modules and ends when it wants to" },
  },
  {
    name: "guard ends with the synchronous part",
    says: "an extension that waits first can end the agent afterwards",
    patches: [{ file: "transport/module/guard.ts", from: "    settles = true;\n", to: "" }],
    test: {
      file: GUARD_TEST,
      names: "a host survives its modules and ends when it wants to|the guard is gone when nothing guarded runs",
    },
  },
  {
    of: "integrations",
    name: "late errors end the agent",
    says: "an extension's timer that throws takes the session down",
    patches: [
      {
        file: "in-process/process-state.ts",
        from: "if (path === undefined && namesCode(error)) {",
        to: "if (namesCode(error)) {",
      },
    ],
    test: { file: "in-process/late.test.ts", names: "is told with its module, and the host goes on" },
  },
  {
    of: "integrations",
    name: "whose late error it is asked of the module that loads last",
    says: "an extension's timer that throws takes the session down while another session loads its first module",
    patches: [
      {
        file: "in-process/process-state.ts",
        from: "[...[...held].map((load) => load.owner), released]",
        to: "[[...held].at(-1)?.owner ?? released]",
      },
    ],
    test: { file: "in-process/late.test.ts", names: "is told with its module when" },
  },
  {
    name: "depth forgotten at a wait",
    says: "two handlers that emit their own event after a wait fill the memory",
    patches: [
      {
        file: "session/dispatches.ts",
        from: "this.#running === 0 ? 0 : 1 + depthOf(this)",
        to: "this.#running === 0 ? 0 : 1",
      },
    ],
    test: { file: "laws/reentry.test.ts", names: "an event that two handlers emit after a wait ends" },
  },
  {
    of: "integrations",
    name: "nobody watches",
    says: "an extension that computes for seconds freezes the agent, and is not named",
    patches: [
      {
        file: "in-process/watchdog.ts",
        from: "  await started;\n",
        to: "  if (started !== undefined) return;\n",
      },
    ],
    test: { file: "in-process/watchdog.test.ts", names: "keeps the process busy is named with its time" },
  },
  {
    of: "integrations",
    name: "watchdog asleep for ever",
    says: "after a minute without hooks, one that keeps the process busy is not named",
    patches: [
      {
        file: "in-process/watchdog.ts",
        from: "    if (cells[CELLS.asleep] === 1) Atomics.notify(cells, CELLS.asleep);\n",
        to: "",
      },
    ],
    test: { file: "in-process/watchdog.test.ts", names: "nobody looks while no handler runs" },
  },
  {
    name: "exit handed to a timer",
    says: "an extension that hands process.exit to a timer ends the agent",
    patches: [
      {
        file: "transport/module/guard.ts",
        from: "  if (running.length === 0) return ",
        to: "  if (running.length < 0) return ",
      },
    ],
    test: { file: GUARD_TEST, names: "exit that was handed to a timer while a module was loaded" },
  },
  {
    name: "stdin kept by a module",
    says: "an extension that listened while it was loaded swallows what the person types",
    patches: [
      {
        file: "transport/module/stdin.ts",
        from: "for (const change of undone.reverse()) change.undo();",
        to: "undone.reverse();",
      },
    ],
    test: { file: GUARD_TEST, names: "listeners, raw mode and flow of a module's load are undone" },
  },
  {
    name: "a hanging model hangs the agent",
    says: "a judge waits for a provider that ignores signals",
    patches: [
      {
        file: BOUNDED,
        from: '    end({ ok: false, cause: "timed-out", message: `no reply within',
        to: '    void ({ ok: false, cause: "timed-out", message: `no reply within',
      },
    ],
    test: { file: "llm/bounded.test.ts", names: "ends at the deadline, whatever the provider does" },
  },
  {
    name: "judges that ask judges",
    says: "a host whose requests fire hooks asks its judge without end",
    patches: [{ file: BOUNDED, from: "if (before.includes(transport)) return", to: "if (before.length < 0) return" }],
    test: { file: "llm/bounded.test.ts", names: "refuses a call that follows from a call" },
  },
  {
    of: "integrations",
    name: "sequential template",
    says: "text of the conversation is filled into a judge's prompt a second time",
    patches: [
      {
        file: LLM,
        from: '  return template.replace(PLACEHOLDER, (_, name: (typeof TEMPLATE_FIELDS)[number]) => event[name] ?? "");',
        to: '  return TEMPLATE_FIELDS.reduce((text, name) => text.replaceAll(`{{`.concat(name, `}}`), () => event[name] ?? ""), template);',
      },
    ],
    test: { file: "jcli/llm.test.ts", names: "is filled once" },
  },
  {
    of: "integrations",
    name: "reply cut at the first brace",
    says: "a judge's answer with a brace in a string is not understood",
    patches: [{ file: LLM, from: 'text.lastIndexOf("}")', to: 'text.indexOf("}")' }],
    test: { file: "jcli/llm.test.ts", names: "is read from the first brace to the last" },
  },
];
