import { basicOf } from "./named.ts";
import { entropyOf, isHarmless, isRandom } from "./value.ts";

/** The range of a secret in a text, and its kind. */
export interface Found {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** A pattern of secrets that is searched around certain words. */
export interface Shape {
  /** The words around which the shape is searched, ignoring case. */
  readonly words: readonly string[];
  find(text: string, start: number, end: number): readonly Found[];
  /** Returns where `find` stops. Words well before that start no search of their own: `find` has covered them. */
  reach?(text: string, end: number): number;
}

const LONGEST_KEY = 16_000;
const LONGEST_LINE = 2_000;

/** Finds all matches in a part of a text; only the range of the first group is the secret. */
function groups(expression: RegExp, text: string, from: number, to: number, kind: string): Found[] {
  const found: Found[] = [];
  for (const match of text.slice(from, to).matchAll(expression)) {
    const value = match[1];
    if (value === undefined || isHarmless(value)) continue;
    const start = from + match.index + match[0].lastIndexOf(value);
    found.push({ kind, start, end: start + value.length });
  }
  return found;
}

function lineEnd(text: string, from: number, most: number = LONGEST_LINE): number {
  const end = text.slice(from, from + most).indexOf("\n");
  return end < 0 ? Math.min(text.length, from + most) : from + end;
}

function lineStart(text: string, at: number, most: number): number {
  const from = Math.max(0, at - most);
  return from + text.slice(from, at).lastIndexOf("\n") + 1;
}

const LABEL =
  /-----BEGIN[ +]([A-Z0-9 +]{0,60}PRIVATE[ +]KEY(?:[ +]BLOCK)?)-----|---- BEGIN (SSH2 ENCRYPTED PRIVATE KEY) ----/y;
/** The header lines of a private key, and the first lines of its body. */
const BODY =
  /(?:\s*[A-Za-z-]{3,20}: ?[^\n]{0,200}\n){0,6}[\s"',+;)]*[A-Za-z0-9+/=]{16,}(?:[\s"',+.;)]{1,80}[A-Za-z0-9+/=]{4,}){0,400}/y;
const DASHES = /[-–—]{4,5} ?END[ +][A-Z0-9 +]{0,60}[-–—]{4,5}/;

/** Finds a private key from its first line to its last, or to the last line of its body. */
function pem(text: string, start: number): readonly Found[] {
  LABEL.lastIndex = start;
  const label = LABEL.exec(text);
  if (label === null) return [];
  BODY.lastIndex = start + label[0].length;
  const body = BODY.exec(text);
  if (body === null || !/[A-Za-z0-9+/=]{16,}\s*$|[A-Za-z0-9+/]{24}/.test(body[0]))
    return keyLines(text, start, start + label[0].length);
  const bodyEnd = BODY.lastIndex;
  const close =
    DASHES.exec(text.slice(bodyEnd, bodyEnd + 120)) ?? DASHES.exec(text.slice(bodyEnd, start + LONGEST_KEY));
  const isNear = close !== null && !/-----BEGIN/.test(text.slice(bodyEnd, bodyEnd + close.index));
  return [{ kind: "private key", start, end: isNear ? bodyEnd + close.index + close[0].length : bodyEnd }];
}

/** Finds a private key whose lines have something before or after them, such as the time in a log. */
function keyLines(text: string, start: number, from: number): readonly Found[] {
  let end = start;
  let others = 0;
  for (let at = from; at < text.length && at < from + 2 * LONGEST_KEY; ) {
    const stop = lineEnd(text, at, LONGEST_KEY);
    const line = text.slice(at, stop);
    const close = DASHES.exec(line);
    const runs = line.slice(0, close?.index).match(/[A-Za-z0-9+/]{30,}/g) ?? [];
    if (runs.some(isRandom)) {
      end = stop;
      others = 0;
    } else if (close === null && ++others > (end === start ? 12 : 4)) break;
    if (close !== null) {
      if (end > start) end = at + close.index + close[0].length;
      break;
    }
    at = stop + 1;
  }
  return end > start ? [{ kind: "private key", start, end }] : [];
}

/** Finds the body of a private key whose first line is not in the text. */
function pemEnd(text: string, start: number, end: number): readonly Found[] {
  const label = /^[A-Z0-9 ]{0,60}PRIVATE KEY(?: BLOCK)?-----/.exec(text.slice(end, end + 90));
  if (label === null) return [];
  const from = Math.max(0, start - LONGEST_KEY);
  const body = /(?:^|\n)((?:[ \t]{0,40}[A-Za-z0-9+/=]{1,100}[ \t]{0,4}\r?\n){1,400})[ \t]{0,40}$/.exec(
    text.slice(from, start),
  );
  const lines = body?.[1];
  return lines === undefined || lines.length < 40
    ? []
    : [{ kind: "private key", start: start - lines.length, end: end + label[0].length }];
}

/** The signatures of the sample tokens in JWT documentation. */
const SAMPLE = /\.(?:SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c|TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ)$/;
const TOKEN =
  /ey[JI][\w-]{8,4000}\.[\w-]{10,8000}(?:\.[\w-]{4,8000})(?:\.[\w-]{4,8000}\.[\w-]{4,8000})?|ey[JI][\w-]{8,4000}\.\.[\w-]{4,8000}\.[\w-]{4,8000}\.[\w-]{4,8000}/y;

function webToken(text: string, start: number): readonly Found[] {
  TOKEN.lastIndex = start;
  const [token] = TOKEN.exec(text) ?? [];
  return token === undefined || SAMPLE.test(token) ? [] : [{ kind: "web token", start, end: start + token.length }];
}

const LOGIN = /:\/\/([^\s/:"'<>`?#]{0,128}):([^\s"'<>`]{1,256})/y;
const TOKEN_LOGIN = /:\/\/([^\s/:@"'<>`?#]{16,512})@([\w.-]{1,100})/y;
const SAMPLE_LOGINS = new Set(
  "user username foo admin root guest test postgres usr me name alice bob someone login u".split(" "),
);
const SAMPLE_WORDS =
  /^(?:p|pw|pwd|pass|passwd|password|pass\w?\d{0,3}|secret|bar|1234?|test|user\w?|postgres|root|admin|guest|x+)$/i;

/** Finds the password of a URL, or a token in its place. */
function login(text: string, start: number): readonly Found[] {
  LOGIN.lastIndex = start;
  const match = LOGIN.exec(text);
  const user = match?.[1] ?? "";
  const rest = match?.[2] ?? "";
  // The last "@" before the path ends the password; a password may itself contain a slash.
  const path = rest.search(/[/?#]/);
  const before = rest.lastIndexOf("@", path < 0 ? rest.length : path);
  const at = before > 0 || path < 0 || user.includes("@") ? before : rest.indexOf("@", path);
  if (match !== null && at > 0) {
    const password = rest.slice(0, at);
    const isSample =
      isHarmless(password) ||
      password === user ||
      (SAMPLE_WORDS.test(password) && (SAMPLE_LOGINS.has(user.toLowerCase()) || user === ""));
    const from = start + match[0].length - rest.length;
    if (!isSample && !/^\d{2,5}(?:\/|$)|^.{1,2}$|^\\/.test(password))
      return [{ kind: "url password", start: from, end: from + at }];
    return [];
  }
  TOKEN_LOGIN.lastIndex = start;
  const [, token = "", host = ""] = TOKEN_LOGIN.exec(text) ?? [];
  // The key in an error reporter's address (DSN) is public.
  if (!isRandom(token) || /ingest|sentry/.test(host)) return [];
  return [{ kind: "url token", start: start + 3, end: start + 3 + token.length }];
}

const COOKIE =
  /(?:^|[;\s"'])((?!(?:path|domain|expires|max-age|samesite|priority)=)[\w.%-]{1,80})=([^;\s"',]{6,4000})/gi;
const SESSION = /sess|sid|auth|token|jwt|login|remember|connect\.|secure|csrf|xsrf/i;

/** Finds values of session cookies in a header. */
function cookies(text: string, _: number, end: number): readonly Found[] {
  const found: Found[] = [];
  for (const match of text.slice(end, lineEnd(text, end, 8_000)).matchAll(COOKIE)) {
    const [whole, name = "", value = ""] = match;
    if (isHarmless(value) || !(isRandom(value) || (SESSION.test(name) && value.length >= 8 && /\d/.test(value))))
      continue;
    const start = end + match.index + whole.length - value.length;
    found.push({ kind: "cookie", start, end: start + value.length });
  }
  return found;
}

/** Finds the credentials after an authentication scheme. */
function credentials(text: string, start: number, end: number): readonly Found[] {
  const [value] = /^[A-Za-z0-9._~+/=:-]{8,4096}/.exec(text.slice(end, end + 4096)) ?? [];
  if (value === undefined || isHarmless(value)) return [];
  const isBasic = /^basic/i.test(text.slice(start, end));
  const password = isBasic ? basicOf(value) : undefined;
  const isSecret = isBasic
    ? password !== undefined && !isHarmless(password)
    : value.length >= 16 && /\d/.test(value) && entropyOf(value) > 3;
  return isSecret
    ? [{ kind: isBasic ? "basic credentials" : "bearer token", start: end, end: end + value.length }]
    : [];
}

/** Words, mostly names of programs, each with an expression whose first group is the password beside it. */
const OPTIONS: readonly (readonly [programs: string, option: RegExp])[] = [
  ["mysql mysqldump mysqladmin mariadb mysqlimport mysqlpump mariadb-dump", /\s["']?-p["']?([^\s"'=-][^\s"']{3,200})/g],
  ["sshpass", /\s-p ?["']?([^\s"']{4,200})/g],
  ["7z 7za 7zz unrar rar", /\s-p["']?([^\s"']{4,200})/g],
  [
    "docker podman helm az oc skopeo crane buildah nerdctl",
    /\slogin\b[^\n|;]{0,300}?\s-p[ =]?["']?([^\s"'-][^\s"']{3,200})/g,
  ],
  ["redis-cli", /\s(?:-a|--pass)[ =]?["']?([^\s"']{4,200})/g],
  ["redis-cli valkey-cli", /\s(?:AUTH|requirepass)\s+(?:\w{1,40}\s+)?["']?([^\s"']{6,200})/g],
  [
    "curl curlie xh etcdctl",
    /\s(?:-[a-zA-Z]{0,8}[uU]|--user|--proxy-user)[ =]?["']?[^\s"':$]{0,128}:([^\s"']{3,200})/g,
  ],
  ["curl curlie", /\s(?:-b|--cookie)[ =]?["']?[\w.-]{1,80}=([^\s"';]{12,2000})/g],
  ["http https xhs", /\s(?:-a|--auth)[ =]?["']?[^\s"':]{0,128}:([^\s"']{3,200})/g],
  ["wget lftp", /\s(?:--password|--http-password|--ftp-password|-u\s[^\s,]{1,80},)[ =]?["']?([^\s"']{4,200})/g],
  ["zip unzip", /\s-P ?["']?([^\s"']{4,200})/g],
  ["ldapsearch ldapadd ldapmodify ldapwhoami ldapdelete", /\s-w ?["']?([^\s"']{4,200})/g],
  ["smbclient net rpcclient smbmap mount.cifs", /\s-U ?["']?[^\s"'%]{1,80}%([^\s"']{4,200})/g],
  ["sqlcmd bcp ipmitool osql mosquitto_pub mosquitto_sub", /\s-P ?["']?([^\s"']{4,200})/g],
  [
    "mongo mongosh mongodump mongorestore mongoimport influx cqlsh rabbitmqadmin svn clickhouse-client couchbase-cli twine",
    /\s(?:-p|--password|-password)[ =]["']?([^\s"'-][^\s"']{3,200})/g,
  ],
  ["openssl", /\s-(?:passin|passout|pass|k|password)\s+["']?(?:pass:)?([^\s"':-][^\s"':]{3,200})(?=["'\s]|$)/g],
  [
    "keytool jarsigner apksigner",
    /\s-{1,2}(?:storepass|keypass|srcstorepass|deststorepass|ks-pass|key-pass)[ =]["']?(?:pass:)?([^\s"']{4,200})/g,
  ],
  ["gpg gpg2", /\s--passphrase[ =]["']?([^\s"']{4,200})/g],
  ["htpasswd", /\s-\w*b\w*\s(?:[^\s-]\S*\s+){2}["']?([^\s"']{4,200})/g],
  ["wpa_passphrase", /\s["']?[^\s"']{1,64}["']?\s+["']?([^\s"']{8,63})/g],
  ["rabbitmqctl", /\s(?:add_user|change_password)\s+\S+\s+["']?([^\s"']{4,200})/g],
  ["xfreerdp rdesktop wlfreerdp", /\s["']?(?:\/p:|-p ?)["']?([^\s"']{4,200})/g],
  ["chpasswd", /["' ][\w.-]{1,64}:([^\s"':]{4,200})["']?\s*\|\s*(?:sudo\s+)?chpasswd/g],
  ["sudo", /(?:echo|printf)\s+(?:-\w+\s+)?["']?([^\s"'|]{4,200})["']?\s*\|\s*sudo\s+-\w*S/g],
  [
    "--password-stdin --passphrase-fd --stdin --with-token cryptsetup",
    /(?:echo|printf)\s+(?:-\w+\s+)?["']?([^\s"'|]{4,200})["']?\s*\|/g,
  ],
  ["sqlplus sqlldr expdp impdp rman", /\s["']?[\w$#]{1,60}\/"?([^\s"'@/]{3,128})"?(?=@|['"]?\s|$)/g],
  ["@tcp( @unix(", /(?:^|["'`\s=])[\w.-]{1,64}:([^\s"'`]{3,128})@(?:tcp|unix)\(/g],
  ["jdbc:oracle:thin", /^:[\w$#]{1,60}\/([^\s"'@/]{3,128})@/g],
  ["vault", /\slogin\s+(?:-\S+\s+)*([\w.-]{16,200})/g],
  ["gh", /\ssecret\s+set\s[^\n|;]{0,200}?\s(?:--body[ =]|-b ?)["']?([^\s"'-][^\s"']{7,400})/g],
  ["mc", /\s(?:alias|config\s+host)\s+(?:set|add)\s+\S+\s+\S+\s+\S+\s+["']?([^\s"']{8,200})/g],
  ["snmpwalk snmpget snmpset snmpbulkwalk", /\s-[AX]\s+["']?([^\s"'-][^\s"']{5,200})/g],
  ["oathtool", /\s["']?([A-Z2-7]{16,128}=*)(?=["'\s]|$)/g],
  ["convertto-securestring", /^(?:\s+-String)?\s+["']([^"'\n]{4,200})["']/gi],
  [
    "networkcredential( usernamepasswordcredentials( passwordauthentication( httpbasicauth( basicauth( auth=( .auth(",
    /^\s{0,40}["'][^"'\n]{1,80}["']\s{0,40},\s{0,40}["'](?=[^"']{0,200}[^A-Za-z"'])([^\s"']{4,200})["']/g,
  ],
  [
    "jwt.sign( jwt.verify( jwt.encode( jwt.decode( hmac.new( createhmac(",
    /^(?:[^\n]{0,200}?,)?\s*b?["'](?!sha|md5|blake)(?=[^"']{0,200}\d)([^\s"']{8,200})["']/g,
  ],
  [
    "identified password",
    /^(?:(?:\s+WITH\s+\w+)?\s+(?:BY|AS)|\s+FOR\s+\S{1,100}\s*=|\s*\()\s*(?:PASSWORD\s*\(?\s*)?N?'([^\s']{4,200})'/gi,
  ],
  ["with", /^\s+(?:ENCRYPTED\s+|LOGIN\s+|SUPERUSER\s+|CREATEDB\s+){0,4}PASSWORD\s*=?\s*N?'([^'\n]{4,200})'/gi],
  [
    "role user",
    /^\s+[\w"]{1,64}\s+(?:WITH\s+)?(?:LOGIN\s+|SUPERUSER\s+|CREATEDB\s+|ENCRYPTED\s+){0,4}PASSWORD\s+'([^'\n]{4,200})'/gi,
  ],
  ["otpauth://", /secret=([A-Za-z2-7]{12,128}=*)/gi],
  ["aws4-hmac-sha256", /Signature=([0-9a-f]{64})/g],
  ["x-amz-signature x-goog-signature", /^(?:=|%3D)([0-9a-f]{40,1024})/gi],
  ["sig=", /^([A-Za-z0-9+/_-]{40,90}(?:={1,2}|(?:%3D){1,2})?)(?![A-Za-z0-9])/gi],
  ["key-pair-id policy=", /(?:^|[?&])Signature=([A-Za-z0-9~_-]{60,700})/g],
  ["awsaccesskeyid", /[?&]Signature=([A-Za-z0-9+/%]{20,60}=?)/g],
  ['"kty"', /"(?:d|k|p|q|dp|dq|qi)"\s{0,8}:\s{0,8}"([\w-]{20,1500})"/g],
  ["private-mac private-lines", /^:\s*(?:\d+\s+)?([A-Za-z0-9+/=\s]{40,4000})/g],
];

const KINDS: Readonly<Record<string, string>> = {
  "otpauth://": "second factor",
  "aws4-hmac-sha256": "signature",
  "x-amz-signature x-goog-signature": "signature",
  "sig=": "signature",
  "key-pair-id policy=": "signature",
  awsaccesskeyid: "signature",
  '"kty"': "signing key",
  "private-mac private-lines": "private key",
};
/** Programs whose password precedes their name. */
const EARLIER = /^(?:chpasswd|sudo|--password-stdin|@tcp)/;
/** Words whose secret may be on the lines around them. */
const AROUND = /^(?:"kty"|key-pair-id|private)/;

const options: readonly Shape[] = OPTIONS.map(([programs, option]) => {
  const isAround = AROUND.test(programs);
  const endOf = (text: string, end: number): number =>
    isAround ? Math.min(text.length, end + 4_000) : lineEnd(text, end);
  const before = EARLIER.test(programs) ? 400 : /^(?:"kty"|key-pair)/.test(programs) ? 3_000 : 0;
  return {
    words: programs.split(" "),
    find(text, start, end) {
      const from =
        before === 0 ? end : programs === '"kty"' ? Math.max(0, start - before) : lineStart(text, start, before);
      return groups(option, text, from, endOf(text, end), KINDS[programs] ?? "password");
    },
    // An expression with `^` matches only right after a word, so its search covers no later word.
    ...(!option.source.startsWith("^") && { reach: endOf }),
  };
});

/** Finds the values of a Kubernetes secret. */
function clusterSecret(text: string, start: number): readonly Found[] {
  const stop = text.indexOf("\n---", start);
  const to = Math.min(stop < 0 ? text.length : stop, start + 20_000);
  const begin = text.lastIndexOf("\n---", start);
  const from = Math.max(begin < 0 ? 0 : begin, start - 20_000);
  const found: Found[] = [];
  for (const block of text
    .slice(from, to)
    .matchAll(/(?:^|\n)([ \t]{0,20})"?(?:data|stringData)"?:[ \t{]*\r?\n((?:\1[ \t]+[^\n]{1,8000}(?:\n|$)){1,200})/g)) {
    const lines = block[2] as string;
    const at = from + block.index + block[0].length - lines.length;
    found.push(
      ...groups(
        /^[ \t]{0,30}"?[\w.-]{1,100}"?:[ \t]{1,4}["']?([A-Za-z0-9+/=_!@#$%^&*.-]{4,8000})/gm,
        lines,
        0,
        lines.length,
        "cluster secret",
      ).map(({ kind, start: a, end: b }) => ({ kind, start: at + a, end: at + b })),
    );
  }
  for (const block of text.slice(from, to).matchAll(/"(?:data|stringData)":\s{0,8}\{([^{}\n]{1,16000})\}/g)) {
    const at = from + block.index + block[0].length - 1 - (block[1] as string).length;
    const values = /"[\w.-]{1,100}":\s{0,8}"([^"\s]{4,8000})"/g;
    found.push(...groups(values, text, at, at + (block[1] as string).length, "cluster secret"));
  }
  return found;
}

/** Finds the secret access key beside an AWS key id. */
function besideId(text: string, _: number, end: number): readonly Found[] {
  return groups(
    /(?<![A-Za-z0-9+/=])([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/g,
    text,
    end + 16,
    end + 300,
    "aws secret key",
  ).filter(
    ({ start, end: stop }) => isRandom(text.slice(start, stop)) && !/^[0-9a-f]{40}$/.test(text.slice(start, stop)),
  );
}

/** Finds the password in a line of PostgreSQL's password file. */
function passwordLine(text: string, start: number): readonly Found[] {
  const from = lineStart(text, start, 300);
  return groups(
    /^[\w.*-]{1,255}:(?:\d{2,5}|\*):[\w*-]{1,64}:[\w*.-]{1,64}:([^\s:]{4,256})$/g,
    text,
    from,
    lineEnd(text, start),
    "password",
  );
}

/** Finds a wallet's recovery phrase, which needs no quotes. */
function walletWords(text: string, _: number, end: number): readonly Found[] {
  return groups(
    /^["']?\s{0,3}[:=]\s{0,3}["']?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})\b/g,
    text,
    end,
    end + 260,
    "wallet words",
  );
}

/** Patterns of secrets that are recognised by more than a key's prefix or a variable's name. */
export const SHAPES: readonly Shape[] = [
  { words: ["-----begin", "---- begin ssh2"], find: pem },
  { words: ["-----end "], find: pemEnd },
  { words: ["eyj", "eyi"], find: webToken },
  { words: ["://"], find: login },
  { words: ["cookie:", "cookie=", "document.cookie"], find: cookies, reach: (text, end) => lineEnd(text, end, 8_000) },
  { words: ["bearer ", "basic "], find: credentials },
  {
    words: ["kind: secret", 'kind": "secret', 'kind":"secret'],
    find: clusterSecret,
    reach: (text, end) => Math.min(text.length, end + 20_000),
  },
  { words: ["akia", "asia"], find: besideId },
  { words: ["mnemonic", "seed phrase", "seed_phrase", "recovery phrase", "seed words"], find: walletWords },
  { words: [":5432:", ":3306:", ":6432:", ":*:"], find: passwordLine },
  ...options,
];
