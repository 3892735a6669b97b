import { relative, sep } from "node:path";
import type { HostHooks } from "@hookline/bridge";
import { chooseFrom, didYouMean, messageOf, nearest, parseJson } from "@hookline/ground";
import { EXIT, type Io, jsonText, plain } from "@hookline/ground/system";
import { hostNamed } from "@hookline/integrations/hosts";
import { claudeNamesOf } from "@hookline/integrations/tools";
import { catalog, type Hook, shellQuoted } from "@hookline/runtime/engine";
import { type HookSession, wholeOf } from "@hookline/runtime/session";
import { testHooks } from "@hookline/runtime/testing";
import { guardsFor } from "../lent/modules.ts";
import type { Arguments } from "../start/args.ts";
import { openHooks } from "./open-hooks.ts";

const TARGET = "claude";

/** `hookline hooks export claude NAME…`: prints settings with which Claude Code asks these guards. */
export async function exportGuards(args: Arguments, io: Io): Promise<number> {
  const [target = "", ...names] = args.words;
  if (target !== TARGET || names.length === 0) {
    io.err("Which guards? `hookline hooks export claude NAME…`, with the names that the guards have in their files.\n");
    return EXIT.usage;
  }
  const { session, place, close } = await openHooks(args, io);
  const guards = session.hooks().flatMap(({ hook }) => (hook.carries === undefined ? [] : [hook]));
  await close();
  const known = [...new Set(guards.map(({ carries }) => carries?.name ?? ""))];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const near = nearest(unknown, known);
    const all = known.length === 0 ? "No guard runs here; `hookline hooks` says why." : chooseFrom(unknown, known);
    io.err(
      `No guard that runs here is called "${plain(unknown)}". ${near === undefined ? all : didYouMean(near).trim()}\n`,
    );
    return EXIT.failed;
  }
  const { events } = await hostNamed(TARGET);
  const hooks: Record<string, object[]> = {};
  for (const guard of guards.filter(({ carries }) => names.includes(carries?.name ?? ""))) {
    const own = Object.keys(events).filter((name) => events[name]?.moments.includes(guard.event as never));
    if (own.length === 0) {
      io.err(
        `Claude Code has no event for ${guard.event}, so "${plain(guard.carries?.name ?? "")}" cannot be exported.\n`,
      );
      return EXIT.failed;
    }
    for (const event of own) hooks[event] = [...(hooks[event] ?? []), groupOf(guard, place.cwd)];
  }
  io.out(jsonText({ hooks }));
  return EXIT.fine;
}

function groupOf({ event, source: { path }, carries, filter }: Hook, cwd: string): object {
  const below = relative(cwd, path);
  const file = below.startsWith(`..${sep}`) ? shellQuoted(path) : `"$CLAUDE_PROJECT_DIR"/${shellQuoted(below)}`;
  const command = `hookline hooks answer ${TARGET} ${file} ${shellQuoted(carries?.name ?? "")}`;
  const tools = catalog.get(event)?.subject === "tool" ? filter?.split(", ").flatMap(claudeNames) : undefined;
  return { ...(tools !== undefined && { matcher: tools.join("|") }), hooks: [{ type: "command", command }] };
}

/** Returns Claude Code's names of a tool; hookline's own name if Claude Code has no such tool. */
function claudeNames(tool: string): string[] {
  const own = claudeNamesOf(tool);
  return own.length === 0 ? [tool] : own;
}

/**
 * `hookline hooks answer claude FILE NAME`: asks one guard of a file about the event on stdin, and answers as a hook of
 * Claude Code does. If the guard cannot be asked, the event is refused.
 */
export async function answerFor(args: Arguments, io: Io): Promise<number> {
  const [target, path, name] = args.words;
  if (target !== TARGET || path === undefined || name === undefined) {
    io.err("`hookline hooks answer claude FILE NAME` is what settings of `hookline hooks export claude` run.\n");
    return EXIT.usage;
  }
  // With exit code 2 Claude Code refuses the call, and the model reads stderr.
  const refuse = (problem: string): number => {
    io.err(`The guard "${plain(name)}" could not be asked: ${plain(problem)}\n`);
    return EXIT.usage;
  };
  try {
    const { events } = await hostNamed(TARGET);
    const text = await io.readStdin({ isOptional: false, tell: (line) => io.err(`${line}\n`) });
    const payload = parseJson(text) as { readonly hook_event_name?: unknown };
    const event = events[String(payload.hook_event_name)];
    const call = event?.read(payload, io.env);
    if (event === undefined || call === undefined) return refuse("the event on stdin is not an event of Claude Code");
    await using opened = await testHooks({
      files: [`hookline:${path}`],
      scene: { cwd: io.cwd },
      env: io.env,
      services: { modules: guardsFor({ cwd: io.cwd }) },
    });
    const session = wholeOf(opened.session);
    const own = session.hooks().flatMap(({ hook }) => (hook.carries?.name === name ? [hook.id] : []));
    if (own.length === 0) return refuse(`${path} has no guard of this name`);
    const answer = await event.ask(call, hooksOf(session, own, io));
    io.out(answer.stdout);
    io.err(answer.stderr);
    return answer.exit;
  } catch (thrown) {
    return refuse(messageOf(thrown));
  }
}

/** Returns the session's hooks for an event of Claude Code, limited to the hooks with these ids. */
function hooksOf(session: HookSession, ids: readonly string[], io: Io): HostHooks {
  const leftOut = { because: "another guard is asked", has: ({ id }: { readonly id: string }) => !ids.includes(id) };
  return {
    cwd: io.cwd,
    memory: new Map(),
    emit: async (event, payload, options) => session.emit(event, payload, { ...options, leftOut }),
    listens: (event) => session.listens(event, leftOut),
    servers: () => [],
    retries: { count: 0, any: false, cap: Number.POSITIVE_INFINITY, begin: () => {}, grant: (lanes) => new Set(lanes) },
    notices: () => [],
    tell: (line) => io.err(`${line}\n`),
  };
}
