import { ask } from "../hook/ask.ts";
import type { Core } from "./core.ts";

/** Names the session. An empty name removes the old one. */
export async function nameSession(core: Core, wanted: string): Promise<void> {
  const name = wanted.trim() || undefined;
  core.store.appendSessionInfo(name ?? "");
  core.tell({ type: "session_info_changed", name });
  await ask(core, "session.info", { ...(name !== undefined && { name }) });
}

/** Names the session as a hook wants, if it has another name. */
export async function nameByHook(core: Core, title: string | undefined): Promise<void> {
  const name = title?.trim();
  if (name !== undefined && name !== "" && name !== core.store.getSessionName()) await nameSession(core, name);
}
