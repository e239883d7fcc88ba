import { z } from "zod";
import { readYaml } from "../../yaml.ts";

/** How issues of a repository are begun. */
export interface IssueConfig {
  readonly allowsBlank: boolean;
  readonly links: readonly { readonly name: string; readonly url: string; readonly about: string }[];
}

const given = (name: string) => z.string(`${name} is missing`).trim().min(1, `${name} is missing`);
const ConfigFile = z.object({
  blank_issues_enabled: z.boolean("blank_issues_enabled is neither true nor false").nullish(),
  contact_links: z
    .array(
      z.object({
        name: given("name"),
        url: given("url").refine(isWebAddress, "url is no http or https address"),
        about: given("about"),
      }),
      "contact_links is no list",
    )
    .nullish(),
});

/** The content of the file, or what is wrong with it. */
export function readConfigFile(source: string): IssueConfig | { readonly problem: string } {
  const reading = readYaml(source);
  if (!("value" in reading)) return reading;
  const read = ConfigFile.safeParse(reading.value ?? {});
  if (!read.success) {
    const [issue] = read.error.issues;
    const place = (issue?.path ?? []).slice(0, 2).join(" ");
    return { problem: `${place === "" ? "" : `${place}: `}${issue?.message ?? "not valid"}` };
  }
  const { blank_issues_enabled, contact_links } = read.data;
  return { allowsBlank: blank_issues_enabled ?? true, links: contact_links ?? [] };
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
