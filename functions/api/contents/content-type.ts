/** Keeps a browser from running scripts in a document of these types. */
export const sandboxOf = (type: string): Readonly<Record<string, string>> =>
  type === "image/svg+xml" || type === "application/pdf" ? sandbox : {};

/** The same for a document of any type. */
export const sandbox = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
} as const;

/** `Content-Disposition` for showing a file under its name, in both spellings (RFC 6266). */
export const inlineAs = (name: string): string => `inline; ${fileName(name)}`;

/** The same for saving it. */
export const attachmentAs = (name: string): string => `attachment; ${fileName(name)}`;

function fileName(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\]/g, "_");
  return `filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, hexOf)}`;
}

const hexOf = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
