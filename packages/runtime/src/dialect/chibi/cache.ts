/** What a plugin's answer is kept under: its path and bytes, so that a changed plugin is asked anew (decision 47). */
export async function schemaKey(path: string, bytes: Uint8Array): Promise<string> {
  const name = new TextEncoder().encode(`${path}\0`);
  const whole = new Uint8Array(name.length + bytes.length);
  whole.set(name);
  whole.set(bytes, name.length);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", whole));
  return `chibi-schema-${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
