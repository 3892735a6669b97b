import type { Bug } from "./bug.ts";

const OUTPUT_TEST = "process/output.test.ts";
const OUTPUT = "transport/process/output.ts";
const SUPERVISE = "transport/process/supervise.ts";
const JSON_TEST = "decode/json.test.ts";

/** Bugs in input and output, and in their conversion to text, JSON and lines on a screen. */
export const bytes: readonly Bug[] = [
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
    test: { file: OUTPUT_TEST, names: "takes no offence at 5242880 bytes of input that nobody reads" },
  },
  {
    name: "input written before the timer",
    says: "a hook that never reads a long input hangs without a limit",
    patches: [
      {
        file: SUPERVISE,
        from: 'if (call.stdin !== undefined && call.stdin !== "inherit") running.stdin?.end(call.stdin);',
        to: 'const { stdin } = call;\n  if (stdin !== undefined && stdin !== "inherit") await new Promise<void>((done) => running.stdin?.end(stdin, done));',
      },
    ],
    test: { file: OUTPUT_TEST, names: "counts the writing of the input against the time" },
  },
  {
    name: "invalid UTF-8 accepted",
    says: "a decision is read from text with replacement characters",
    patches: [{ file: OUTPUT, from: "valid: isUtf8(bytes)", to: "valid: isUtf8(bytes) || true" }],
    test: { file: OUTPUT_TEST, names: "says that the output is not UTF-8" },
  },
  {
    name: "chunks decoded one by one",
    says: "a character that arrives in two pieces is garbled",
    patches: [
      {
        file: OUTPUT,
        from: "if (held.push(chunk) === chunk.length) return true;",
        to: "const said = Buffer.from(decode(chunk));\n      if (held.push(said) === said.length) return true;",
      },
    ],
    test: { file: OUTPUT_TEST, names: "puts a character together that came in pieces" },
  },
  {
    name: "byte order mark swallowed",
    says: "an answer that is not strict JSON counts as one",
    patches: [{ file: OUTPUT, from: "ignoreBOM: true", to: "ignoreBOM: false" }],
    test: { file: OUTPUT_TEST, names: "keeps a byte order mark in the text" },
  },
  {
    name: "output cap ignored",
    says: "a hook that never stops printing keeps the agent busy",
    patches: [
      {
        file: SUPERVISE,
        from: "    if (!out.push(chunk) || isTooMuch(chunk)) cut();",
        to: "    out.push(chunk);",
      },
    ],
    test: { file: OUTPUT_TEST, names: "ends a process that writes more than it may$" },
  },
  {
    name: "half an answer",
    says: "the part that fits of an answer that is too long is used",
    patches: [{ file: OUTPUT, from: "      held = growing(0);\n", to: "" }],
    test: { file: OUTPUT_TEST, names: "ends a process that writes more than it may$" },
  },
  {
    name: "unbounded errors",
    says: "everything that a hook prints on stderr is kept in memory",
    patches: [{ file: SUPERVISE, from: "keepEnds(limits.maxStderrBytes)", to: "keepEnds(2 ** 28)" }],
    test: { file: OUTPUT_TEST, names: "keeps the head and the tail of a flood of errors" },
  },
  {
    name: "listener for output may hurt",
    says: "a screen that fails to show output ends the agent",
    patches: [
      {
        file: SUPERVISE,
        from: "  return (chunk, stream) => {\n    try {",
        to: "  return (chunk, stream) => {\n    call.onData?.(chunk, stream);\n    try {",
      },
    ],
    test: { file: OUTPUT_TEST, names: "survives a listener that throws" },
  },
  {
    name: "lent chunks handed on",
    says: "output that is shown a little later belongs to another program",
    patches: [
      { file: SUPERVISE, from: "call.onData?.(Buffer.from(chunk), stream)", to: "call.onData?.(chunk, stream)" },
    ],
    test: { file: OUTPUT_TEST, names: "gives every listener chunks of its own" },
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
    test: { file: JSON_TEST, names: "changes no prototype: plain" },
  },
  {
    of: "ground",
    name: "__proto__ looked for as it is spelt",
    says: "the same with an escape in the name",
    patches: [{ file: "decode/json.ts", from: "/__proto__|\\\\u00/", to: "/__proto__$/" }],
    test: { file: JSON_TEST, names: "finds __proto__ under every spelling" },
  },
  {
    of: "ground",
    name: "unbounded depth",
    says: "a deeply nested answer parses, and overflows the stack later",
    patches: [
      { file: "decode/scan.ts", from: '      if (open.length === maxDepth) return fail("too-deep");\n', to: "" },
    ],
    test: { file: JSON_TEST, names: "to the limit and no deeper" },
  },
  {
    of: "ground",
    name: "tolerant JSON",
    says: "log lines before an answer, or a second answer after it, are overlooked",
    patches: [
      {
        file: "decode/json.ts",
        from: "  const { flaw, duplicates } = scanJson(text, maxDepth);",
        to: "  if (/\\n[{[]/.test(text)) return readJson(text.slice(text.search(/[{[]/)), rules);\n  const { flaw, duplicates } = scanJson(text, maxDepth);",
      },
    ],
    test: { file: JSON_TEST, names: "names the place and not the text" },
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
    test: { file: "decode/text.test.ts", names: "leaves no control" },
  },
  {
    of: "ground",
    name: "redactor overlooks encoded keys",
    says: "a provider key is in a log as part of a URL",
    patches: [{ file: "decode/redact.ts", from: "    values.set(encodeURIComponent(value), name);\n", to: "" }],
    test: { file: "decode/redact.test.ts", names: "removes the value of every provider key" },
  },
];
