import { z } from "zod";
import { readYaml } from "../yaml.ts";
import { type FormField, readFields } from "./internal/form.ts";
import { readFrontMatter } from "./internal/front-matter.ts";

/** A template for new issues, from a file of the default branch. */
export interface IssueTemplate {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  /** A whole ref name; empty for none. */
  readonly ref: string;
  /** Markdown; empty for forms. */
  readonly content: string;
  /** The form; empty for Markdown. */
  readonly fields: readonly FormField[];
  /** Path of the file. */
  readonly path: string;
}

const mostAboutBytes = 80;

/** Names as a list, or in one text separated by commas. */
const names = z
  .union([z.array(z.string()), z.string().transform((text) => text.split(","))])
  .nullish()
  .transform((all) => (all ?? []).map((name) => name.trim()).filter((name) => name !== ""));
const text = z
  .string()
  .nullish()
  .transform((given) => given ?? "");

const Head = z
  .object({
    name: z.string().trim().min(1),
    about: text,
    description: text,
    title: text,
    labels: names,
    assignees: names,
    ref: text,
  })
  .transform(({ about, description, ref, ...head }) => ({
    ...head,
    about: about || description,
    ref: ref === "" || ref.startsWith("refs/") ? ref : `refs/heads/${ref}`,
  }))
  .refine(({ about }) => about.trim() !== "");

/**
 * A template in Markdown; undefined when its head names nothing. Without a readable head the whole text is its content.
 */
export function readMarkdownTemplate(path: string, source: string): IssueTemplate | undefined {
  const front = readFrontMatter(source);
  if (front === undefined) {
    const about = firstBytes(source, mostAboutBytes);
    const name = path.slice(path.lastIndexOf("/") + 1);
    const none = { title: "", labels: [], assignees: [], ref: "", fields: [] };
    return about.trim() === "" ? undefined : { ...none, name, about, content: source, path };
  }
  const head = Head.safeParse(front.fields);
  return head.success ? { ...head.data, content: front.content, fields: [], path } : undefined;
}

/** A template that is a form; undefined when it is not valid. */
export function readForm(path: string, source: string): IssueTemplate | undefined {
  const reading = readYaml(source);
  if (!("value" in reading)) return undefined;
  const head = Head.safeParse(reading.value);
  const fields = readFields((reading.value as { body?: unknown } | null)?.body);
  return head.success && fields !== undefined ? { ...head.data, content: "", fields, path } : undefined;
}

/** The beginning of a text, at most so many bytes of UTF-8, whole characters. */
function firstBytes(source: string, most: number): string {
  const bytes = Buffer.from(source).subarray(0, most);
  return new TextDecoder("utf-8").decode(bytes, { stream: true });
}
