const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text made safe inside an element. Control characters become references, as S3 writes them. */
function escapeXml(text: string): string {
  return text.replace(/[&<>"\p{Cc}]/gu, (character) => escapes[character] ?? `&#x${hex(character)};`);
}

const hex = (character: string) => character.charCodeAt(0).toString(16);

/**
 * The content of an element: text, a number, or child elements; a list repeats the element; undefined leaves it out.
 */
export type XmlValue = string | number | boolean | XmlChildren | readonly XmlChildren[] | undefined;
/** Child elements by name, in order. */
export interface XmlChildren {
  readonly [name: string]: XmlValue;
}

function element(name: string, value: XmlValue): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.map((one: XmlChildren) => element(name, one)).join("");
  const inner = typeof value === "object" ? children(value as XmlChildren) : escapeXml(String(value));
  return `<${name}>${inner}</${name}>`;
}

const children = (values: XmlChildren): string =>
  Object.entries(values)
    .map(([name, value]) => element(name, value))
    .join("");

/** A whole document with one root element. */
export const xmlDocument = (root: string, values: XmlChildren): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${element(root, values)}`;

const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#([0-9]+)|(\w+));/gi, (whole, hexadecimal, decimal, name) => {
    if (name !== undefined) return named[name] ?? whole;
    const point = hexadecimal === undefined ? Number.parseInt(decimal, 10) : Number.parseInt(hexadecimal, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

/** The inner XML of each `name` element, in order. Enough for the flat lists that S3's requests are. */
export function elements(xml: string, name: string): string[] {
  const pattern = new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}\\s*>`, "g");
  return [...xml.matchAll(pattern)].map((match) => match[1] ?? "");
}

/** The text of the first `name` element; undefined when there is none. */
export function elementText(xml: string, name: string): string | undefined {
  const [inner] = elements(xml, name);
  return inner === undefined ? undefined : unescapeXml(inner);
}
