import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { trustNothing } from "../../../runtime/src/consent/consent.ts";
import type { Opened } from "../opened.ts";
import { bash, command, group, opened, settings } from "./kit.ts";

const PLUGINS = "home/.claude/plugins";
const states = ({ session }: Opened): readonly string[] => session.report.sources.map(({ state }) => state);
const reasons = ({ session }: Opened): readonly string[] => session.report.sources.map(({ reason = "" }) => reason);
const reason = async ({ session }: Opened): Promise<unknown> =>
  (await session.emit("tool.before", bash("ls"))).answer.reason;
const say = (word: string): string => settings({ PreToolUse: `echo ${word} >&2; exit 2` });
const enable = (...ids: readonly string[]): string => on(Object.fromEntries(ids.map((id) => [id, true])));
const on = (enabledPlugins: object, more: object = {}): string => JSON.stringify({ enabledPlugins, ...more });
const manifest = (more: object, name = "guard"): string => JSON.stringify({ name, ...more });

/** A plugin in the cache, and the record of its installation. */
function installed(
  files: Readonly<Record<string, string>>,
  id = "guard@market",
  more: object = {},
): Record<string, string> {
  const [name, marketplace] = id.split("@");
  const root = `cache/${marketplace}/${name}/1.0.0`;
  const plugins = { [id]: [{ scope: "user", installPath: root, version: "1.0.0", ...more }] };
  return {
    [`${PLUGINS}/installed_plugins.json`]: JSON.stringify({ version: 2, plugins }),
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`${PLUGINS}/${root}/${path}`, text])),
  };
}

describe("where a plugin's hooks stand", () => {
  test("hooks/hooks.json of one that is enabled runs [claude.plugins.1]", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": enable("guard@market"),
      ...installed({ "hooks/hooks.json": say("no") }),
    });
    expect(await reason(hooks)).toBe("no");
    expect(hooks.codes()).toEqual([]);
  });

  test("a manifest names files, a list of files, or has the hooks itself", async () => {
    const forms = {
      "a path": { hooks: "./own.json" },
      "a list": { hooks: ["./own.json", { PreToolUse: [group(command("echo inline >&2; exit 2"))] }] },
      inline: { hooks: { PreToolUse: [group(command("echo inline >&2; exit 2"))] } },
      "a whole file inline": { hooks: { hooks: { PreToolUse: [group(command("echo inline >&2; exit 2"))] } } },
    };
    const said: Record<string, unknown> = {};
    for (const [name, more] of Object.entries(forms)) {
      await using hooks = await opened({
        "home/.claude/settings.json": enable("guard@market"),
        ...installed({
          ".claude-plugin/plugin.json": manifest(more),
          "own.json": say("own"),
          "hooks/hooks.json": say("usual"),
        }),
      });
      said[name] = await reason(hooks);
    }
    expect(said).toEqual({
      "a path": "usual\nown",
      "a list": "usual\nown\ninline",
      inline: "usual\ninline",
      "a whole file inline": "usual\ninline",
    });
  });

  test("a file that is named twice runs once", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": enable("guard@market"),
      ...installed({
        ".claude-plugin/plugin.json": manifest({ hooks: ["./hooks/hooks.json", "./hooks/../hooks/hooks.json"] }),
        "hooks/hooks.json": say("once"),
      }),
    });
    expect(await reason(hooks)).toBe("once");
  });

  test("what a manifest names is reported if it does not exist, lies outside, or cannot be read", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": enable("guard@market"),
      "home/outside.json": say("outside"),
      ...installed({
        ".claude-plugin/plugin.json": manifest({
          hooks: ["./gone.json", "../../../../../../outside.json", "./bad.json", "./odd.json"],
        }),
        "bad.json": "{",
        "odd.json": JSON.stringify({ description: "none" }),
        "hooks/hooks.json": say("neighbour"),
      }),
    });
    expect(await reason(hooks)).toBe("neighbour");
    expect(states(hooks)).toEqual(["broken", "broken", "broken", "broken", "runs"]);
    expect(reasons(hooks).slice(0, 4)).toEqual([
      expect.stringMatching(/guard@market.*gone\.json, which is not there/),
      expect.stringMatching(/guard@market.*not in the plugin's folder/),
      expect.stringMatching(/bad\.json.*guard@market/),
      expect.stringMatching(/odd\.json.*has no "hooks"/),
    ]);
  });

  test("a marketplace's folder serves one that is not installed, and its entry may have hooks", async () => {
    const entry = {
      name: "guard",
      source: "./here",
      hooks: { PreToolUse: [group(command("echo entry >&2; exit 2"))] },
    };
    await using hooks = await opened({
      "home/.claude/settings.json": enable("guard@market"),
      [`${PLUGINS}/known_marketplaces.json`]: JSON.stringify({ market: { installLocation: "marketplaces/other" } }),
      [`${PLUGINS}/marketplaces/other/.claude-plugin/marketplace.json`]: JSON.stringify({ plugins: [entry] }),
      [`${PLUGINS}/marketplaces/other/here/hooks/hooks.json`]: say("usual"),
    });
    expect(await reason(hooks)).toBe("usual\nentry");
  });

  test('"strict": false of a marketplace forbids hooks of the manifest', async () => {
    const entry = { name: "guard", source: "here", strict: false };
    await using hooks = await opened({
      "home/.claude/settings.json": enable("guard@market"),
      [`${PLUGINS}/marketplaces/market/.claude-plugin/marketplace.json`]: JSON.stringify({
        metadata: { pluginRoot: "./all" },
        plugins: [entry],
      }),
      [`${PLUGINS}/marketplaces/market/all/here/.claude-plugin/plugin.json`]: manifest({ hooks: {} }),
    });
    expect(reasons(hooks)).toEqual([expect.stringContaining('"strict": false')]);
  });

  test("a folder is named on the command line", async () => {
    await using hooks = await opened(
      { "project/own/hooks/hooks.json": say("own"), "project/empty/README.md": "" },
      { explicit: ["claude:own", "claude:empty"] },
    );
    expect(await reason(hooks)).toBe("own");
    expect(reasons(hooks)).toEqual([expect.stringContaining("it is no plugin with hooks"), ""]);
  });
});

describe("which plugins run", () => {
  test("one that is enabled and cannot be found is told by its name [claude.plugins.2]", async () => {
    await using hooks = await opened({ "home/.claude/settings.json": enable("gone@market", "odd name") });
    expect(states(hooks)).toEqual(["broken", "broken"]);
    expect(reasons(hooks).join()).toMatch(/"odd name".*gone@market is enabled but cannot be found/);
  });

  test("one that is disabled, or that nothing enables, is listed and does not run", async () => {
    for (const text of [on({ "guard@market": false }), "{}"]) {
      await using hooks = await opened({
        "home/.claude/settings.json": text,
        ...installed({ "hooks/hooks.json": say("no") }),
      });
      expect(states(hooks)).toEqual(["disabled"]);
      expect(reasons(hooks)[0]).toContain("the plugin guard@market is");
      expect(await reason(hooks)).toBeUndefined();
    }
  });

  test("one that is installed for another project does not run here", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": enable("guard@market"),
      ...installed({}, "guard@market", { projectPath: "/elsewhere", scope: "project" }),
    });
    expect(states(hooks)).toEqual(["broken"]);
  });

  test("what only a project enables needs consent [claude.plugins.3]", async () => {
    const files = {
      "project/.claude/settings.json": enable("guard@market"),
      ...installed({ "hooks/hooks.json": say("no") }),
    };
    await using unapproved = await opened(files, { consent: trustNothing });
    expect(states(unapproved)).toEqual(["untrusted"]);
    expect(await reason(unapproved)).toBeUndefined();
    await using approved = await opened(files);
    expect(await reason(approved)).toBe("no");
  });

  test("a person's plugin in the project's folder needs consent", async () => {
    await using hooks = await opened(
      {
        "home/.claude/settings.json": enable("guard@market"),
        [`${PLUGINS}/known_marketplaces.json`]: JSON.stringify({ market: { installLocation: "../../../project" } }),
        "project/.claude-plugin/marketplace.json": JSON.stringify({ plugins: [{ name: "guard", source: "./guard" }] }),
        "project/guard/hooks/hooks.json": say("no"),
      },
      { consent: trustNothing },
    );
    expect(states(hooks)).toEqual(["untrusted"]);
  });

  test("a project names no marketplace for a person's plugin, and does not disable it", async () => {
    await using hooks = await opened({
      "home/.claude/settings.json": enable("guard@market", "gone@theirs"),
      "project/.claude/settings.json": on(
        { "guard@market": false, "own@theirs": true },
        { extraKnownMarketplaces: { theirs: { source: { source: "directory", path: "./theirs" } } } },
      ),
      "project/theirs/.claude-plugin/marketplace.json": JSON.stringify({
        plugins: [
          { name: "gone", source: "./gone" },
          { name: "own", source: "./own" },
        ],
      }),
      "project/theirs/gone/hooks/hooks.json": say("hijacked"),
      "project/theirs/own/hooks/hooks.json": say("own"),
      ...installed({ "hooks/hooks.json": say("guard") }),
    });
    expect(await reason(hooks)).toBe("guard\nown");
    expect(hooks.diagnostics.map(({ message }) => message).join()).toContain("a project cannot disable");
  });

  test("managed settings force plugins, which allowManagedHooksOnly lets run [claude.case.117]", async () => {
    const managed = (enabledPlugins: object) => ({
      "etc/claude-code/managed-settings.json": JSON.stringify({ enabledPlugins, allowManagedHooksOnly: true }),
    });
    const files = {
      "home/.claude/settings.json": JSON.stringify({
        enabledPlugins: { "guard@market": true },
        disableAllHooks: true,
        ...(JSON.parse(say("person")) as object),
      }),
      ...installed({ "hooks/hooks.json": say("forced") }),
    };
    await using forced = await opened({ ...files, ...managed({ "guard@market": true }) }, { etc: "etc" });
    expect(await reason(forced)).toBe("forced");
    await using blocked = await opened({ ...files, ...managed({ "guard@market": false }) }, { etc: "etc" });
    expect(await reason(blocked)).toBeUndefined();
    await using own = await opened({ ...files, ...managed({}) }, { etc: "etc" });
    expect(await reason(own)).toBeUndefined();
  });

  test("plugins run behind the settings, by name, and their copies are their own", async () => {
    const same = settings({
      PreToolUse: `echo "\${CLAUDE_PLUGIN_ROOT:+$(basename "$CLAUDE_PLUGIN_ROOT")}." >&2; exit 2`,
    });
    await using hooks = await opened({
      "home/.claude/settings.json": JSON.stringify({
        ...(JSON.parse(same) as object),
        enabledPlugins: { "b@market": true, "a@market": true },
      }),
      [`${PLUGINS}/marketplaces/market/.claude-plugin/marketplace.json`]: JSON.stringify({
        plugins: [
          { name: "b", source: "./b" },
          { name: "a", source: "./a" },
        ],
      }),
      [`${PLUGINS}/marketplaces/market/a/hooks/hooks.json`]: same,
      [`${PLUGINS}/marketplaces/market/b/hooks/hooks.json`]: same,
    });
    expect(await reason(hooks)).toBe(".\na.\nb.");
  });

  test("a registry that cannot be read is reported", async () => {
    await using hooks = await opened({ [`${PLUGINS}/installed_plugins.json`]: "{" });
    expect(reasons(hooks)).toEqual([expect.stringContaining("plugins may be missing")]);
  });
});

test("a plugin's hooks get its folders and its options [claude.plugins.4]", async () => {
  const line = `env | grep ^CLAUDE_PLUGIN_ | sort > "\${CLAUDE_PLUGIN_DATA}/seen"; echo \${CLAUDE_PLUGIN_ROOT} >> "\${CLAUDE_PLUGIN_DATA}/seen"`;
  await using hooks = await opened({
    "home/.claude/settings.json": on(
      { "guard@market": true },
      { pluginConfigs: { "guard@market": { options: { level: "high", count: 3, secret: {} } } } },
    ),
    ...installed({
      ".claude-plugin/plugin.json": manifest({ userConfig: { level: { default: "low" }, quiet: { default: true } } }),
      "hooks/hooks.json": settings({ PreToolUse: line }),
    }),
  });
  await hooks.session.emit("tool.before", bash("ls"));
  const plugins = join(hooks.root, PLUGINS);
  const data = join(plugins, "data", "guard-market");
  expect(existsSync(data)).toBe(true);
  const root = join(plugins, "cache/market/guard/1.0.0");
  expect(readFileSync(join(data, "seen"), "utf8")).toBe(
    [
      `CLAUDE_PLUGIN_DATA=${data}`,
      "CLAUDE_PLUGIN_OPTION_COUNT=3",
      "CLAUDE_PLUGIN_OPTION_LEVEL=high",
      "CLAUDE_PLUGIN_OPTION_QUIET=true",
      `CLAUDE_PLUGIN_ROOT=${root}`,
      root,
      "",
    ].join("\n"),
  );
});
