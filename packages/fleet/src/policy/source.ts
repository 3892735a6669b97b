import { existsSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { filesBelow, readFile } from "./folder.ts";
import { sha256 } from "./key.ts";
import { choiceEntries, MAY, type Manifest, ruleSchema } from "./manifest.ts";
import { nameSchema } from "./names.ts";
import { Refused } from "./refused.ts";
import { countSchema, readStrict } from "./strict.ts";

/** The file in a folder with the rules for its hooks. */
export const SOURCE = "manifest.json";

/** The contents of a publication: the author's part of a manifest, and the bytes of its files. */
export interface PolicySource {
  readonly choices: Pick<Manifest, "files" | "hooks" | "onStale" | "rollout" | "audit">;
  /** The fleet and the channel to publish to, if the folder names them. */
  readonly fleet?: string;
  readonly channel?: string;
  /** The files' bytes by SHA-256. */
  readonly blobs: ReadonlyMap<string, Buffer>;
}

const { onStale, rollout, audit } = choiceEntries();
const rule = ruleSchema().entries;
const schema = v.strictObject({
  v: v.literal(1),
  fleet: v.exactOptional(nameSchema()),
  channel: v.exactOptional(nameSchema()),
  /** The version, which is ignored: publishing numbers versions itself. */
  version: v.exactOptional(countSchema()),
  hooks: v.array(
    v.strictObject({
      ...rule,
      events: v.optional(rule.events, []),
      may: v.optional(rule.may, () => MAY.slice(0, 2)),
      needs: v.optional(rule.needs, () => ["tool", "args"]),
      onFailure: v.optional(rule.onFailure, "closed"),
      idempotent: v.optional(rule.idempotent, false),
    }),
  ),
  onStale: v.optional(onStale, "keep"),
  rollout: v.optional(rollout, { maxMs: 600_000 }),
  audit: v.optional(
    v.strictObject({
      level: v.optional(audit.entries.level, "decisions"),
      required: v.optional(audit.entries.required, false),
    }),
    {},
  ),
});

/** Reads a folder that is to be published; throws `Refused` for anything that no agent would accept. */
export function readSource(folder: string): PolicySource {
  const path = join(folder, SOURCE);
  if (!existsSync(path))
    throw new Refused("missing", `${path} is missing; it lists the hooks: {"v":1,"hooks":[{"file","where","events"}]}`);
  const {
    v: _,
    version: __,
    fleet,
    channel,
    ...choices
  } = readStrict(readFile(folder, SOURCE), schema, {
    what: path,
    maxBytes: 512 * 1024,
  });
  const blobs = new Map<string, Buffer>();
  const found = filesBelow(folder, { what: folder, leaves: true }).filter((file) => file.path !== SOURCE);
  const files = found.map((file) => {
    const bytes = readFile(folder, file.path);
    const hash = sha256(bytes);
    blobs.set(hash, bytes);
    return {
      path: file.path,
      sha256: hash,
      bytes: bytes.length,
      ...(file.executable && { executable: true as const }),
    };
  });
  return {
    choices: { files, ...choices },
    blobs,
    ...(fleet !== undefined && { fleet }),
    ...(channel !== undefined && { channel }),
  };
}
