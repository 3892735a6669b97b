import { globOf, globSource, unbraced } from "@hookline/runtime/command";

/** Globs of secret files: names, ends of paths, or paths in the root folder (`/`) or the home folder (`~`). */
const SECRET = (
  "~/.ssh ~/.aws ~/.gnupg ~/.kube ~/.azure ~/.docker ~/.password-store ~/.config/gcloud " +
  ".env .env.* .env-* .env~ *.env .envrc .dev.vars .secret .secrets .netrc _netrc .authinfo .pgpass .my.cnf .mylogin.cnf .git-credentials .pypirc .htpasswd " +
  ".dockercfg .s3cfg .boto .vault-token .terraformrc .rhosts .Xauthority .msmtprc .fetchmailrc .wgetrc .smbcredentials .credentials .credentials.json " +
  "id_rsa id_dsa id_ecdsa id_ed25519 id_rsa_* id_ed25519_* *_rsa *_ed25519 *_ecdsa *.pem *.key *.ppk *.p12 *.pfx *.jks *.keystore *.kdbx *.keytab *.p8 *.ovpn " +
  "*.age-key *.agekey *.asc.key *.tfstate *.tfstate.backup *.keychain *.keychain-db secring.* credentials.json credentials.yml credentials.yaml " +
  "credentials.toml credentials.xml *credentials*.json client_secret*.json service-account*.json service_account*.json *serviceaccount*.json " +
  "*firebase-adminsdk*.json gcp-key*.json gcloud-key*.json sa-key*.json secrets.json secrets.yml secrets.yaml secrets.toml secrets.env " +
  "secret.json secret.yml secret.yaml *.secret *.secrets *.secrets.yml *.secrets.yaml *-secrets.yml *-secrets.yaml *-secret.yaml *-secret.yml *.secret.json secrets.tfvars *.secret.tfvars " +
  "terraform.tfvars *.auto.tfvars local.settings.json master.key production.key development.key .pypirc auth.json cookies.txt cookies.sqlite key3.db key4.db logins.json " +
  "wallet.dat keystore.json vault-password vault_pass .vault_pass .vault-pass* vault_pass.txt *.vault_pass " +
  ".bash_history .zsh_history .psql_history .mysql_history .node_repl_history .python_history " +
  "~/.npmrc ~/.yarnrc.yml ~/.config/gh/hosts.yml .config/hub .config/glab-cli/config.yml .config/doctl/config.yaml .config/rclone/rclone.conf rclone.conf " +
  ".aws/credentials .aws/sso/cache/* .aws/cli/cache/* .azure/*.json .azure/msal_token_cache* .config/gcloud/*.db .config/gcloud/*credentials* .config/gcloud/legacy_credentials/** " +
  ".kube/config kubeconfig *.kubeconfig admin.conf .docker/config.json .ssh/id_* .ssh/*_key .ssh/*.pem .ssh/identity ssh_host_*_key .ssh/* .gnupg/** .password-store/** " +
  ".cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .m2/settings-security.xml ~/.gradle/gradle.properties .nuget/NuGet.Config " +
  ".terraform.d/credentials.tfrc.json .pulumi/credentials.json .config/op/** .config/sops/age/keys.txt .age/** .claude/.credentials.json .codex/auth.json " +
  ".config/hookline/auth.json .hookline/auth.json .local/share/opencode/auth.json .streamlit/secrets.toml .snowsql/config .databrickscfg .config/heroku/** .netlify/config.json .vercel/auth.json .fly/config.yml " +
  ".config/configstore/firebase-tools.json .config/stripe/config.toml .circleci/cli.yml .travis/config.yml .oci/*.pem .oci/config .bluemix/config.json .kaggle/kaggle.json " +
  ".huggingface/token .cache/huggingface/token .cache/huggingface/stored_tokens .openai/** Library/Keychains/** .local/share/keyrings/** Cookies Login?Data Local?State " +
  "/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers.d/*secret* /etc/wireguard/** /etc/ssl/private/** /etc/krb5.keytab /etc/rancher/k3s/k3s.yaml /etc/kubernetes/** /etc/ppp/*-secrets /etc/ipsec.secrets " +
  "/proc/*/environ /run/secrets/** /var/run/secrets/** wg*.conf"
).split(" ");

/** Globs of files that look secret but contain no secrets. */
const OPEN = (
  "*.pub *.example *.sample *.template *.tmpl *.dist *.defaults *.default *.schema *.md *.enc *.gpg *.age *.sops *.sealed .env.vault *.d.ts *.lock " +
  "*.example.* *.sample.* *.template.* example.env sample.env template.env *example*.env .env-example .env-sample .env-template .ssh/config .ssh/known_hosts .ssh/known_hosts.old .ssh/authorized_keys .ssh/*.pub " +
  "cacert.pem ca.pem ca-*.pem *ca-bundle* *cert*.pem *chain*.pem *.crt.pem *pub*.pem *public*.pem *.pub.pem roots.pem root.pem *public*.key *.pub.key dhparam*.pem ca-certificates* " +
  ".gnupg/pubring.* .gnupg/trustdb.gpg .gnupg/gpg.conf .gnupg/gpg-agent.conf /etc/kubernetes/manifests/** *.azure/config"
).split(" ");

/** Whether a path matches a list of files. */
export type PathTest = (path: string) => boolean;

/** Makes a test from globs: names match in any folder, paths match the end of a path, and `~` is the home. */
export function pathTest(globs: readonly string[]): PathTest {
  const names: string[] = [];
  const paths: string[] = [];
  for (const glob of globs) (glob.includes("/") ? paths : names).push(regexOf(glob));
  const name = new RegExp(`^(?:${names.join("|") || "$^"})$`, "iu");
  const path = new RegExp(`(?:${paths.join("|") || "$^"})$`, "iu");
  return (one) => name.test(one.slice(one.lastIndexOf("/") + 1)) || path.test(one.startsWith("/") ? one : `/${one}`);
}

function regexOf(glob: string): string {
  const source = globSource(glob.replace(/^~\//, ""));
  if (!glob.includes("/")) return source;
  if (glob.startsWith("~/"))
    return `^(?:~|\\$HOME|\\$\\{HOME\\}|/root|/home/[^/]+|/Users/[^/]+)/${source}`.replace("^(?:~", "^/?(?:~");
  return glob.startsWith("/") ? `^${source}` : `/${source}`;
}

/** A person's settings for secret files. */
export interface FileSettings {
  /** Globs of additional secret files. */
  readonly files?: readonly string[];
  /** Globs of files that may be read. */
  readonly allowFiles?: readonly string[];
}

/** Makes the test for secret files. */
export function secretFiles({ files = [], allowFiles = [] }: FileSettings = {}): PathTest {
  const secret = pathTest(SECRET);
  const open = pathTest(OPEN);
  const own = pathTest(files);
  const allowed = pathTest(allowFiles);
  return (path) => {
    const plain = normal(path);
    return !allowed(plain) && (own(plain) || (secret(plain) && !open(plain)));
  };
}

/** Removes parts of a path that have no effect, such as `./`. */
function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.replace(/^file:\/\//, "").split("/")) {
    if (part === "." || (part === "" && parts.length > 0)) continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== ".." && parts.at(-1) !== "") parts.pop();
    else parts.push(part);
  }
  return parts.join("/");
}

/** Example names of secret files: a shell pattern that matches one may name a secret file. */
const TRIED =
  ".env .env.local .env.production .envrc .netrc .pgpass .git-credentials .npmrc id_rsa id_ed25519 server.key key.pem credentials credentials.json secrets.yml config hosts.yml environ shadow".split(
    " ",
  );

/** Example folders of secret files: a shell pattern whose folder part matches one may name a secret file. */
const HOME_FOLDERS =
  "~/.ssh/ ~/.aws/ ~/.gnupg/ ~/.kube/ ~/.azure/ ~/.docker/ ~/.password-store/ ~/.config/gcloud/".split(" ");

/** Whether a shell or a search may expand a pattern to a secret file. */
export function mayMatchSecret(pattern: string, isSecret: PathTest): boolean {
  return (unbraced(pattern) ?? [pattern]).some((one) => mayBeSecret(one, isSecret));
}

/** Does so for a pattern without braces. */
function mayBeSecret(pattern: string, isSecret: PathTest): boolean {
  const at = pattern.lastIndexOf("/") + 1;
  const [folder, name] = [pattern.slice(0, at), pattern.slice(at)];
  const [inFolder, fits] = [globOf(folder), globOf(name)];
  const anywhere = folder.replaceAll(/[^/]*[*?[][^/]*/g, "1");
  const folders = [anywhere, ...HOME_FOLDERS.filter((one) => inFolder.test(one))];
  // In a shell, a leading `*` matches no name that begins with a dot.
  const names = TRIED.filter((one) => fits.test(one) && !(one.startsWith(".") && /^[*?[]/.test(name)));
  return folders.some(
    (place) =>
      names.some((one) => isSecret(place + one)) && (name !== "*" || /\.(?:ssh|aws|gnupg|kube|docker)\/$/.test(place)),
  );
}
