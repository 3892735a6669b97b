/** The parts of a fleet that an agent uses: remote hooks, the spool of decisions, and people who may approve. */
export { type AskedCall, type RemoteAnswer, RemoteApprovers } from "./approval/remote-approvers.ts";
export { auditorOf, readDecisions } from "./audit/auditor.ts";
export type { Collected, Collection } from "./audit/collect.ts";
export { followDecisions, type Heard } from "./audit/follow.ts";
export { recordingsIn } from "./audit/recordings.ts";
export { leftOutText } from "./audit/verify.ts";
export { FLEET_COMMANDS } from "./command/all.ts";
export { FleetUsage } from "./command/io.ts";
export { findFleet, keptPolicy, waitingIn, waitingText } from "./command/state.ts";
export { fleetDialect } from "./lane/dialect.ts";
export { CountedLink } from "./link/counted.ts";
export { type Access, access, type Membership, membership } from "./place/joined.ts";
export { type Decisions, openDecisions } from "./spool/decisions.ts";
export { keptRoot } from "./store/trusted.ts";
