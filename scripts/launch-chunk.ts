import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build, type Metafile } from "esbuild";

const NAME = "launch.js";

/**
 * Puts the chunks that every launch loads into one file, since finding, reading and linking a file costs more than
 * running it. `entries` are the sources that a launch imports one after the other; what `main` imports at once stays
 * as it is. Each chunk's own name stays as a list of what it exports, for the parts that are loaded later. Gives the
 * records of all files that now hold code, by their names.
 */
export async function joinLaunch(
  dist: string,
  metafile: Metafile,
  main: string,
  entries: readonly string[],
): Promise<ReadonlyMap<string, Metafile["outputs"][string]>> {
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
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
  const kept = closure([of(main)]);
  const joined = [...closure(entries.map(of))].filter((chunk) => !kept.has(chunk));
  let count = 0;
  const names = new Map(
    joined.map((chunk) => [chunk, (outputs.get(chunk)?.exports ?? []).map((name) => [name, `e${count++}`] as const)]),
  );
  const list = (pairs: readonly (readonly [string, string])[]): string =>
    pairs.map(([from, to]) => `${from} as ${to}`).join(",");
  const { metafile: launch } = await build({
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
    outfile: join(dist, NAME),
    plugins: [
      {
        name: "others",
        setup({ onResolve }) {
          onResolve({ filter: /^\.\// }, ({ path }) =>
            names.has(basename(path)) ? undefined : { path, external: true },
          );
          onResolve({ filter: /^[^./]/ }, ({ path }) => ({ path, external: true }));
        },
      },
    ],
  });
  for (const [chunk, pairs] of names) {
    const back = pairs.map(([name, alias]) => [alias, name] as const);
    writeFileSync(join(dist, chunk), `export{${list(back)}}from"./${NAME}";\n`);
    outputs.delete(chunk);
  }
  return outputs.set(NAME, Object.values(launch.outputs)[0] as Metafile["outputs"][string]);
}
