import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { chooseFrom } from "@hookline/ground";
import { EXIT, type Io, jsonText, plain } from "@hookline/ground/system";
import { abouts } from "@hookline/integrations/abouts";
import type { Starter } from "@hookline/runtime/engine";
import { type Arguments, textFlag } from "../start/args.ts";
import { placeOf } from "../start/place.ts";

/**
 * `hookline hooks init [DIALECT] [--package NAME]`: writes a working guard into the project. With `--package`, writes
 * it into a new package. The default dialect is hookline's own. Never overwrites anything.
 */
export async function initHook(args: Arguments, io: Io): Promise<number> {
  const [dialect = "hookline"] = args.words;
  const starter = Object.hasOwn(abouts, dialect) ? await abouts[dialect]?.starter?.() : undefined;
  if (starter === undefined) {
    const names = Object.keys(abouts).filter((id) => abouts[id]?.starter !== undefined);
    io.err(`There is no dialect "${plain(dialect)}". ${chooseFrom(dialect, names)}\n`);
    return EXIT.usage;
  }
  const name = textFlag(args, "package");
  const problem = name === undefined ? undefined : packageProblem(name, dialect);
  if (problem !== undefined) {
    io.err(`${plain(problem)}\n`);
    return EXIT.usage;
  }
  const { cwd } = await placeOf(args, io);
  const wanted = name === undefined ? starter.files : packageFiles(name, dialect, starter);
  const there = wanted.map(({ path }) => join(cwd, path)).find((path) => existsSync(path));
  if (there !== undefined) {
    io.err(`${plain(there)} already exists, and is not overwritten. Move it away, or write the hook by hand.\n`);
    return EXIT.failed;
  }
  const files = wanted.map((file) => write(cwd, file));
  const own = [...(dialect === "hookline" ? ["hookline hooks test"] : []), ...nextSteps(starter)];
  const next = name === undefined ? own : [`cd ${folderOf(name)}`, "npm test", "hookline packages add ."];
  if (args.flags["json"] === true) io.out(jsonText({ dialect, files, next }));
  else {
    for (const file of files) io.out(`written: ${plain(file)}\n`);
    io.out(`\nNext:\n${next.map((step) => `  ${step}\n`).join("")}`);
  }
  return EXIT.fine;
}

type NewFile = Starter["files"][number];

/** The entries of `package.json` for a package with a guard, by the dialect of the guard. */
const PACKAGED: Readonly<Record<string, { readonly keyword: string; readonly list: object; readonly peer: string }>> = {
  hookline: {
    keyword: "hookline-package",
    list: { hookline: { guards: ["./guard.ts"] } },
    peer: "@hookline/runtime",
  },
  pi: { keyword: "pi-package", list: { pi: { extensions: ["./guard.ts"] } }, peer: "@earendil-works/pi-coding-agent" },
};

function packageProblem(name: string, dialect: string): string | undefined {
  if (!Object.hasOwn(PACKAGED, dialect))
    return `Hooks of ${dialect} have no packages; write them for ${Object.keys(PACKAGED).join(" or ")}, or share the file itself.`;
  if (/^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/.test(name)) return undefined;
  return `"${name}" cannot be the name of a package: use lower-case letters, digits, dots and hyphens, as in no-publish or @you/no-publish.`;
}

/** Returns the folder of a new package: its name without the scope. */
function folderOf(name: string): string {
  return name.slice(name.indexOf("/") + 1);
}

/** Returns the files of a package: its manifest, the guard with its cases, and a README with the commands. */
function packageFiles(name: string, dialect: string, { files, event, refused }: Starter): NewFile[] {
  const folder = folderOf(name);
  const { keyword = "", list, peer = "" } = PACKAGED[dialect] ?? {};
  const carriesCases = dialect === "hookline";
  const test = `hookline hooks test ${carriesCases ? "guard.ts" : "guard.hooks-test.yaml"}`;
  const manifest = {
    name,
    version: "0.1.0",
    description: "Keeps an agent from deleting files recursively or by force",
    keywords: [keyword],
    type: "module",
    files: ["guard.ts", ...(carriesCases ? [] : ["guard.hooks-test.yaml"])],
    ...list,
    scripts: { test },
    peerDependencies: { [peer]: "*" },
  };
  const [guard] = files;
  const call = JSON.stringify(refused);
  const cases = [
    `hooks: [${dialect}:guard.ts]`,
    "cases:",
    ...[
      ["deleting", call, "deny"],
      ["listing", call.replace("rm -rf", "ls"), "none"],
    ].flatMap(([name, payload, wanted]) => [
      `  - name: ${name}`,
      `    event: ${event}`,
      `    payload: ${payload}`,
      `    expect: ${wanted}`,
    ]),
    "",
  ].join("\n");
  return [
    { path: `${folder}/package.json`, text: `${JSON.stringify(manifest, null, 2)}\n` },
    { path: `${folder}/guard.ts`, text: guard?.text ?? "" },
    ...(carriesCases ? [] : [{ path: `${folder}/guard.hooks-test.yaml`, text: cases }]),
    { path: `${folder}/README.md`, text: readme(name, manifest.description) },
  ];
}

function readme(name: string, says: string): string {
  return `# ${name}

${says}.

    hookline packages add npm:${name}

\`npm test\` runs the guard's cases; no model is needed.
`;
}

function write(cwd: string, { path, text, executable }: NewFile): string {
  const full = join(cwd, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text, { flag: "wx" });
  if (executable === true) chmodSync(full, 0o755);
  return full;
}

/** Lists how a person can try the example without a model. */
function nextSteps({ event, refused }: Starter): string[] {
  return [
    "hookline trust approve",
    "hookline hooks",
    `echo '${JSON.stringify(refused)}' | hookline hooks fire ${event} --payload - --expect deny`,
  ];
}
