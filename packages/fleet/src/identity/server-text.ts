import { join } from "node:path";

/** Returns `server.conf`, which `fleet init` writes; people may change its address or add TLS. */
export function serverText(folder: string, fleet: string): string {
  return `# The NATS server of the fleet ${fleet}. Start it with: nats-server -c ${join(folder, "server.conf")}
# Other machines may reach it only with TLS: https://docs.nats.io/running-a-nats-service/configuration/securing_nats/tls
listen: "127.0.0.1:4222"
server_name: ${JSON.stringify(fleet)}
pid_file: ${JSON.stringify(join(folder, "nats.pid"))}
max_payload: 1048576
jetstream {
  store_dir: ${JSON.stringify(join(folder, "jetstream"))}
  max_file_store: 10737418240
}
# Rewritten by \`hookline fleet enroll\` and \`hookline fleet revoke\`.
include "trust.conf"
`;
}

/** The keys and tokens that the servers of a fleet trust. */
export interface Trust {
  readonly operator: string;
  readonly system: { readonly key: string; readonly token: string };
  readonly account: { readonly key: string; readonly token: string };
}

/** Returns the part of a server's configuration with the keys and tokens that it trusts. */
export function trustText({ operator, system, account }: Trust): string {
  return `operator: ${operator}
system_account: ${system.key}
resolver: MEMORY
resolver_preload: {
  ${system.key}: ${system.token}
  ${account.key}: ${account.token}
}
`;
}
