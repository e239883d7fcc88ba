import type { Forge } from "#core/forge";
import { countLabelUse } from "#core/issue/labels/label-use";
import type { Label } from "#core/label/label.table";
import { z } from "#zod";

const orders = ["reversealphabetically", "mostissues", "leastissues"] as const;
/** The query value that says in which order labels come. */
export const sortQuery = {
  sort: z
    .string()
    .transform((word) => orders.find((order) => order === word))
    .pipe(z.enum(orders).optional())
    .optional()
    .openapi({ description: `${orders.join(", ")}; by name when absent` }),
};

/** Labels that are given by name, in the wanted order; `repositories` are those whose issues count. */
export async function sorted(
  forge: Forge,
  rows: Label[],
  sort: (typeof orders)[number] | undefined,
  repositories: () => Promise<readonly number[]>,
): Promise<Label[]> {
  if (sort === undefined) return rows;
  if (sort === "reversealphabetically") return rows.reverse();
  const use = await countLabelUse(forge, await repositories());
  const direction = sort === "mostissues" ? -1 : 1;
  return rows.sort((one, other) => direction * ((use.get(one.id) ?? 0) - (use.get(other.id) ?? 0)));
}
