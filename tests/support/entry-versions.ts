/** A write as the SDK takes it, alone or inside a transaction. */
interface WriteInput {
  readonly Item?: Readonly<Record<string, unknown>>;
  readonly Key?: { readonly pk: string; readonly sk: string };
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
}

/** Items that directories describe, and the tail in which their entries lie. */
const described = [
  { item: /^O#(\d+)\0#$/, tail: /^DIR#user#\d+\0T#0*(\d+)$/ },
  { item: /^R#(\d+)\0META$/, tail: /^DIR#repo#\d+\0T#0*(\d+)$/ },
  { item: /^I#(\d+\.\d+)\0#$/, tail: /^R#(\d+)#DIR\0T#0*(\d+)$/ },
] as const;

/**
 * Throws when the version of an owner, a repository or an issue is written without its entry in the directory: readers
 * take the entry of the highest version for the newest, and the check of the data compares the two.
 */
export function requireEntries(operation: string, input: object): void {
  const writes = writesIn(operation, input);
  const keys = writes.map(keyText);
  for (const [place, write] of writes.entries()) {
    for (const { item, tail } of described) {
      const id = item.exec(keys[place] ?? "")?.[1];
      if (id === undefined || !movesVersion(write)) continue;
      if (keys.some((key) => tail.exec(key)?.slice(1).join(".") === id)) continue;
      throw new Error(
        `${keys[place]?.replace("\0", " / ")} gets a new version without its entry in the directory`,
      );
    }
  }
}

function writesIn(operation: string, input: object): WriteInput[] {
  if (operation === "PutItem" || operation === "UpdateItem") return [input as WriteInput];
  if (operation !== "TransactWriteItems") return [];
  const { TransactItems } = input as { TransactItems: { Put?: WriteInput; Update?: WriteInput }[] };
  return TransactItems.flatMap(({ Put, Update }) => Put ?? Update ?? []);
}

function keyText({ Item, Key }: WriteInput): string {
  const { pk, sk } = (Item ?? Key) as { pk: string; sk: string };
  return `${pk}\0${sk}`;
}

/** Whether an update sets or raises the attribute `v`, conditions left aside. Tests put whole items as they like. */
function movesVersion({ UpdateExpression = "", ExpressionAttributeNames = {} }: WriteInput): boolean {
  const [name] = Object.entries(ExpressionAttributeNames).find(([, attribute]) => attribute === "v") ?? [];
  return name !== undefined && new RegExp(`${name}\\b`).test(UpdateExpression);
}
