import { z } from "zod";

const visibility = z.array(z.enum(["form", "content"]));
const label = z.string().trim().min(1);
const base = {
  id: z
    .string()
    .regex(/^[a-zA-Z0-9_-]+$/)
    .optional(),
};
const everywhere = visibility.default(["form", "content"]);
const validations = z.record(z.string(), z.unknown()).default({});
const required = z.boolean().optional();

const markdown = z.object({
  ...base,
  type: z.literal("markdown"),
  attributes: z.looseObject({ value: z.string().min(1) }),
  validations,
  visible: visibility.default(["form"]),
});
const textarea = z.object({
  ...base,
  type: z.literal("textarea"),
  attributes: z.looseObject({ label }),
  validations: z.looseObject({ required }).default({}),
  visible: everywhere,
});
const input = z.object({
  ...base,
  type: z.literal("input"),
  attributes: z.looseObject({ label }),
  validations: z
    .looseObject({ required, is_number: z.boolean().optional(), regex: z.string().optional() })
    .default({}),
  visible: everywhere,
});
const dropdown = z.object({
  ...base,
  type: z.literal("dropdown"),
  attributes: z
    .looseObject({
      label,
      options: z.array(z.string().min(1)).min(1),
      multiple: z.boolean().optional(),
      default: z.int().min(0).optional(),
    })
    .refine(({ options, default: chosen = 0 }) => chosen < options.length),
  validations: z.looseObject({ required }).default({}),
  visible: everywhere,
});
const checkboxes = z.object({
  ...base,
  type: z.literal("checkboxes"),
  attributes: z.looseObject({
    label,
    options: z.array(z.looseObject({ label, required, visible: visibility.optional() })).min(1),
  }),
  validations,
  visible: everywhere,
});

const fields = z
  .array(z.discriminatedUnion("type", [markdown, textarea, input, dropdown, checkboxes]))
  .min(1);

/** One field of an issue form, as far as the service knows it. */
export interface FormField {
  readonly type: "markdown" | "textarea" | "input" | "dropdown" | "checkboxes";
  /** Unique in the form; its place from 0 on when the form names none. */
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly validations: Readonly<Record<string, unknown>>;
  readonly visible: readonly ("form" | "content")[];
}

/** The fields of a form's `body` (semantics §52); undefined when one of them is not valid, or there is none. */
export function readFields(body: unknown): FormField[] | undefined {
  const read = fields.safeParse(body);
  if (!read.success) return undefined;
  const named = read.data.map((field, at) => ({ ...field, id: field.id ?? String(at) }));
  return new Set(named.map(({ id }) => id)).size === named.length ? named : undefined;
}
