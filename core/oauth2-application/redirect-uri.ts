/** Schemes of addresses that a browser would run, show as a page of ours, or read from the user's machine. */
const dangerous = new Set(
  ["about", "blob", "data", "file", "filesystem", "javascript", "vbscript", "view-source"].map(
    (one) => `${one}:`,
  ),
);
/** What a header can hold: browsers write everything else encoded. */
const plain = /^[\x21-\x7e]+$/;
/** Stricter than browsers, which take `https:\\a` and `https:a` for addresses, too. */
const plainWebAddress = /^https?:\/\/[\w.[\]:-]+(?:[/?]|$)/i;

/**
 * Why users may not be sent back to an address, or undefined when they may (RFC 6749, 3.1.2; RFC 8252, 7): it is absolute
 * and without a fragment. Programs on users' machines have schemes of their own.
 */
export function redirectUriProblem(text: string): string | undefined {
  if (!URL.canParse(text) || /\s/.test(text)) return "it is no absolute address";
  if (!plain.test(text)) return "it has characters beyond ASCII: write them encoded, as %C3%A9";
  const { protocol, hash } = new URL(text);
  if (dangerous.has(protocol)) return `addresses of ${protocol} can't be redirected to`;
  if (/^https?:$/.test(protocol) && (!plainWebAddress.test(text) || text.includes("\\")))
    return "it names no host as https://host/path does";
  return hash !== "" || text.includes("#") ? "it has a fragment: leave out what begins with #" : undefined;
}
