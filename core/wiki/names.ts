/** How titles of pages, their names in addresses, and the names of their files follow from each other (semantics §65.1). */

const ending = ".md";
/** Stands at the end of names whose dashes are dashes, not spaces. */
const marker = ".-";

/** `Home` is the start page; a name without a title means this. */
export const startPage = "Home";

/** Names that addresses of the family use otherwise. */
export const isReserved = (title: string): boolean => ["_pages", "_new", "_edit", "raw"].includes(title);

/** A title's name in addresses: safe in one segment of a path. */
export function webNameOf(title: string): string {
  const keepsDashes = title.includes("-") || title.endsWith(ending);
  return escaped(keepsDashes ? title + marker : title.replaceAll(" ", "-"));
}

/** The file of a title: no slash of it makes a folder. */
export const fileNameOf = (title: string): string => webNameOf(title).replaceAll("+", " ") + ending;

/** The title that a name in an address, or a file's name without its ending, stands for. */
export function titleOf(name: string): string {
  const isMarked = name.endsWith(marker);
  const text = isMarked ? name.slice(0, -marker.length) : name.replaceAll("-", " ");
  return unescaped(text.replaceAll("+", " "));
}

/** The same of a file; undefined for files that are no pages. */
export const titleOfFile = (file: string): string | undefined =>
  file.endsWith(ending) && file !== ending ? titleOf(file.slice(0, -ending.length)) : undefined;

/** Under which files a page may lie, by the name in an address: its own spelling first. */
export const filesOf = (name: string): readonly string[] => [name + ending, fileNameOf(titleOf(name))];

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

/** What is no escape stays as it is. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
