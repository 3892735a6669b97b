import { createHash } from "node:crypto";
import { join } from "node:path";
import { plain, readPrivate, writePrivate } from "@hookline/ground/system";
import { realOf } from "../client/place.ts";
import type { BridgeHost } from "../host/host.ts";
import type { ReportedHook } from "./report.ts";
import { countsText, lackingLines } from "./text.ts";

/** At a session's start, at most `MOST_LINES` lines report losses, and at most `MOST_GONE` removed hooks are named. */
const MOST_LINES = 16;
const MOST_GONE = 8;

/**
 * The loss report of a host and a folder that a person has last seen. It is kept in hookline's home, one file for each
 * host and folder; if it cannot be read or written, the report is shown again.
 */
export class ShownReport {
  readonly #host: Pick<BridgeHost, "name" | "label">;
  readonly #path: string;

  constructor(hooklineHome: string, host: Pick<BridgeHost, "name" | "label">, cwd: string) {
    const folder = createHash("sha256").update(realOf(cwd)).digest("hex").slice(0, 16);
    this.#host = host;
    this.#path = join(hooklineHome, "bridge", "shown", `${host.name}-${folder}.json`);
  }

  /** Returns the changes since the last report, as lines for the person; nothing if there are none. */
  news(hooks: readonly ReportedHook[]): string | undefined {
    const bridged = hooks.filter(({ native }) => native !== true);
    const before = this.#shown();
    const now = new Set(bridged.map(keyOf));
    const fresh = bridged.filter((hook) => !before.has(keyOf(hook)));
    const there = new Set(bridged.map(nameOf));
    const gone = [...new Set([...before.values()])].filter((name) => !there.has(name));
    if (fresh.length === 0 && [...before.keys()].every((key) => now.has(key))) return undefined;
    const { name } = this.#host;
    const lacking = lackingLines(fresh, MOST_LINES);
    const lines = [...lacking.lines, ...gone.slice(0, MOST_GONE).map((hook) => `gone          ${plain(hook)}`)];
    const left = lacking.left + Math.max(0, gone.length - MOST_GONE);
    const title = `hookline: ${countsText(this.#host, bridged)}.${before.size > 0 ? " What has changed:" : ""}`;
    const rest = left > 0 ? [`and ${left} more`] : [];
    return [title, ...lines, ...rest, `\`hookline bridge report ${name}\` shows all.`].join("\n");
  }

  /**
   * Records that the report about these hooks was shown. Never throws: a report that cannot be recorded is shown again.
   */
  keep(hooks: readonly ReportedHook[]): void {
    const shown = hooks.filter(({ native }) => native !== true).map((hook) => [keyOf(hook), nameOf(hook)]);
    try {
      writePrivate(this.#path, `${JSON.stringify({ v: 1, hooks: Object.fromEntries(shown) }, null, 2)}\n`);
    } catch {
      // A full disk must not make the session fail.
    }
  }

  /** Returns the entries of the last report: the name of each hook, by its digest. */
  #shown(): ReadonlyMap<string, string> {
    const read = readPrivate(this.#path);
    if (read.state !== "read") return new Map();
    try {
      const { hooks } = JSON.parse(read.text) as { readonly hooks?: Readonly<Record<string, unknown>> };
      return new Map(Object.entries(hooks ?? {}).map(([key, name]) => [key, String(name)]));
    } catch {
      return new Map();
    }
  }
}

/** Names a hook by its file without the line, so that lines inserted above the hook do not rename it. */
function nameOf({ dialect, source }: ReportedHook): string {
  return `${dialect.padEnd(7)} ${source.replace(/:\d+$/, "")}`;
}

/** Returns a digest of what was reported of a hook. */
function keyOf(hook: ReportedHook): string {
  const said = [nameOf(hook), hook.state, ...hook.losses.map(({ field, why }) => `${field}: ${why}`)];
  return createHash("sha256").update(said.join("\0")).digest("hex").slice(0, 16);
}
