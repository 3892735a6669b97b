import { delimiter, resolve } from "node:path";
import { isInProject, projectOf, type Seeker, trustedFolders } from "@hookline/ground/system";

/** The environment, the working folder and the home folder of the process that fetches a package. */
export type Asker = Seeker;

const CERTIFICATES = new Set(["GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSL_CERT", "GIT_SSL_KEY"]);
/** Matches npm's variables that a person may set: registry, proxy, certificate, credential, cache, settings file. */
const NPM_SETTING =
  /^npm_config_(?:registry|proxy|https?[_-]proxy|no[_-]?proxy|ca|cafile|cert|key|strict[_-]ssl|cache|userconfig|@[^:]+:registry|\/\/.+)$/i;
const NPM_FILE = /^npm_config_(?:cafile|userconfig|cache)$/i;
const STARTS_PROGRAMS = new Set(["NODE_OPTIONS", "NODE_PATH", "BASH_ENV", "ENV", "SSH_ASKPASS"]);

/**
 * Returns the environment for npm and git. Leaves out their own variables, except for registries, proxies, certificates
 * and credentials. Also leaves out everything that a project could have set: npm passes its settings, including the
 * project's, to the programs that it starts. `PATH` keeps only folders into which a project cannot have put a program.
 */
export function fetchEnvironment(asker: Asker): Record<string, string> {
  const { env, cwd } = asker;
  const project = projectOf(asker);
  const startedByNpm = env["npm_command"] !== undefined || env["npm_lifecycle_event"] !== undefined;
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || STARTS_PROGRAMS.has(name)) continue;
    if (/^git_/i.test(name) && !CERTIFICATES.has(name)) continue;
    if (/^npm_/i.test(name) && (startedByNpm || !NPM_SETTING.test(name))) continue;
    if (NPM_FILE.test(name) && isInProject(resolve(cwd, value), project)) continue;
    kept[name] = value;
  }
  kept["PATH"] = trustedFolders(asker).join(delimiter);
  return kept;
}
