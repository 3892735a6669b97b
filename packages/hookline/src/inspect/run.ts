import { setImmediate as turn } from "node:timers/promises";
import { messageOf, VERSION } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { wrongUse } from "@hookline/ground/system";
import { hasScreen, type Opening, openInBrowser } from "./browser.ts";
import { readPage } from "./page.ts";
import { type Inspector, serve } from "./server.ts";
import type { SourceList } from "./sources.ts";

/** Lets other requests and timers run. */
export const breathe = async (): Promise<void> => void (await turn());

/** The sources, the port and the environment with which the inspector starts. */
export interface Started {
  readonly list: SourceList;
  readonly port: number;
  readonly env: Io["env"];
  /** Called with a message if the browser could not be opened. */
  tell(problem: string): void;
}

/** A running inspector. */
export interface RunningInspector extends Inspector {
  /** Opens the page in the person's browser; returns false if there is no screen for one. */
  show(): boolean;
}

/**
 * Starts the server, and begins to read the source that is shown first. Throws if the port is taken or the page was not
 * built.
 */
export async function startInspector({ list, port, env, tell }: Started): Promise<RunningInspector> {
  let opening: Opening | undefined;
  // Pages that were opened earlier also request data, but only a newly opened page requests the address `/`.
  let hasCome = false;
  const onAsked = (what: "page" | "data"): void => {
    if (what === "data" && hasCome) opening?.done();
    hasCome ||= what === "page";
  };
  const page = readPage();
  let inspector: Inspector;
  try {
    inspector = await serve({ list, page, hookline: VERSION, port, breathe, onAsked });
  } catch (thrown) {
    throw wrongUse(
      "--port",
      `cannot be used: ${messageOf(thrown)}`,
      "Give another port, or leave it out to have a free one.",
    );
  }
  void readFirst(list);
  return {
    ...inspector,
    show() {
      if (!hasScreen(env)) return false;
      opening?.done();
      hasCome = false;
      opening = openInBrowser(inspector.url, env, tell);
      return true;
    },
    async close() {
      opening?.done();
      await inspector.close();
    },
  };
}

/** Reads the first source, which may be large, while the browser starts. The page shows errors. */
async function readFirst(list: SourceList): Promise<void> {
  if (list.open === undefined) return;
  try {
    await (await list.find(list.open))?.reading?.update();
  } catch {}
}
