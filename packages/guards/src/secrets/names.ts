/** How clearly a name marks its value as secret. `weak`: the value may also be, for instance, the key of a table. */
export type Strength = "password" | "secret" | "weak";

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const PASSWORDS = set(
  "password passwd passphrase passcode passwort kennwort passe senha pwd pass pw psk userpass dbpass storepass keypass requirepass masterauth",
);
const SECRETS = set(
  "secret secrets token apikey credential credentials creds accesskey secretkey privatekey authkey authtoken accesstoken " +
    "refreshtoken clientsecret signingkey encryptionkey masterkey accountkey sharedaccesskey jwt mnemonic bearer appsecret",
);
const WEAK = set(
  "key auth authorization dsn cookie session sessionid sessid sid salt pepper seed sig signature hmac webhook totp otp mfa 2fa pat jsessionid phpsessid",
);

/** Words before `key` that make the name secret, and (`OTHER_KEYS`) words that make it harmless. */
const SECRET_KEYS = set(
  "api access secret private auth encryption signing master service account storage shared admin license session hmac crypto " +
    "webhook deploy app application jwt token client consumer subscription server crypt cipher aes sign decrypt recovery setup secure",
);
const OTHER_KEYS = set(
  "public pub publishable primary foreign cache sort partition idempotency object translation row group map lookup index unique " +
    "host trust ssh gpg pgp recv send list socket dedupe routing event shortcut hot arrow i18n message locale query state storage-name sort the this any " +
    "data json config search hash range composite natural surrogate candidate site measurement write-only",
);
const OTHER_TOKENS = set(
  "page next prev previous continuation cursor sync max min num total stop pad eos bos special mask unk cls sep start end design theme input output prompt completion invalid",
);
const OTHER_PASSES = set("first second third next render shader single one two multi tests by com");

/** Words at the end of a name that do not change its meaning, such as `base64` or `prod`. */
const TAILS = set(
  "value val string str text plain plaintext b 64 base64 b64 encoded raw default live prod production dev development test testing staging stage old new " +
    "current previous primary secondary v base confirmation confirm env main eu us west east global header hex local ci hash2 ident",
);
/** Words that show that a name has no secret, such as `public` or `hash`. */
const OPEN = set(
  "public pub publishable hash hashed encrypted digest checksum fingerprint integrity sha sha256 sha512 md5 etag example sealed anon masked",
);

/** Returns the words of a name in lower case: `dbPassword`, `DB_PASSWORD` and `db.password` have the same two. */
export function wordsOf(name: string): readonly string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase());
}

const MOST_KEPT = 2_000;
const kept = new Map<string, Strength | undefined>();

/** Returns how clearly a name marks its value as secret; `undefined` if it does not. */
export function strengthOf(name: string): Strength | undefined {
  if (kept.has(name)) return kept.get(name);
  if (kept.size >= MOST_KEPT) kept.clear();
  const strength = judged(name);
  kept.set(name, strength);
  return strength;
}

function judged(name: string): Strength | undefined {
  // A shell keeps its folder in `PWD` and `OLDPWD`, so they hold no password.
  if (/^(?:OLD)?PWD$/.test(name)) return undefined;
  const words = wordsOf(name);
  if (words.some((word) => OPEN.has(word))) return undefined;
  let end = words.length;
  while (end > 1 && (TAILS.has(words[end - 1] as string) || /^\d+$/.test(words[end - 1] as string))) end -= 1;
  const head = words[end - 1];
  const before = words[end - 2] ?? "";
  if (head === undefined) return undefined;
  if (PASSWORDS.has(head) || /(?:password|passwd|passphrase|passcode)$/.test(head))
    return head === "pass" && OTHER_PASSES.has(before) ? undefined : "password";
  if (head === "key" || head === "keys") {
    if (OTHER_KEYS.has(before)) return undefined;
    return SECRET_KEYS.has(before) || /(?:api|access|secret|private)$/.test(before) ? "secret" : "weak";
  }
  if (head === "token" || head === "tokens")
    return OTHER_TOKENS.has(before) || head === "tokens" ? undefined : "secret";
  if (SECRETS.has(head) || /(?:secret|apikey|accesskey|secretkey|privatekey|accountkey|token)$/.test(head))
    return "secret";
  if (/^(?:string|connection)$/.test(head) && before === "connection") return "weak";
  return WEAK.has(head) ? "weak" : undefined;
}
