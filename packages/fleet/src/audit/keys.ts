import { keyIn } from "../policy/machine.ts";
import type { FleetPart } from "../sign/creds.ts";
import { readToken } from "../sign/token.ts";
import type { KeyOf } from "./verify.ts";

/**
 * Returns the keys of the machines that were enrolled to keep decisions. A token counts if the fleet's key for agents
 * or workers has signed it for this machine; a token does not show whether it was revoked later.
 */
export function enrolledKeys({ account, signers }: Pick<FleetPart, "account" | "signers">): KeyOf {
  return (machine, text) => {
    const token = readToken(text);
    const isEnrolled = token?.account === account && [signers.agent, signers.worker].includes(token.iss);
    return isEnrolled && token.name === machine ? keyIn(text) : undefined;
  };
}
