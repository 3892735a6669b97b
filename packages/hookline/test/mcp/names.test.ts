import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { readMatcher } from "../../../integrations/src/claude/hooks/matcher.ts";
import { readRule } from "../../../integrations/src/claude/hooks/rule.ts";
import { matches } from "../../../integrations/src/jcli/hooks/filter.ts";
import { isFormerName, type ListedServer, type Named, toolName, toolNames } from "../../src/mcp/names.ts";

const world = { cwd: "/cwd", home: NO_HOME, folder: "/cwd", files: systemFiles, ignoresCase: false };

/** The readers that refuse or ask, each as a guard with one name. */
const GUARDS: Readonly<Record<string, (name: string) => ((tool: Named<ListedServer>) => boolean) | undefined>> = {
  deny: (name) => byRule(name, "deny"),
  ask: (name) => byRule(name, "ask"),
  if: (name) => byRule(name, "if"),
  matcher(name) {
    const isList = /^[\w ,|-]+$/.test(name);
    const read = readMatcher(isList ? name : `^${name.replaceAll(/[^\w-]/g, "\\$&")}$`, "tool");
    return read.ok ? ({ names }) => names.some(read.test) : undefined;
  },
  filter: (name) => (tool) => matches({ tool_name: name }, { tool_name: tool.name }, tool.names),
};

function byRule(text: string, use: "deny" | "ask" | "if" | "allow") {
  const read = readRule(text, use);
  if (!read.ok) return undefined;
  return (tool: Named<ListedServer>): boolean =>
    read.rule.holds({ tool_name: tool.name, tool_input: {}, tool }, world) !== false;
}

const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("db", "my_db", "my.db", "my db", "my-db", "My_Db", "db__x", "my_db__drop") },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.constantFrom("a", "b", "A", "-", "_", ".", " ", "__"), { minLength: 1, maxLength: 60 })
      .map((all) => all.join("").trim() || "a"),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 120 }).map((length) => "long-".repeat(24).slice(0, length)) },
);
const tool = fc.oneof(word, fc.constantFrom("drop", "read_file", "read.file", "x__drop", "drop__drop"));
const tier = fc.constantFrom("managed" as const, "user" as const, "project" as const);
const server = fc.record({ name: word, tier, tools: fc.uniqueArray(tool, { minLength: 1, maxLength: 4 }) }).map(
  ({ name, tier: of, tools }): ListedServer => ({
    name,
    source: { path: `/${of}/mcp.json`, tier: of },
    tools: tools.map((one) => ({ name: one })),
  }),
);
/** Servers in order of definition, an order of arrival, and how many tools of each have arrived. */
const scenes = fc
  .uniqueArray(server, { minLength: 1, maxLength: 5, selector: (one) => `${one.source.path} ${one.name}` })
  .chain((servers) =>
    fc.record({
      servers: fc.constant(servers),
      order: fc.shuffledSubarray(servers, { minLength: servers.length, maxLength: servers.length }),
      arrived: fc.array(fc.nat(4), { minLength: servers.length, maxLength: servers.length }),
    }),
  );

const idOf = (one: Named<ListedServer>): string =>
  JSON.stringify([one.server.source.path, one.server.name, one.tool.name]);

/** The guards that are asked about each offered tool, by its file, server and own name. */
function askedOf(
  servers: readonly ListedServer[],
  guards: ReadonlyMap<string, (tool: Named<ListedServer>) => boolean>,
) {
  return new Map(
    [...toolNames(servers).named.values()].map((one) => [
      idOf(one),
      [...guards].flatMap(([id, holds]) => (holds(one) ? [id] : [])).join("\n"),
    ]),
  );
}

describe("names of the tools of MCP servers", () => {
  test("the guards that are asked depend on the server's file, its name and the tool's name alone", () => {
    fc.assert(
      fc.property(scenes, ({ servers, order, arrived }) => {
        const named = servers.flatMap((one) => one.tools.map(({ name }) => toolName(one, name, servers)));
        const texts = new Set(named.flatMap(({ names }) => [...names, ...names.map((name) => name.slice(0, -1))]));
        const guards = new Map(
          [...texts].flatMap((text) =>
            Object.entries(GUARDS).flatMap(([kind, guard]) => {
              const holds = guard(text);
              return holds === undefined ? [] : [[`${kind} ${text}`, holds] as const];
            }),
          ),
        );
        const all = askedOf(servers, guards);
        const partly = order.map((one, at) => ({ ...one, tools: one.tools.slice(0, arrived[at]) }));
        for (const some of [order, partly, ...servers.map((one) => [one])])
          for (const [id, asked] of askedOf(some, guards)) if (all.has(id)) expect(asked).toBe(all.get(id));
      }),
      { numRuns: 200 },
    );
  });

  test("a guard with the offered or the configured name is asked for the tool, and for no tool without that name", () => {
    fc.assert(
      fc.property(scenes, ({ servers }) => {
        const offered = [...toolNames(servers).named.values()];
        for (const one of offered)
          for (const name of [one.name, one.full, `mcp__${one.server.name}__${one.tool.name}`])
            for (const [kind, guard] of Object.entries(GUARDS)) {
              const holds = guard(name);
              if (holds === undefined) continue;
              expect([kind, name, holds(one)]).toEqual([kind, name, true]);
              for (const other of offered)
                if (kind === "filter") expect(holds(other)).toBe(other.names.includes(name));
                else if (!other.names.some((own) => own === name || own.startsWith(`${name}__`)))
                  expect([kind, name, other.name, holds(other)]).toEqual([kind, name, other.name, false]);
            }
      }),
      { numRuns: 200 },
    );
  });

  test("names are plain, short and different, and a lower tier changes none of a higher one", () => {
    fc.assert(
      fc.property(scenes, ({ servers, order }) => {
        const { named, left } = toolNames(servers);
        expect(named.size + left.length).toBe(servers.reduce((sum, { tools }) => sum + tools.length, 0));
        for (const name of named.keys()) expect(name).toMatch(/^mcp__[\w-]{1,59}$/);
        expect([...toolNames(order).named.values()].map(idOf).sort()).toEqual([...named.values()].map(idOf).sort());
        const own = servers.filter(({ source }) => source.tier !== "project");
        for (const one of own)
          for (const { name } of one.tools) expect(toolName(one, name, servers)).toEqual(toolName(one, name, own));
        for (const one of left) expect(named.get(one.name)?.tier).not.toBe(undefined);
      }),
      { numRuns: 200 },
    );
  });

  test("an allow rule holds for the offered name alone, and never for a tool of a project's server", () => {
    fc.assert(
      fc.property(scenes, ({ servers }) => {
        const offered = [...toolNames(servers).named.values()];
        for (const one of offered)
          for (const name of one.names) {
            const holds = byRule(name, "allow");
            if (holds === undefined) continue;
            for (const other of offered) {
              const isNamed = other.name === name || other.name.startsWith(`${name}__`);
              expect([name, other.name, holds(other)]).toEqual([name, other.name, isNamed && other.tier !== "project"]);
            }
          }
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ["my_db", "drop", [["my.db", "project"]], "mcp__my_db__drop"],
    ["my.db", "drop", [["my_db", "user"]], /^mcp__my_db__drop_[0-9a-f]{6}$/],
    ["my.db", "drop", [], "mcp__my_db__drop"],
    ["my_db", "drop", [["my.db", "user"]], "mcp__my_db__drop"],
    ["fs", "read.file", [], /^mcp__fs__read_file_[0-9a-f]{6}$/],
    ["evil", "foo__real", [["evil__foo", "user"]], /^mcp__evil__foo__real_[0-9a-f]{6}$/],
    ["evil", "foo__real", [["evil__foo", "project"]], "mcp__evil__foo__real"],
    ["a-server-with-a-name-that-is-rather-long-for-a-database-in-eu", "drop_all", [], /^.{57}_[0-9a-f]{6}$/],
  ] as const)("%s and its tool %s beside %j", (name, own, others, wanted) => {
    const place = (of: string, tier: "user" | "project") => ({ name: of, source: { path: `/${tier}`, tier } });
    const user = place(name, "user");
    const shown = toolName(user, own, [user, ...others.map(([of, at]) => place(of, at))]).name;
    if (typeof wanted === "string") expect(shown).toBe(wanted);
    else expect(shown).toMatch(wanted);
  });

  test("names of earlier versions are known again", () => {
    const own = { name: "s".repeat(70), source: { path: "/u", tier: "user" as const } };
    const named = toolName(own, "t", [own]);
    expect(isFormerName(named.full.slice(0, 64), named)).toBe(true);
    expect(isFormerName(`${named.full.slice(0, 62)}_2`, named)).toBe(true);
    expect(isFormerName(named.full.slice(0, 62), named)).toBe(false);
  });
});
