/** How titles of pages, their names in addresses, and the names of their files follow from each other (semantics §65.1). */

const ending = ".md";
/** Ends names whose dashes are dashes, not spaces. */
const marker = ".-";

/** Names that addresses of the family use otherwise. */
export const isReserved = (title: string): boolean => ["_pages", "_new", "_edit", "raw"].includes(title);

/**
 * A title's name in addresses: one segment of a path, percent-encoded. Names that would read back as another title are
 * marked, and so are those that clients take for a way through folders.
 */
export function webNameOf(title: string): string {
  const short = escaped(title.replaceAll(" ", "-"));
  const isShort = titleOf(short) === title && !title.endsWith(ending) && title !== "." && title !== "..";
  return isShort ? short : escaped(title + marker);
}

/** The file of a title: no slash of it makes a folder. */
export const fileNameOf = (title: string): string => webNameOf(title).replaceAll("+", " ") + ending;

/** The title of a name in an address (as it was sent), or of a file's name without its ending. */
export function titleOf(name: string): string {
  const isMarked = name.endsWith(marker) && name !== marker;
  const text = isMarked ? name.slice(0, -marker.length) : name.replaceAll("-", " ");
  return unescaped(text.replaceAll("+", " "));
}

/** The same of a file; undefined for files that are no pages. */
export const titleOfFile = (file: string): string | undefined =>
  file.endsWith(ending) && file !== ending ? titleOf(file.slice(0, -ending.length)) : undefined;

/** The files that may hold the page of a name in an address, first its own spelling; others may have its title too. */
export const filesOf = (name: string): readonly string[] => [
  name + ending,
  unescaped(name) + ending,
  fileNameOf(titleOf(name)),
];

const plain = /[\w.~-]/;

function escaped(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      if (character === " ") return "+";
      return byte < 0x80 && plain.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

/** A bad escape stays as it is. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
