import { defined } from "../../defined.ts";

const { default: sanitizeHtml } = await import("sanitize-html"); // a file of its own, as in render.ts

/** The prefix of relative addresses, without a slash at its end; absent: they stay as they are. */
export interface LinkBases {
  readonly linkBase?: string;
  readonly imageBase?: string;
}

const idPrefix = "user-content-";
const deepest = 250;
const linkSchemes = new Set(["http", "https", "mailto", "ftp", "tel"]);
const imageSchemes = new Set(["http", "https"]);

const tags =
  "h1 h2 h3 h4 h5 h6 br b i strong em a pre code img tt div ins del sup sub p ol ul li dl dt dd table thead tbody " +
  "tfoot tr th td blockquote kbd q samp var hr ruby rt rp s strike summary details caption figure figcaption abbr " +
  "bdo cite dfn mark small span time wbr section input";
/** Tags whose content is no text, or that a browser may read another way: the content goes with them. */
const withContent =
  "script style textarea option select noscript noembed noframes iframe object embed title template xmp plaintext svg math";

/**
 * Keeps the HTML that can do no harm to its readers (semantics §28): a list of tags, few attributes, addresses of known
 * schemes, ids with a prefix, disabled checkboxes.
 */
export const sanitize = (html: string, bases: LinkBases): string =>
  sanitizeHtml(html, {
    allowedTags: tags.split(" "),
    nonTextTags: withContent.split(" "),
    allowedAttributes: {
      "*": ["id", "title", "align", "dir", "lang"],
      a: ["href", "rel"],
      img: ["src", "alt", "width", "height"],
      input: ["type", "checked", "disabled"],
      ol: ["start"],
      details: ["open"],
      th: ["colspan", "rowspan"],
      td: ["colspan", "rowspan"],
      time: ["datetime"],
    },
    allowedClasses: {
      a: ["mention", "ref-issue", "commit", "footnote-backref"],
      code: ["language-*"],
      li: ["task-list-item", "footnote-item"],
      ol: ["footnotes-list"],
      hr: ["footnotes-sep"],
      section: ["footnotes"],
      sup: ["footnote-ref"],
    },
    allowedSchemes: [...linkSchemes],
    allowedSchemesByTag: { img: [...imageSchemes] },
    nestingLimit: deepest,
    exclusiveFilter: ({ tag, attribs }) => tag === "input" && attribs.type !== "checkbox",
    transformTags: { "*": (tagName, attributes) => changeTag(tagName, attributes, bases) },
  });

type Attributes = Record<string, string>;

function changeTag(tagName: string, given: Attributes, bases: LinkBases) {
  const attribs = { ...given };
  if (attribs.id !== undefined) attribs.id = withPrefix(attribs.id);
  if (tagName === "input") return changeInput(attribs);
  if (tagName === "a") {
    setOrDrop(attribs, "href", addressOf(attribs.href, bases.linkBase, linkSchemes));
    setOrDrop(attribs, "rel", attribs.href === undefined ? undefined : "nofollow");
  }
  if (tagName === "img") setOrDrop(attribs, "src", addressOf(attribs.src, bases.imageBase, imageSchemes));
  return { tagName, attribs };
}

/** Of the inputs only checkboxes stay, and nobody can tick them. */
const changeInput = ({ type = "", checked }: Attributes) => ({
  tagName: "input",
  attribs: { type: type.toLowerCase(), ...defined({ checked }), disabled: "" },
});

function setOrDrop(attribs: Attributes, name: string, value: string | undefined): void {
  if (value === undefined) delete attribs[name];
  else attribs[name] = value;
}

const withPrefix = (id: string): string => (id.startsWith(idPrefix) ? id : `${idPrefix}${id}`);

/** An allowed address, made absolute; undefined when its scheme is not one of these. */
function addressOf(
  given: string | undefined,
  base: string | undefined,
  schemes: ReadonlySet<string>,
): string | undefined {
  if (given === undefined) return undefined;
  // What browsers leave out of an address before they read it.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
  const address = given.replace(/[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028\u2029\ufeff]/g, (one) =>
    one === " " ? "%20" : "",
  );
  const scheme = /^([^/?#]*?):/.exec(address)?.[1]?.toLowerCase();
  if (scheme !== undefined) return schemes.has(scheme) ? address : undefined;
  if (address.startsWith("#")) return address === "#" ? address : `#${withPrefix(address.slice(1))}`;
  if (base === undefined || /^[/\\]{2}/.test(address)) return address;
  return joined(base, address);
}

function joined(base: string, relative: string): string {
  try {
    return new URL(relative.replace(/^[/\\]+/, "./"), `${base}/`).href;
  } catch {
    return `${base}/`;
  }
}
