import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build, type Metafile } from "esbuild";
import type { Outputs } from "./node-modules.ts";

/** Files that a prompt imports before its first request, with any provider, and with hooks in modules and programs. */
const LAUNCH = [
  "hookline/src/cli/run.ts",
  "ground/src/io/stdin.ts",
  "hookline/src/mode/print.ts",
  "integrations/src/index.ts",
  "runtime/src/transport/module/transport.ts",
  "runtime/src/transport/process/transport.ts",
];

/** The file that the screen additionally imports. */
const SCREEN = "hookline/src/mode/interactive/interactive.ts";

/** Clients for providers; a launch loads one of them. */
const CLIENTS = ["openai-completions", "anthropic-messages"];

/** Chunks to join into one file. */
export interface Group {
  readonly file: string;
  readonly chunks: readonly string[];
}

/** Returns esbuild's records of its output files, by file name. */
export function outputsOf({ outputs }: Metafile): Map<string, Metafile["outputs"][string]> {
  return new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
}

/**
 * Returns the chunks that a launch loads, except those that `main` imports statically: one group for every launch, one
 * for each client, and one for the screen. Chunks that two clients share, or the screen and a command, belong to every
 * launch.
 */
export function launchGroups(outputs: Outputs, main: string): Group[] {
  const of = (source: string): string => {
    const found = [...outputs].find(([, { entryPoint }]) => entryPoint?.endsWith(source));
    if (found === undefined) throw new Error(`Nothing was built from ${source}: name what a launch imports.`);
    return found[0];
  };
  const closure = (from: readonly string[]): Set<string> => {
    const all = new Set(from);
    for (const chunk of all)
      for (const { path, kind, external } of outputs.get(chunk)?.imports ?? [])
        if (kind === "import-statement" && !external) all.add(basename(path));
    return all;
  };
  // If a chunk that commands also import were in the screen's file, commands would load the whole screen.
  const ofCommands = closure(
    [...outputs].flatMap(([chunk, { entryPoint }]) => (entryPoint?.includes("hookline/src/cli/") ? [chunk] : [])),
  );
  const clients = CLIENTS.map((api) => ({ file: `${api}.js`, all: closure([of(`api/${api}.js`)]) }));
  const shared = [...(clients[0]?.all ?? [])].filter((chunk) => clients.every(({ all }) => all.has(chunk)));
  const taken = closure([of(main)]);
  const group = (file: string, all: Iterable<string>): Group => {
    const chunks = [...all].filter((chunk) => !taken.has(chunk));
    for (const chunk of chunks) taken.add(chunk);
    return { file, chunks };
  };
  const screen = closure([of(SCREEN)]);
  const both = [...screen].filter((chunk) => ofCommands.has(chunk));
  return [
    group("launch.js", new Set([...closure(LAUNCH.map(of)), ...shared, ...both])),
    ...clients.map(({ file, all }) => group(file, all)),
    group("interactive.js", screen),
  ];
}

/**
 * Joins the chunks of each group into one file, because finding, reading and linking a file costs more than running it.
 * Each chunk's old name remains as a file that re-exports its exports, for parts that are loaded later; `outputs` then
 * has the joined files.
 */
export async function joinChunks(
  dist: string,
  outputs: Map<string, Metafile["outputs"][string]>,
  groups: readonly Group[],
): Promise<void> {
  const joined = new Set<string>();
  for (const { file, chunks } of groups) {
    let count = 0;
    const names = new Map(
      chunks.map((chunk) => [chunk, (outputs.get(chunk)?.exports ?? []).map((name) => [name, `e${count++}`] as const)]),
    );
    const list = (pairs: readonly (readonly [string, string])[]): string =>
      pairs.map(([from, to]) => `${from} as ${to}`).join(",");
    const { metafile } = await build({
      metafile: true,
      stdin: {
        contents: [...names]
          .map(([chunk, pairs]) => `import "./${chunk}"; export { ${list(pairs)} } from "./${chunk}";`)
          .join("\n"),
        resolveDir: dist,
      },
      bundle: true,
      minifySyntax: true,
      minifyWhitespace: true,
      format: "esm",
      platform: "node",
      target: "node22.19",
      legalComments: "none",
      logLevel: "warning",
      outfile: join(dist, file),
      plugins: [
        {
          name: "others",
          setup({ onResolve }) {
            // A chunk of an earlier group is now only a re-export, so its joined file is imported instead.
            onResolve({ filter: /^\.\// }, ({ path }) =>
              names.has(basename(path)) || joined.has(basename(path)) ? undefined : { path, external: true },
            );
            onResolve({ filter: /^[^./]/ }, ({ path }) => ({ path, external: true }));
          },
        },
      ],
    });
    for (const [chunk, pairs] of names) {
      const back = pairs.map(([name, alias]) => [alias, name] as const);
      writeFileSync(join(dist, chunk), `export{${list(back)}}from"./${file}";\n`);
      outputs.delete(chunk);
      joined.add(chunk);
    }
    outputs.set(file, Object.values(metafile.outputs)[0] as Metafile["outputs"][string]);
  }
}
