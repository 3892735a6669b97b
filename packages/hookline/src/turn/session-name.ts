import { ask } from "../hook/ask.ts";
import type { Core } from "./core.ts";

/** Names the session; an empty name removes the name. */
export async function nameSession(core: Core, wanted: string): Promise<void> {
  const name = wanted.trim() || undefined;
  core.store.appendSessionInfo(name ?? "");
  core.tell({ type: "session_info_changed", name });
  await ask(core, "session.info", { ...(name !== undefined && { name }) });
}

/** Gives the session the name that a hook wants, if it differs. */
export async function nameByHook(core: Core, title: string | undefined): Promise<void> {
  const name = title?.trim();
  if (name !== undefined && name !== "" && name !== core.store.getSessionName()) await nameSession(core, name);
}
