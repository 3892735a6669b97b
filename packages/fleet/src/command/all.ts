import type { FleetArgs, FleetIo } from "./io.ts";

type FleetCommand = (args: FleetArgs, io: FleetIo) => Promise<number>;

/** The subcommands of `hookline fleet`, by their names; each is loaded when it is called. */
export const FLEET_COMMANDS: Readonly<Record<string, () => Promise<FleetCommand>>> = {
  dev: async () => (await import("./dev.ts")).devFleet,
  init: async () => (await import("./authority.ts")).initFleet,
  enroll: async () => (await import("./authority.ts")).enrollMachine,
  revoke: async () => (await import("./authority.ts")).revokeMachine,
  join: async () => (await import("./join.ts")).joinFleet,
  leave: async () => (await import("./join.ts")).leaveFleet,
  status: async () => (await import("./status.ts")).fleetStatus,
  approvals: async () => (await import("./approvals.ts")).fleetApprovals,
  root: async () => (await import("./root.ts")).fleetRoot,
  publish: async () => (await import("./publish.ts")).publishPolicy,
  verify: async () => (await import("./publish.ts")).verifyPolicy,
  audit: async () => (await import("./audit.ts")).auditFleet,
  serve: async () => (await import("./serve.ts")).serveFleet,
};
