import { readYaml } from "../../yaml.ts";

/** The YAML at the head of a Markdown text, between two lines of dashes, and the text behind it. */
export interface FrontMatter {
  readonly fields: object;
  readonly content: string;
}

const isFence = (line: string): boolean => /^-{3,}\s*$/.test(line);

/** Undefined when the text begins with no such part, or with one that is no YAML mapping. */
export function readFrontMatter(text: string): FrontMatter | undefined {
  const lines = text.split("\n");
  if (!isFence(lines[0] ?? "")) return undefined;
  const end = lines.findIndex((line, at) => at > 0 && isFence(line));
  if (end < 0) return undefined;
  const reading = readYaml(lines.slice(1, end).join("\n"));
  if (!("value" in reading)) return undefined;
  const fields = reading.value ?? {};
  if (typeof fields !== "object" || Array.isArray(fields)) return undefined;
  return { fields, content: lines.slice(end + 1).join("\n") };
}
