import type { Surroundings } from "@hookline/runtime/dialect";
import { Instance, sharedOf } from "@hookline/runtime/engine";
import type { AgentPlace } from "./definition.ts";
import type { ClaudeEvent } from "./views.ts";

const CHILDREN = "claude.children";

/**
 * Whether an event comes from a sub-agent that the given file defines. Agents of the same name can have different
 * files.
 */
export function isOfAgent(
  { agent_id: id }: ClaudeEvent,
  { path }: AgentPlace,
  { services, scan: { files } }: Surroundings,
): boolean {
  const file = id === undefined ? undefined : services.agents?.file(id);
  return file !== undefined && (file === path || files.real(file) === (files.real(path) ?? path));
}

/**
 * Returns the state of an agent file's handlers for one sub-agent. It is a separate instance, disposed when the
 * sub-agent ends, with everything that its hooks have left running. The handlers themselves stay registered as long as
 * the file is loaded, so that they get every event of a sub-agent.
 */
export function childInstance(id: string, owner: Instance, { services, shared }: Surroundings): Instance {
  const children = sharedOf(shared, CHILDREN, () => new Map<string, Instance>());
  const key = `${id} ${owner.source.path}`;
  const known = children.get(key);
  if (known !== undefined && !known.disposed) return known;
  const child = new Instance(owner.lane, owner.source, {
    add: () => {},
    remove: () => {},
    report: (diagnostic) => owner.report(diagnostic),
  });
  const ended = services.agents?.ended(id);
  const end = (): void => {
    forget();
    children.delete(key);
    child.dispose();
  };
  const forget = owner.own(end);
  children.set(key, child);
  if (ended?.aborted) end();
  else ended?.addEventListener("abort", end, { once: true });
  return child;
}
