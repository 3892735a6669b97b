/** Flags of `hookline fleet`. */
export const FLEET_FLAGS = {
  name: { kind: "string", value: "NAME", of: ["fleet init"], help: "the fleet: 1 to 40 of a-z, 0-9 and -" },
  role: {
    kind: "string",
    value: "agent|worker|publisher|auditor|approver",
    of: ["fleet enroll"],
    help: "what the machine may do",
  },
  dir: {
    kind: "string",
    value: "DIR",
    completes: "folder",
    of: ["fleet enroll", "fleet revoke"],
    help: "the folder that `hookline fleet init` made; without it this one",
  },
  creds: { kind: "string", value: "FILE", of: ["fleet join"], help: "the machine's creds file" },
  root: { kind: "string", value: "SHA256", of: ["fleet join"], help: "the SHA-256 of the fleet's root" },
  channel: {
    kind: "string",
    value: "NAME",
    of: ["fleet join", "fleet publish", "fleet serve", "fleet verify"],
    help: "which of the fleet's channels; default stable",
  },
  key: { kind: "string", value: "FILE", completes: "file", of: ["fleet publish"], help: "the key that signs policy" },
  days: {
    kind: "string",
    value: "N",
    of: ["fleet root", "fleet publish"],
    help: "for how long it counts (default: a root 365, a version 90)",
  },
  rollback: { kind: "boolean", of: ["fleet publish"], help: "publish the version before the newest once more" },
  wait: {
    kind: "string",
    value: "N",
    of: ["fleet publish"],
    help: "wait until N workers serve the version; end with 1 if they do not in the time of its rollout",
  },
  reason: { kind: "string", value: "TEXT", of: ["fleet approvals"], help: "what the model is told with the answer" },
  concurrency: { kind: "string", value: "N", of: ["fleet serve"], help: "how many questions at a time; default 16" },
} as const;
