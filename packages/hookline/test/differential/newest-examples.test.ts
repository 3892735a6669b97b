import { readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { peerFolder } from "../../../../bench/peer.ts";
import { Desk } from "../bridge/at-desk.ts";
import { VERSIONS } from "./peer.ts";

const NEWEST = VERSIONS.at(-1) as string;
const folder = realpathSync(join(peerFolder("@earendil-works/pi-coding-agent", NEWEST), "examples/extensions"));
const names = readdirSync(folder).filter((name) => name !== "README.md");

/** The examples that do not run, or of which a part has no effect, and why. */
const LESS: Readonly<Record<string, RegExp>> = {
  // Its dependency is not installed beside it, which pi refuses, too.
  gondolin: /^does not run.*Cannot find "@earendil-works\/gondolin"/,
  // All that it does is to add a model that chooses among others.
  "jev-router.ts": /^does not run LINT.*pi\.registerVirtualModel has no effect here/,
  // Both are drawn or streamed by newer packages than those that hookline lends: the names are stubs.
  "custom-provider-anthropic": /^runs MISSING_EXPORT.*ToolCallArgumentsStream/,
  "overlay-test.ts": /^runs MISSING_EXPORT.*renderFakeCursor/,
  "debug-provider.ts": /^runs NEVER_FIRES.*provider_stream_event/,
};

test(`of the ${names.length} examples of pi ${NEWEST} all but two run, and what has no effect is said`, async () => {
  using desk = new Desk();
  const less: Record<string, string> = {};
  for (const name of names) {
    const { out } = await desk.run("hooks", "list", "--json", "-e", `pi:${join(folder, name)}`);
    const { sources, diagnostics } = JSON.parse(out) as {
      readonly sources: readonly { readonly path: string; readonly state: string }[];
      readonly diagnostics: readonly { readonly code: string; readonly message: string }[];
    };
    const own = sources.filter(({ path }) => path.startsWith(folder));
    const said = diagnostics.filter(({ message }) => message.includes(folder));
    const state = own.length > 0 && own.every((one) => one.state === "runs") ? "runs" : "does not run";
    const told = [state, ...said.map(({ code, message }) => `${code}: ${message}`)].join(" ");
    if (told !== "runs") less[name] = told;
  }
  expect(names).toHaveLength(78);
  expect(less).toEqual(
    Object.fromEntries(Object.entries(LESS).map(([name, why]) => [name, expect.stringMatching(why)])),
  );
}, 600_000);
