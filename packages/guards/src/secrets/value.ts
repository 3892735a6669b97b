/**
 * The letters that often follow each letter in names and words, in English and in code. A long run whose letter pairs
 * are mostly not listed here is random.
 */
const FOLLOWS: Readonly<Record<string, string>> = {
  a: "bcdfgiklmnprstuvwy",
  b: "aeilorsuy",
  c: "aehikloprstuy",
  d: "adegilorsuvy",
  e: "abcdefgilmnopqrstuvwxy",
  f: "aefilortuy",
  g: "aeghilnorsuy",
  h: "aeiortuy",
  i: "abcdefglmnoprstvz",
  j: "aeosu",
  k: "eilnsy",
  l: "abdefiklmopstuvy",
  m: "abeimopsuy",
  n: "acdefgijklnostuvy",
  o: "abcdefgiklmnopqrstuvwx",
  p: "aehiloprstuy",
  q: "u",
  r: "abcdegiklmnoprstuvy",
  s: "acdehiklmnopqstuwy",
  t: "aehilorstuwy",
  u: "abcdegilmnprst",
  v: "aeio",
  w: "aehinors",
  x: "aceipt",
  y: "aelmopst",
  z: "aeioy",
};

/** Matches values with words that mark a placeholder. */
const PLACEHOLDER =
  /example|change[-_ ]?(?:me|this|it)|place[-_ ]?holder|dummy|redact|removed|hidden|masked|your[-_ ]|[-_]your|^your|insert|replace|sample|fake|mock|lorem|foo[-_]?bar|xxxx|XXX|\*\*\*|\.\.\.|…|____|^<.*>$|^\[.*\]$|^\{.*\}$|[-_]here\b|^(?:my|some|the|a)[-_ ](?:\w+[-_ ])*(?:secret|password|token|key|pass)$|not[-_ ](?:a|set|real|used)|todo|fixme|unset|example|to[-_]be|ci[-_]only|super[-_]?secret|s3cr3t$|notasecret|insecure(?![-_]\S{30})|development[-_]only|^base64(?:url)?[-_ ]?[a-z]{0,8}$|^dev(?:elopment)?[-_](?:secret|key|token|password)/i;
const TRIVIAL = new Set(
  (
    "true false null nil none undefined nan yes no on off string str number int integer bool boolean object any bytes text char varchar " +
    "optional required password passwd pass pwd passphrase secret token key apikey api_key username user admin root postgres mysql " +
    "test tests testing guest default empty value values basic bearer prompt enabled disabled auto manual local localhost public private " +
    "redis mongo mongodb rabbitmq rabbit sa demo foo bar baz qux hello world abc xyz pass123 password123 password1 admin123 test123 testtest testpass " +
    "123 1234 12345 123456 12345678 123456789 1234567890 abc123 qwerty letmein changeit hunter unknown missing invalid valid expired " +
    "development production staging file env vault keychain plain md5 sha1 sha256 bcrypt argon2 hs256 rs256 es256 write read none/a n/a " +
    "mypassword mysecret mytoken mykey somepassword newpassword oldpassword userpassword dbpassword"
  ).split(" "),
);
/** Matches a value that only refers to the secret, such as a path; base64 that begins like a path is not one. */
const REFERENCE =
  /^(?:\$|%[\w(]|@[\w.]+@$|#\{|\{\{|<%|\$\{\{|env[:.(]|process\.|os\.|import\.meta|ENV\[|getenv|vault:|op:\/\/|ssm:|arn:|secretsmanager|projects\/|file:|!\w|\/(?:run|var|etc|home|usr|tmp|opt|mnt|secrets?)\/|\.{0,2}\/(?!(?=\S*\d)[A-Za-z0-9+/]{38,100}={0,2}$)|~\/|[A-Za-z]:\\|sops|sealed|kms|keyring:|pass:env|env:|secretKeyRef|config\.|settings\.|self\.|this\.|args?\.|opts?\.|options\.|req(?:uest)?\.|props?\.|params?\.|ctx\.|data\.|user\.|form\.|body\.|var\.|local\.|module\.|https?:\/\/[^\s:@]*$|function|async |new |await |\(|\[secret:|\[withheld:)/i;
/** Matches a digest of a secret, or an encrypted value. */
const DIGEST =
  /^(?:\$(?:2[abxy]?|argon2\w*|5|6|1|y|apr1|pbkdf2[\w-]*|scrypt)\$|pbkdf2_|argon2|scrypt:|\{(?:SSHA|SHA|CRYPT|MD5)|sha(?:1|256|384|512)[-:]|md5[:-]|SHA256:|MD5:|ENC\[|ENC\(|AgA|\$ANSIBLE_VAULT|gAAAAA[\w-]{300}|enc:|cipher:|vault:v\d)/i;

/** Returns the fraction of adjacent pairs of character codes that pass a test. */
function share(text: string, test: (a: number, b: number) => boolean): number {
  if (text.length < 2) return 0;
  let count = 0;
  for (let at = 1; at < text.length; at++) if (test(text.charCodeAt(at - 1), text.charCodeAt(at))) count += 1;
  return count / (text.length - 1);
}

/** Whether a text is a sequence of the alphabet or of digits, or repeats few characters. */
export function isSequence(text: string): boolean {
  const lower = text.toLowerCase();
  const isNext = (a: number, b: number): boolean => a === b || b === a + 1 || (a === 57 && (b === 48 || b === 97));
  return share(lower, isNext) > 0.5 || new Set(lower).size < Math.min(5, lower.length / 3);
}

/** Whether a value is only a placeholder for a key or a password. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || TRIVIAL.has(value.toLowerCase()) || (value.length > 7 && isSequence(value));
}

/** Whether a key in the right form is only an example. Four-letter words prove nothing: random keys have them too. */
export function isExample(key: string): boolean {
  if (isSequence(key) || /([b-z0-9])\1{7}$|example|xxxxx|placeholder|\*\*\*|\.\.\.|redacted/i.test(key)) return true;
  return !isRandom(key) && (isHarmless(key) || isWords(key) || isIdentifier(key));
}

/** Whether a value is a reference to a secret, a digest of one, or a placeholder. */
export function isHarmless(value: string): boolean {
  return REFERENCE.test(value) || DIGEST.test(value) || isPlaceholder(value);
}

/** Returns the entropy of a text in bits per character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Returns the fraction of letter pairs that are unusual in words. */
function oddPairs(text: string): number {
  let pairs = 0;
  let odd = 0;
  for (const [run] of text.toLowerCase().matchAll(/[a-z]{2,}/g))
    for (let at = 1; at < run.length; at++) {
      pairs += 1;
      if (FOLLOWS[run[at - 1] as string]?.includes(run[at] as string) !== true) odd += 1;
    }
  return pairs === 0 ? 0 : odd / pairs;
}

/** Whether a value is random: not a name, path, date, version, number or sentence. */
export function isRandom(value: string): boolean {
  if (value.length < 12 || /\s/.test(value) || entropyOf(value) < 2.8) return false;
  if (/^[\d.,:+-]+$/.test(value) || /^v?\d+(?:\.\d+)+/.test(value)) return false;
  const turns = value.match(/[a-z][A-Z0-9]|[A-Z][a-z0-9]|[0-9][A-Za-z]/g)?.length ?? 0;
  const words = value.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  const mean = words.join("").length / Math.max(1, words.length);
  if (/\d/.test(value) && /[A-Za-z]/.test(value)) return mean < 3.2 && turns >= value.length / 6;
  return value.length >= 16 && mean < 4.5 && oddPairs(value) > 0.25 && turns >= value.length / 8;
}

/** Whether a value looks like one or more words: a name, a label, a key of a table. */
export function isWords(value: string): boolean {
  if (/^[a-z]+(?:[A-Z][a-z]+)*$|^[A-Z][a-z]+(?:[A-Z][a-z]+)*$|^[A-Z]+$/.test(value)) return oddPairs(value) <= 0.3;
  // Abbreviations are part of names too, as in `JWTClaimsBuilder`.
  if (/^[A-Za-z]{1,30}$/.test(value))
    return value.length >= 4 * (value.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g)?.length ?? 0) && oddPairs(value) <= 0.25;
  return /^[A-Za-z]+(?:[-_.:/ ][A-Za-z]+)+$/.test(value) && oddPairs(value) <= 0.3;
}

/** Whether a value is an identifier of words and numbers, such as `db-credentials-2` or `v2/users`. */
export function isIdentifier(value: string): boolean {
  return /^[a-z]+\d{0,2}(?:[-_./:][a-z]*\d{0,4})+$/i.test(value) && oddPairs(value) <= 0.3;
}
