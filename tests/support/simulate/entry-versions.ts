type Attributes = Readonly<Record<string, unknown>>;

/** A write as the table sends it, alone or inside a transaction. */
interface WriteInput {
  readonly Item?: Attributes;
  readonly Key?: Attributes;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Attributes;
}

/** Items that list indexes describe, and the delta that holds their entries. */
interface Described {
  readonly item: RegExp;
  readonly delta: RegExp;
  /**
   * Attributes that may be written without a new version, because no list shows them: lists take these items from
   * memory by their version. Undefined when lists read the items each time.
   */
  readonly unversioned?: readonly string[];
}

const described: readonly Described[] = [
  { item: /^O#(\d+)\0#$/, delta: /^DIR#user\0T#0*(\d+)$/ },
  // Into how many parts the counts are split stands with their first part, which lists read.
  { item: /^R#(\d+)\0META$/, delta: /^DIR#repo\0T#0*(\d+)$/, unversioned: ["shards"] },
  { item: /^I#(\d+\.\d+)\0#$/, delta: /^R#(\d+)#DIR\0T#0*(\d+)$/, unversioned: [] },
];

/**
 * Throws when an owner, a repository or an issue gets a version without the list index's entry of that very version:
 * readers take the entry of the highest version for the newest, the check of the data compares the two, and lists take
 * their rows from memory by it. Also throws when a repository or an issue changes without a new version: lists would
 * show the old one. A whole item that is put without a condition is a test's own doing (no verb writes so): it may lack
 * its entry.
 */
export function requireEntries(operation: string, input: object): void {
  const writes = writesIn(operation, input);
  const keys = writes.map(keyText);
  for (const [place, write] of writes.entries()) {
    for (const { item, delta, unversioned } of described) {
      const key = keys[place] ?? "";
      const id = item.exec(key)?.[1];
      if (id === undefined || (write.Item !== undefined && write.ConditionExpression === undefined)) continue;
      const version = versionIn(write);
      const name = key.replace("\0", " / ");
      if (version === undefined) {
        const changed = changedBy(write).filter((one) => unversioned?.includes(one) === false);
        if (changed.length === 0) continue;
        throw new Error(`${name} is changed without a new version: ${changed.join(", ")}`);
      }
      const entry = writes[keys.findIndex((one) => delta.exec(one)?.slice(1).join(".") === id)];
      if (entry === undefined)
        throw new Error(`${name} gets a new version without its entry in the list index`);
      if (entry.Item?.v === version) continue;
      throw new Error(`${name} gets version ${version}, its entry in the list index ${entry.Item?.v}`);
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

/** The version that a write gives to its item; undefined when it leaves it. One that is added to tells no number. */
function versionIn({ Item, ...update }: WriteInput): unknown {
  if (Item !== undefined) return Item.v;
  const { UpdateExpression = "", ExpressionAttributeNames = {}, ExpressionAttributeValues = {} } = update;
  const [name] = Object.entries(ExpressionAttributeNames).find(([, attribute]) => attribute === "v") ?? [];
  if (name === undefined || !mentions(UpdateExpression, name)) return undefined;
  const [, value = ""] = new RegExp(`${name} = (:v\\d+)\\b`).exec(UpdateExpression) ?? [];
  return ExpressionAttributeValues[value] ?? "unknown";
}

/** The attributes that an update changes, conditions left aside; of a whole item none of its own. */
function changedBy({ UpdateExpression = "", ExpressionAttributeNames = {} }: WriteInput): string[] {
  const names = Object.entries(ExpressionAttributeNames);
  return names.filter(([name]) => mentions(UpdateExpression, name)).map(([, attribute]) => attribute);
}

const mentions = (expression: string, name: string): boolean => new RegExp(`${name}\\b`).test(expression);
