import { agentsAt, describeOwner, plain } from "@hookline/ground/system";
import { type Consent, TrustStore } from "@hookline/runtime";
import { hooklineAbove } from "./started-by.ts";

/** Returns why approvals may not change: an agent started this command, or runs in the folder. Otherwise undefined. */
export function trustRefusalHere(
  hooklineHome: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const above = hooklineAbove(hooklineHome, env);
  if (above !== undefined)
    return `Only a person may approve, and this command was started by ${above}. Run it in your own shell, or use /trust on the agent's screen.`;
  const [agent] = agentsAt(hooklineHome, cwd);
  if (agent === undefined) return undefined;
  return `An agent is running in ${plain(agent.cwd)} (${describeOwner(agent.owner)}). Use /trust on its screen, or end it first.`;
}

/** The run in which an approval is requested. */
export interface Approving {
  readonly place: { readonly hooklineHome: string; readonly consent: Consent };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Returns why nothing can be approved in this run; undefined if a person can approve. */
export function trustRefusal({ place, env }: Approving): string | undefined {
  const above = hooklineAbove(place.hooklineHome, env);
  if (above !== undefined) return `Only a person may approve, and this agent was started by ${above}.`;
  if (place.consent instanceof TrustStore) return undefined;
  return "This run's command line decides what it trusts (--trust-project or --frozen). Start without that option to approve.";
}
