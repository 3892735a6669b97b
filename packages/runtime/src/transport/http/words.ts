/** Descriptions of connection failures, by the codes of Node and OpenSSL. */
const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refused the connection; is it running?",
  ECONNRESET: "closed the connection",
  EHOSTUNREACH: "cannot be reached from here",
  ENETUNREACH: "cannot be reached from here",
  ETIMEDOUT: "did not accept the connection in time",
  ENOTFOUND: "has no address",
  EAI_AGAIN: "has no address now: the name server does not answer",
  ENODATA: "has no address",
  EPROTO: "does not speak TLS as expected",
  ERR_SSL_WRONG_VERSION_NUMBER: "does not speak TLS",
  ERR_TLS_CERT_ALTNAME_INVALID: "has a certificate for another name",
  CERT_HAS_EXPIRED: "has a certificate that has expired",
  CERT_NOT_YET_VALID: "has a certificate that is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "has a self-signed certificate; name its file in NODE_EXTRA_CA_CERTS to trust it",
  SELF_SIGNED_CERT_IN_CHAIN:
    "has a certificate of an unknown authority; name that authority's file in NODE_EXTRA_CA_CERTS to trust it",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "has a certificate of an unknown authority; name that authority's file in NODE_EXTRA_CA_CERTS to trust it",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "has a certificate of an unknown authority; name that authority's file in NODE_EXTRA_CA_CERTS to trust it",
};

/** Codes of shortages on this machine, which no server has caused. */
const OURS: readonly string[] = ["EMFILE", "ENFILE", "ENOMEM", "ENOBUFS", "EADDRNOTAVAIL", "EAGAIN"];

/** Returns whether a connection failed because of a shortage on this machine. */
export function isOurs(code: string | undefined): boolean {
  return code !== undefined && OURS.includes(code);
}

/** Describes why nothing was sent. Omits the error's own text: names in a certificate are foreign text. */
export function notSentWords(host: string, { code = "no code" }: { readonly code?: string }): string {
  if (isOurs(code)) return `this machine could not open a connection to ${host} (${code})`;
  const known = Object.hasOwn(CODES, code) ? `${CODES[code]} (${code})` : `could not be connected to (${code})`;
  return `${host} ${known}`;
}

/** Describes why there is no answer to a request that was sent. */
export function brokenWords(host: string, code: string | undefined): string {
  const isHttp = code?.startsWith("HPE_") !== true;
  return isHttp
    ? `${host} closed the connection without a whole answer${code === undefined ? "" : ` (${code})`}`
    : `${host} does not answer in HTTP (${code})`;
}
