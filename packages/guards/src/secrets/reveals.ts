/** A command that prints secrets that are in no file of the project. */
export interface Reveal {
  /** The program and its subcommands. */
  readonly path: readonly string[];
  /** Matches the words after `path`, joined by blanks, if the call prints secrets; absent if it always does. */
  readonly only?: RegExp;
  /** Matches the words after `path` if the call prints no secrets. */
  readonly unless?: RegExp;
  /** A way to show only the names, or to use the secret without showing it. */
  readonly instead?: string;
}

type Row = readonly [paths: string, more?: Omit<Reveal, "path">];

/** Commands that print secrets. Source: the programs' own manuals, November 2026. */
const ROWS: readonly Row[] = [
  [
    "docker inspect, docker container inspect, podman inspect, podman container inspect, nerdctl inspect",
    {
      unless: /(?:-f|--format)[ =]?(?!.*(?:Env|Config|json \.))|--type[ =](?:image|network|volume)/,
      instead: "docker inspect --format '{{.State.Status}}' NAME",
    },
  ],
  [
    "docker compose config, docker-compose config, podman compose config",
    { unless: /--(?:services|volumes|images|profiles|networks|hash|no-interpolate)\b|-q\b|--quiet/ },
  ],
  ["podman secret inspect", { only: /--showsecret/ }],
  [
    "curl, wget, http, https, xh",
    {
      only: /169\.254\.(?:169\.254|170\.2)\/\S*(?:security-credentials\/\S|user-data|oauth2\/token|credentials)|metadata\.google\.internal\/\S*(?:token|identity|ssh-keys)/,
    },
  ],
  [
    "kubectl get, oc get, k get",
    {
      only: /(?:^|[ ,/])secrets?\b(?=.*(?:-o|--output)(?![ =]?(?:name|wide)))/,
      instead: "kubectl describe secret NAME",
    },
  ],
  ["kubectl config view, oc config view", { only: /--raw|--flatten/ }],
  ["kubectl create token, oc create token, oc sa get-token, oc serviceaccounts get-token"],
  ["oc whoami", { only: /(?:^| )-t|--show-token/ }],
  ["oc extract", { only: /secret/ }],
  ["helm get values, helm get all, helm get manifest", { only: /secret|-a\b|--all/ }],
  ["aws secretsmanager get-secret-value, aws secretsmanager batch-get-secret-value"],
  [
    "aws ssm get-parameter, aws ssm get-parameters, aws ssm get-parameters-by-path, aws ssm get-parameter-history",
    { only: /--with-decryption/ },
  ],
  ["aws configure get", { only: /secret|token|(?:^| )\S*key/ }],
  [
    "aws configure export-credentials, aws sts get-session-token, aws sts assume-role, aws sts assume-role-with-web-identity, aws sts get-federation-token, aws ecr get-login-password, aws ecr get-login, aws ecr get-authorization-token, aws codeartifact get-authorization-token, aws iam create-access-key, aws kms decrypt, aws rds generate-db-auth-token, aws cognito-idp describe-user-pool-client, aws lightsail get-relational-database-master-user-password, aws ec2 get-password-data, aws sso get-role-credentials",
  ],
  [
    "gcloud auth print-access-token, gcloud auth print-identity-token, gcloud auth application-default print-access-token, gcloud secrets versions access, gcloud config config-helper, gcloud auth print-refresh-token, gcloud sql generate-login-token",
  ],
  [
    "az account get-access-token, az keyvault secret show, az keyvault secret download, az keyvault key download, az storage account keys list, az storage account show-connection-string, az acr credential show, az ad sp create-for-rbac, az ad app credential reset, az cosmosdb keys list, az cosmosdb list-keys, az functionapp keys list, az functionapp config appsettings list, az webapp config appsettings list, az webapp config connection-string list, az redis list-keys, az servicebus namespace authorization-rule keys list, az eventhubs namespace authorization-rule keys list, az iot hub connection-string show, az cognitiveservices account keys list, az search admin-key show, az webapp deployment list-publishing-credentials, az webapp deployment list-publishing-profiles",
  ],
  ["az aks get-credentials", { only: /(?:-f|--file)[ =]-(?: |$)/ }],
  ["gh auth token, glab auth token", { instead: "gh auth status" }],
  ["gh auth status, glab auth status", { only: /(?:^| )-t|--show-token/ }],
  ["glab config get", { only: /token/ }],
  [
    "heroku config, heroku config:get, heroku auth:token, heroku pg:credentials:url, heroku authorizations:create",
    { unless: /\b(?:NODE_ENV|RAILS_ENV|PORT)$/ },
  ],
  ["vercel env pull, netlify env:get, netlify env:list", { only: /\/dev\/stdout|--plain|--json|^[A-Z_]+$/ }],
  [
    "fly auth token, flyctl auth token, railway variables, railway variable list, render env list, eb printenv, cf env, cf service-key, cf oauth-token",
  ],
  [
    "doppler secrets, doppler secrets get, doppler secrets download, doppler configure get token",
    { unless: /--only-names|^(?:set|delete|upload|substitute)\b/, instead: "doppler secrets --only-names" },
  ],
  [
    "vault kv get, vault read, vault print token, vault token create, vault unwrap, vault login, bao kv get, bao read",
    { unless: /-field=(?:version|created_time)|^(?:sys|auth)\//, instead: "vault kv list PATH" },
  ],
  [
    "op read, op item get, op document get, op inject, op signin, op get item",
    { unless: /-o |--out-file/, instead: "op run -- COMMAND" },
  ],
  ["op run", { only: /--no-masking/ }],
  [
    "bw get, bw list items, bw export, bw unlock, bws secret get, bws secret list, rbw get, lpass show, lpass export, gopass show, keepassxc-cli show, keepassxc-cli export, keepassxc-cli clip, keeper get, dashlane password, dcli password",
  ],
  [
    "pass show, pass",
    {
      unless:
        /^(?:ls|list|find|search|init|insert|add|edit|generate|rm|remove|delete|mv|rename|cp|copy|git|help|version|-c|--clip|$)/,
      instead: "pass ls",
    },
  ],
  [
    "security find-generic-password, security find-internet-password, security dump-keychain, security export, security find-key",
  ],
  [
    "secret-tool lookup, secret-tool search, kwallet-query, keyctl print, keyctl read, keyctl pipe, keyring get, chezmoi secret, lssecret, cmdkey",
  ],
  [
    "git credential, git credential-store, git credential-osxkeychain, git credential-manager, git credential-cache, git credential-libsecret, git-credential-store, git-credential-osxkeychain, git-credential-manager",
    { only: /(?:^| )(?:fill|get)\b/ },
  ],
  ["git config", { only: /extraheader|(?:^| )\S*(?:token|password)/ }],
  [
    "gpg, gpg2",
    {
      only: /--export-secret|--export-secret-subkeys|(?:^| )(?:-d|--decrypt)\b/,
      unless: /(?:^| )(?:-o|--output)[ =]?\S+.*\s(?:-d|--decrypt)/,
    },
  ],
  [
    "sops",
    {
      only: /(?:^| )(?:-d|--decrypt|decrypt)\b/,
      unless: /(?:^| )(?:-i|--in-place|exec-env|exec-file)\b/,
      instead: "sops exec-env FILE COMMAND",
    },
  ],
  ["ansible-vault view, ansible-vault decrypt", { instead: "ansible-playbook --vault-id" }],
  ["age", { only: /(?:^| )(?:-d|--decrypt)\b/, unless: /(?:^| )(?:-o|--output)\b/ }],
  [
    "ejson decrypt, secrethub read, credstash get, credstash getall, chamber read, chamber export, chamber env, aws-vault export, teller env, teller show, teller yaml, infisical secrets, infisical export, dotenvx get, dotenvx decrypt, dotenv list, dotenv get, akeyless get-secret-value, conjur variable get, summon cat, nomad var get, berglas access, kubeseal --recovery-unseal",
  ],
  [
    "terraform output, tofu output",
    { only: /-(?:json|raw)\b/, unless: /-raw \w*(?:url|host|id|name|arn|ip|port|region|endpoint|address)$/ },
  ],
  ["terraform show, tofu show", { only: /-json/ }],
  ["terraform state pull, tofu state pull, terraform console"],
  [
    "pulumi config, pulumi config get, pulumi stack output, pulumi stack export",
    { only: /--show-secrets|(?:token|password|secret|key)$/i },
  ],
  ["npm config get, pnpm config get, yarn config get, npm config list", { only: /_auth|_password|npmAuthToken/i }],
  ["npm token create, yarn npm whoami --token"],
  ["rails credentials:show, rails secrets:show, rails encrypted:show, rails credentials:diff"],
  ["wp config get, wp config list", { only: /PASSWORD|KEY|SALT|^$/ }],
  [
    "firebase functions:config:get, firebase functions:secrets:access, firebase login:ci, supabase projects api-keys, stripe config, wrangler secret get, eas env:list, expo env:list, shopify app env show, ngrok config check, databricks secrets get-secret, databricks auth token, databricks tokens create, snowsql -o, modal token, minikube kubectl token, argocd account generate-token, argocd admin initial-password, circleci context show, tailscale lock, kubelogin get-token, aws-iam-authenticator token, cloudflared access token, tsh request show, boundary authenticate, consul acl token, snyk config get, sentry-cli info --config",
  ],
  ["redis-cli", { only: /config get (?:requirepass|masterauth|\*)/i }],
  ["systemctl show-environment, launchctl export"],
  [
    "ps",
    {
      only: /(?:^| )(?:-?[a-zA-Z]*e[a-zA-Z]*ww|[auxwf]*e[auxwf]*|-E|-[a-z]*E[a-z]*|eww|auxe\w*|axe\w*)(?: |$)/,
      unless: /(?:^| )-(?:ef|e|eo|eLf|Af|aux|ef\w*)\b/,
    },
  ],
  [
    "openssl rsa, openssl ec, openssl pkey, openssl dsa, openssl pkcs12, openssl pkcs8",
    { unless: /-pubout|-pubin|-check\b.*-noout|-noout|-modulus|-export|-nokeys|-out\b|-genkey|-new\b/ },
  ],
  ["ssh-keygen", { only: /(?:^| )-e\b.*-m.*private/i }],
  ["history, fc -l", { unless: /(?:^| )-[cdw]/ }],
];

/** The commands that print secrets, one row for each program and subcommand. */
export const REVEALS: readonly Reveal[] = ROWS.flatMap(([paths, more]) =>
  paths.split(/, ?/).map((path) => ({ path: path.split(" "), ...more })),
);

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Programs that show the content of their files or their input. */
export const READERS = set(
  "cat tac head tail less more most bat batcat ccat lolcat nl sort uniq cut paste join diff sdiff colordiff icdiff delta comm strings xxd od hexdump hd hexyl base64 base32 " +
    "basenc grep egrep fgrep zgrep rg ag ack ugrep sed gsed awk gawk mawk nawk jq yq dasel column fold fmt pr expand unexpand rev tr dd view look shuf split csplit pv mlr xsv csvcut iconv " +
    "pygmentize glow highlight zcat gzip xz bzip2 zstd tar gtar bsdtar zip 7z cp mv ln install gcp gln rsync scp sftp nc ncat netcat socat mail mutt mailx sendmail qrencode uuencode " +
    "pastebinit wormhole croc gist ix perl ruby envsubst xmllint tee ex ed busybox toybox source-highlight cpio ar curl wget http https xh aria2c lftp ftp tftp pbcopy xclip xsel wl-copy " +
    "clip.exe type Get-Content gc mapfile readarray sqlite3 openssl gsutil rclone s3cmd s5cmd mc magic-wormhole asciinema vim vi nvim nano emacs code figlet cowsay crontab " +
    "wall write logger mosquitto_pub telnet",
);
/** Subcommands that show, copy or send files. */
export const READING_COMMANDS: readonly (readonly string[])[] = (
  "git show,git cat-file,git blame,git annotate,git grep,git diff,git log,git archive,git stash show,git hash-object,aws s3 cp,aws s3 sync,aws s3 mv,aws s3api put-object," +
  "gcloud storage cp,gcloud compute scp,az storage blob upload,gh gist create,gh release upload,gh api,kubectl cp,docker cp,podman cp,glab snippet create,npx envinfo,npm publish"
)
  .split(",")
  .map((path) => path.split(" "));
/** Programs that send what they read to other machines. */
export const SENDERS = set(
  "curl wget http https xh aria2c nc ncat netcat socat telnet dig nslookup host drill ping ftp tftp lftp sftp scp rsync mail mutt mailx sendmail pastebinit wormhole croc gist ix gsutil rclone s3cmd s5cmd mc magic-wormhole mosquitto_pub ssh",
);
/** Programs that read a secret as input and do not show it. */
export const TAKERS = set(
  "docker podman buildah skopeo helm kubectl oc ssh-add gh glab vercel fly flyctl heroku wrangler netlify npm npx cargo twine gcloud az vault op kubeseal sops age gpg openssl read mapfile readarray export declare set source . eval sudo psql mysql sha256sum sha1sum sha512sum md5sum md5 shasum b2sum cksum sum wc crane true cmp stat test [ [[ git node python python3 deno bun ruby ssh-keygen pbcopy xclip wl-copy supabase firebase railway doppler eas systemd-creds secret-tool security pass expect chpasswd passwd cryptsetup",
);
/** Programs that print their arguments. */
export const PRINTERS = set("echo printf print cat tee say wall figlet cowsay less more head tail sed awk grep");
