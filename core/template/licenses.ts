import { readPackageFile } from "./internal/packages.ts";

/** A license of the SPDX list. */
export interface License {
  /** Its SPDX identifier. */
  readonly key: string;
  readonly body: string;
}

interface Listed {
  readonly name: string;
}

const listed = (): Readonly<Record<string, Listed>> =>
  readPackageFile<Record<string, Listed>>("spdx-license-list/spdx.json");

/** The keys of all licenses, in order. */
export const listLicenses = (): string[] => Object.keys(listed()).sort();

/** The license with exactly this key, or undefined. */
export function findLicense(key: string): License | undefined {
  if (!Object.hasOwn(listed(), key)) return undefined;
  const { licenseText } = readPackageFile<{ licenseText: string }>(`spdx-license-list/licenses/${key}.json`);
  return { key, body: `${unwrapped(licenseText.trimEnd())}\n` };
}

const fewestWrapped = 70;

/**
 * Joins the paragraphs that the list broke at its own width into one line each, as SPDX writes them; laid-out text
 * stays so.
 */
function unwrapped(text: string): string {
  return text
    .split("\n\n")
    .map((paragraph) => {
      const lines = paragraph.split("\n");
      const isWrapped = lines.slice(0, -1).every((line) => line.length >= fewestWrapped);
      return isWrapped && !lines.some((line) => /^\s|\s{3}/.test(line)) ? lines.join(" ") : paragraph;
    })
    .join("\n\n");
}

const blank =
  /(?:<year>|\[yyyy\]|\[year\])(\s+)(?:<copyright holders?>|<owner>|\[name of copyright owner\]|\[fullname\])/gi;

/** A license's text with the year and the holder filled in, as far as it has room for them. */
export const filledLicense = ({ body }: License, year: number, holder: string): string =>
  body.replace(blank, (_whole, space: string) => `${year}${space}${holder}`);
