/** A misconfiguration by which a hook does not fire. */
export interface Misconfigured {
  readonly name: string;
  readonly dialect: "jcli" | "chibi" | "omp" | "pi";
  /** The files, by path relative to the project, or to the home folder if it starts with `~/`. */
  readonly files: Readonly<
    Record<
      string,
      string | Uint8Array | { readonly program: string } | { readonly link: string } | { readonly folder: true }
    >
  >;
  /** Matches what the report must say: the place and the cause. */
  readonly named: RegExp;
  /** The folder of the session, relative to the project. */
  readonly cwd?: string;
  readonly explicit?: readonly string[];
  /** The value of the setting `failClosed`. */
  readonly failClosed?: readonly string[];
  /** Set if no person has approved the project. */
  readonly untrusted?: true;
}

type Files = Misconfigured["files"];

function jcli(name: string, text: string | Files, named: RegExp, more: Partial<Misconfigured> = {}): Misconfigured {
  const files: Files = typeof text === "string" ? { "~/.jdata/agent/hooks.yaml": text } : text;
  return { name, dialect: "jcli", files, named, ...more };
}

function pi(name: string, text: string | Files, named: RegExp, more: Partial<Misconfigured> = {}): Misconfigured {
  const files: Files = typeof text === "string" ? { "~/.pi/agent/extensions/ext.ts": text } : text;
  return { name, dialect: "pi", files, named, ...more };
}

function omp(name: string, text: string | Files, named: RegExp, more: Partial<Misconfigured> = {}): Misconfigured {
  const files: Files = typeof text === "string" ? { "~/.omp/agent/hooks/pre/hook.ts": text } : text;
  return { name, dialect: "omp", files, named, ...more };
}

/** Makes a case of a plugin that answers `--schema` with this text, or of any given files. */
function chibi(name: string, schema: string | Files, named: RegExp, more: Partial<Misconfigured> = {}): Misconfigured {
  const files: Files =
    typeof schema === "string"
      ? { "~/.chibi/plugins/plug": { program: `#!/bin/sh\ncat <<'EOF'\n${schema}\nEOF\n` } }
      : schema;
  return { name, dialect: "chibi", files, named, ...more };
}

const ENTRY = "pre_tool_execution:\n  - command: cat\n";
const GUARD = 'export default (pi) => { pi.on("tool_call", () => undefined); };\n';
const PLUGIN = { program: '#!/bin/sh\necho \'{"name":"p","description":"d","hooks":["pre_tool"]}\'\n' };

/** Over sixty misconfigurations, each seen in the field or one mistake away from the dialects' documents. */
export const MISCONFIGURED: readonly Misconfigured[] = [
  // j-cli: the file
  jcli("another extension", { "~/.jdata/agent/hooks.yml": ENTRY }, /hooks\.yml.*Rename it to hooks\.yaml/),
  jcli("another case", { ".jcli/Hooks.yaml": ENTRY }, /Hooks\.yaml.*Rename it to hooks\.yaml/),
  jcli("the singular", { ".jcli/hook.yaml": ENTRY }, /\.jcli\/hook\.yaml.*hooks\.yaml/),
  jcli("the data folder instead of its folder agent", { "~/.jdata/hooks.yaml": ENTRY }, /\.jdata\/hooks\.yaml.*agent/),
  jcli("no consent", { ".jcli/hooks.yaml": ENTRY }, /hooks\.yaml:2.*not been approved/, { untrusted: true }),
  jcli("a folder of the file's name", { "~/.jdata/agent/hooks.yaml": { folder: true } }, /hooks\.yaml.*not a file/),
  jcli(
    "no UTF-8",
    { "~/.jdata/agent/hooks.yaml": new Uint8Array([...Buffer.from("stop:\n  - command: echo "), 0xff, 0x0a]) },
    /hooks\.yaml:2.*UTF-8/,
  ),
  jcli("a tab", "stop:\n\t- command: cat\n", /hooks\.yaml:2.*tab/),
  jcli("a second document", `${ENTRY}---\nstop:\n  - command: cat\n`, /hooks\.yaml:3.*second YAML document/),
  jcli("unbalanced quotes", 'stop:\n  - command: "cat\n', /hooks\.yaml:\d/),
  jcli("a list at the top", "- event: stop\n  command: cat\n", /hooks\.yaml:1.*map event names/),
  // j-cli: events and entries
  jcli(
    "a typo in an event",
    "pre_tool_executoin:\n  - command: cat\n",
    /hooks\.yaml:1.*Did you mean "pre_tool_execution"/,
  ),
  jcli("an event of another dialect", "tool_call:\n  - command: cat\n", /hooks\.yaml:1.*no event "tool_call"/),
  jcli("the event inside the entry", "hooks:\n  - event: stop\n    command: cat\n", /hooks\.yaml:1.*event name a key/),
  jcli("an event twice", `${ENTRY}stop:\n  - command: cat\nstop:\n  - command: cat\n`, /hooks\.yaml:5.*appears twice/),
  jcli("no list", "stop:\n  command: cat\n", /hooks\.yaml:1.*list of hooks/),
  jcli("a text for an entry", "stop:\n  - cat\n", /hooks\.yaml:2.*not a map/),
  jcli("no command", "stop:\n  - timeout: 5\n", /hooks\.yaml:2.*no command/),
  jcli("an empty command", 'stop:\n  - command: ""\n', /hooks\.yaml:2.*command is empty/),
  jcli("a misspelt key", "stop:\n  - comand: cat\n", /hooks\.yaml:2.*Did you mean "command"/),
  jcli("a key that does nothing", "stop:\n  - command: cat\n    timout: 5\n", /hooks\.yaml:3.*Did you mean "timeout"/),
  jcli(
    "an unknown key in hookline's own file",
    { ".hookline/hooks.yaml": "stop:\n  - command: cat\n    name: x\n" },
    /hooks\.yaml:3.*unknown key "name"/,
  ),
  jcli("a number in quotes", 'stop:\n  - { command: cat, timeout: "5" }\n', /hooks\.yaml:2.*not a number/),
  jcli("no time at all", "stop:\n  - { command: cat, timeout: 0 }\n", /hooks\.yaml:2.*out of range/),
  jcli("a time with a unit", "stop:\n  - { command: cat, timeout: 5s }\n", /hooks\.yaml:2.*whole number/),
  jcli(
    "another word for on_error",
    "stop:\n  - { command: cat, on_error: ignore }\n",
    /hooks\.yaml:2.*on_error cannot be "ignore".*skip/,
  ),
  jcli("a prompt without its type", "stop:\n  - prompt: Is it done?\n", /hooks\.yaml:2.*type: llm/),
  jcli(
    "an answer that nobody reads",
    'post_send_message:\n  - command: echo \'{"action":"stop"}\'\n',
    /hooks\.yaml:2.*is ignored at/,
  ),
  jcli("a script that is not there", "stop:\n  - command: ./scripts/nothing.sh\n", /hooks\.yaml:2.*nothing\.sh/),
  // j-cli: filters
  jcli(
    "a tool on an event without one",
    "stop:\n  - { command: cat, filter: { tool_name: Bash } }\n",
    /hooks\.yaml:2.*no tool/,
  ),
  jcli(
    "a model on an event without one",
    "session_end:\n  - { command: cat, filter: { model_prefix: claude } }\n",
    /hooks\.yaml:2.*no model/,
  ),
  jcli(
    "a pattern for a tool",
    'pre_tool_execution:\n  - { command: cat, filter: { tool_matcher: "Ba.*" } }\n',
    /hooks\.yaml:2.*not as a pattern/,
  ),
  jcli(
    "another case of a tool",
    "pre_tool_execution:\n  - { command: cat, filter: { tool_name: BASH } }\n",
    /hooks\.yaml:2.*case-sensitive.*Bash/,
  ),
  jcli(
    "an unknown tool",
    "pre_tool_execution:\n  - { command: cat, filter: { tool_name: Bsh } }\n",
    /hooks\.yaml:2.*Bsh.*Bash/,
  ),
  jcli(
    "another key in a filter",
    "pre_tool_execution:\n  - { command: cat, filter: { tool: Bash } }\n",
    /hooks\.yaml:2.*unknown key "tool"/,
  ),
  jcli(
    "both filters for tools",
    "pre_tool_execution:\n  - { command: cat, filter: { tool_name: Bash, tool_matcher: Read } }\n",
    /hooks\.yaml:2.*tool_matcher is ignored/,
  ),
  jcli(
    "a folder without its events",
    { ".jcli/hooks/mine/HOOK.yaml": "command: cat\n" },
    /HOOK\.yaml:1.*list of event names/,
  ),
  jcli(
    "a folder whose file has another name",
    { ".jcli/hooks/mine/hook.yaml": "events: [stop]\ncommand: cat\n" },
    /mine\/hook\.yaml.*Rename it to HOOK\.yaml/,
  ),
  // chibi
  chibi("no execute bit", { "~/.chibi/plugins/plug": "#!/bin/sh\n" }, /plug.*not executable.*chmod \+x/),
  chibi(
    "a folder without the program",
    { "~/.chibi/plugins/plug/main.sh": PLUGIN },
    /plug.*no file with the folder.s name/,
  ),
  chibi("a link that leads nowhere", { "~/.chibi/plugins/plug": { link: "gone" } }, /plug.*leads nowhere/),
  chibi(
    "a link that leaves the folder",
    { "~/tools/plug": PLUGIN, "~/.chibi/plugins/plug": { link: "../../tools/plug" } },
    /plug.*leaves the plugins folder.*linkDirectories/,
  ),
  chibi("switched off by its name", { "~/.chibi/plugins/plug.disabled": PLUGIN }, /plug\.disabled.*disabled/),
  chibi("no consent", { ".hookline/plugins/plug": PLUGIN }, /plugins\/plug.*not been approved/, { untrusted: true }),
  chibi(
    "the folder that chibi does not read in a project",
    { ".chibi/plugins/plug": PLUGIN },
    /\.chibi\/plugins.*\.hookline\/plugins/,
  ),
  chibi("a schema with text around it", "Hello\n{}", /plug.*--schema.*JSON/),
  chibi("a schema without a name", '{"description":"d","hooks":["pre_tool"]}', /plug.*no "name"/),
  chibi("a schema without a description", '{"name":"p","hooks":["pre_tool"]}', /plug.*no "description"/),
  chibi(
    "a typo in a hook point",
    '{"name":"p","description":"d","hooks":["pre_tol"]}',
    /plug.*pre_tol.*Did you mean "pre_tool"/,
  ),
  chibi(
    "a hook point of a later release",
    '{"name":"p","description":"d","hooks":["pre_agentic_loop"]}',
    /plug.*pre_agentic_loop.*never fires/,
  ),
  chibi("a text for the list of hooks", '{"name":"p","description":"d","hooks":"pre_tool"}', /plug.*no list of names/),
  chibi(
    "a name that no provider takes",
    '{"name":"my plugin","description":"d","hooks":[]}',
    /my plugin.*cannot be the name of a tool/,
  ),
  chibi("a schema that fails", { "~/.chibi/plugins/plug": { program: "#!/bin/sh\nexit 3\n" } }, /plug.*exit code 3/),
  chibi(
    "a line end of another system after #!",
    { "~/.chibi/plugins/plug": { program: "#!/bin/sh\r\necho '{}'\r\n" } },
    /plug.*could not be loaded/,
  ),
  chibi(
    "no #! at all",
    { "~/.chibi/plugins/plug": { program: "import sys\nprint('{}')\n" } },
    /plug.*could not be loaded/,
  ),
  chibi("a hook field of another name", '{"name":"p","description":"d","hook":["pre_tool"]}', /plug.*"hook".*hooks/),
  // omp
  omp(
    "a shell script",
    { "~/.omp/agent/hooks/pre/bash.sh": { program: "#!/bin/sh\n" } },
    /bash\.sh.*(not run|unsupported)/,
  ),
  omp("beside pre and post", { ".omp/hooks/guard.ts": GUARD }, /hooks\/guard\.ts.*pre/),
  omp("no consent", { ".omp/hooks/pre/guard.ts": GUARD }, /guard\.ts.*not been approved/, { untrusted: true }),
  omp(
    "no default export",
    "export const hook = (pi) => { pi.on('tool_call', () => {}); };\n",
    /hook\.ts.*default function/,
  ),
  omp(
    "a class",
    "export default class Guard { constructor(pi) { pi.on('tool_call', () => {}); } }\n",
    /hook\.ts.*(class|Class)/,
  ),
  omp(
    "an async factory",
    "export default async (pi) => { pi.on('tool_call', () => undefined); };\n",
    /hook\.ts.*async/,
  ),
  omp(
    "a typo in an event",
    'export default (pi) => { pi.on("tool_cal", () => {}); };\n',
    /hook\.ts:1.*Did you mean "tool_call"/,
  ),
  omp(
    "another dialect's event",
    'export default (pi) => { pi.on("pre_tool_execution", () => {}); };\n',
    /hook\.ts:1.*no event "pre_tool_execution"/,
  ),
  omp("no function for a handler", 'export default (pi) => { pi.on("tool_call"); };\n', /hook\.ts.*not a function/),
  omp(
    "a mistake in the syntax",
    "export default (pi) => {\n  pi.on('tool_call', => {});\n};\n",
    /hook\.ts.*(Unexpected|Expected)/,
  ),
  omp(
    "a role that does not exist",
    'export default (pi) => { pi.on("context", (e) => { e.messages.filter((m) => m.role === "tool"); }); };\n',
    /hook\.ts.*toolResult/,
  ),
  omp(
    "the same name in two places",
    { ".omp/hooks/pre/guard.ts": GUARD, "~/.omp/agent/hooks/pre/guard.ts": GUARD },
    /guard\.ts.*shadowed/,
  ),
  omp(
    "switched off in the settings",
    {
      "~/.omp/agent/extensions/ext.ts": GUARD,
      "~/.omp/agent/settings.json": '{"disabledExtensions":["extension-module:ext"]}',
    },
    /ext\.ts.*disabled.*settings\.json/,
  ),
  omp("failClosed names a file that is none", { ".omp/hooks/pre/guard.ts": GUARD }, /gaurd\.ts.*no such file/, {
    failClosed: ["gaurd.ts"],
  }),
  omp(
    "failClosed names what only watches",
    { ".omp/hooks/pre/watch.ts": 'export default (pi) => { pi.on("turn_start", () => {}); };\n' },
    /failClosed names ".*watch\.ts", which guards nothing/,
    { failClosed: [".omp/hooks/pre/watch.ts"] },
  ),
  omp(
    "an import that is not there",
    'import { x } from "./nothing.ts";\nexport default (pi) => { pi.on("input", () => x); };\n',
    /hook\.ts.*nothing\.ts/,
  ),
  // pi
  pi("no consent", { ".pi/extensions/ext.ts": GUARD }, /ext\.ts.*not been approved/, { untrusted: true }),
  pi("no default export", "export function activate(pi) {}\n", /ext\.ts.*factory function/),
  pi("an object for the factory", "export default { activate() {} };\n", /ext\.ts.*factory function/),
  pi(
    "a class",
    "export default class Ext { constructor(pi) { pi.on('input', () => {}); } }\n",
    /ext\.ts.*(class|Class)/,
  ),
  pi("a factory that throws", 'export default () => { throw new Error("no token"); };\n', /ext\.ts.*no token/),
  pi(
    "a typo in an event",
    'export default (pi) => { pi.on("tool_calls", () => {}); };\n',
    /ext\.ts:1.*Did you mean "tool_call"/,
  ),
  pi(
    "hookline's own event",
    'export default (pi) => { pi.on("tool.before", () => {}); };\n',
    /ext\.ts:1.*no event "tool\.before"/,
  ),
  pi(
    "no function for a handler",
    'export default (pi) => { pi.on("tool_call", { run() {} }); };\n',
    /ext\.ts.*not a function/,
  ),
  pi("nothing registered", "export default (pi) => { void pi; };\n", /ext\.ts.*unreachable.*registered nothing/),
  pi(
    "a name that the package lacks",
    'import { isToolCall } from "@mariozechner/pi-coding-agent";\nexport default (pi) => { pi.on("tool_call", (e) => isToolCall(e)); };\n',
    /isToolCall.*no such export/,
  ),
  pi("a folder without an index", { "~/.pi/agent/extensions/mine/main.ts": GUARD }, /extensions\/mine.*index\.ts/),
  pi("another extension", { "~/.pi/agent/extensions/guard.mjs": GUARD }, /guard\.mjs/),
  pi("the singular", { ".pi/extension/guard.ts": GUARD }, /\.pi\/extension\b.*extensions/),
  pi(
    "a file that the settings name and that is not there",
    { "~/.pi/agent/settings.json": '{"extensions":["./nothing.ts"]}' },
    /nothing\.ts.*settings\.json/,
  ),
  pi(
    "settings that are no JSON",
    { "~/.pi/agent/settings.json": '{"extensions":["./a.ts",]}' },
    /settings\.json:1.*JSON/,
  ),
  pi(
    "settings of another type",
    { "~/.pi/agent/settings.json": '{"extensions":"./a.ts"}' },
    /settings\.json:1.*not a list/,
  ),
  pi(
    "switched off in the settings",
    { "~/.pi/agent/extensions/ext.ts": GUARD, "~/.pi/agent/settings.json": '{"extensions":["-extensions/ext.ts"]}' },
    /ext\.ts.*settings\.json.*off/,
  ),
  pi("a package that is not installed", { "~/.pi/agent/settings.json": '{"packages":["npm:pi-guard"]}' }, /pi-guard/),
  pi(
    "a file that the package lists and that is not there",
    { "~/.pi/agent/extensions/mine/package.json": '{"pi":{"extensions":["./dist/index.js"]}}' },
    /extensions\/mine.*package\.json/,
  ),
  pi("a path on the command line that is not there", {}, /nothing\.ts.*no such file/, { explicit: ["nothing.ts"] }),
  pi(
    "the same tool twice",
    { "~/.pi/agent/extensions/a.ts": tool(), "~/.pi/agent/extensions/b.ts": tool() },
    /"mine".*b\.ts is not used/,
  ),
];

function tool(): string {
  return 'export default (pi) => { pi.registerTool({ name: "mine", description: "d", parameters: { type: "object", properties: {} }, execute: async () => ({ content: [] }) }); };\n';
}
