import type { Item, TableKey } from "../table/write.ts";

/** The facts about a topic itself; its repositories are listed with them. Times are whole seconds. */
export interface Topic extends Item {
  readonly id: number;
  readonly name: string;
  readonly createdAt: number;
  /** When it was last given to a repository. */
  readonly updatedAt: number;
  readonly _v: 1;
}

export const topicKey = (name: string): TableKey => ({ pk: `TOPIC#${name}`, sk: "#" });
