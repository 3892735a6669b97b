import { relative, sep } from "node:path";
import type { Io } from "@hookline/ground/system";
import { catalog } from "@hookline/runtime/engine";
import { placeOfReview } from "../../consent/selection.ts";
import { hooklineHome } from "../../session/directory.ts";
import { listSessions } from "../../session/list.ts";
import type { Arguments } from "../../start/args.ts";
import { openReview } from "../../start/review.ts";
import { statsLines } from "../stats.ts";
import type { Named } from "./candidates.ts";

/** Returns the names of a kind in this folder and in hookline's home; none after an error. Runs no project code. */
export async function namesOf(kind: Named, args: Arguments, io: Io): Promise<readonly string[]> {
  try {
    return [...new Set(await LOOKUPS[kind](args, io))].sort();
  } catch {
    // An error message would only disturb the command line that a person types.
    return [];
  }
}

const LOOKUPS: Readonly<Record<Named, (args: Arguments, io: Io) => Promise<string[]>>> = {
  event: async () => {
    const { dialects } = await import("@hookline/integrations");
    const own = dialects.flatMap(({ id, lanes }) =>
      lanes.flatMap(({ rows }) => rows.map(({ name }) => `${id}:${name}`)),
    );
    return [...catalog.keys(), ...own];
  },
  session: async (_, io) => (await listSessions({ cwd: io.cwd, home: hooklineHome(io.env) })).map(({ id }) => id),
  trust: (args, io) =>
    reviewed(args, io, async ({ session }) => (await session.review()).map((one) => placeOfReview(one).path)),
  hook: async (args, io) => [
    ...(await reviewed(args, io, async ({ session }) => session.report.sources.map(({ path }) => path))),
    ...statsLines(hooklineHome(io.env), { project: io.cwd }).map(({ id }) => id),
  ],
};

/** Reviews this folder's hooks, loading none. Returns the paths that `paths` finds, relative if inside it. */
async function reviewed(
  args: Arguments,
  io: Io,
  paths: (opened: Awaited<ReturnType<typeof openReview>>) => Promise<string[]>,
): Promise<string[]> {
  const opened = await openReview({ ...args, words: [] }, { ...io, err: () => {} });
  try {
    return (await paths(opened)).map((path) => (path.startsWith(io.cwd + sep) ? relative(io.cwd, path) : path));
  } finally {
    await opened.runtime.close();
  }
}
