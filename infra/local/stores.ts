import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeDurably } from "./durable-file.ts";
import { StartError } from "./start-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** One of the three stores: its variables, and the words of a refused start. */
interface Store {
  readonly holds: string;
  readonly endpoint: string;
  /** Further variables; for an embedded store only `always` matter. */
  readonly names: readonly string[];
  readonly always: readonly string[];
}

const stores = {
  table: {
    holds: "table",
    endpoint: "AWS_ENDPOINT_URL_DYNAMODB",
    names: ["TABLE_NAME"],
    always: ["TABLE_NAME"],
  },
  objects: { holds: "objects", endpoint: "AWS_ENDPOINT_URL_S3", names: ["BUCKET_NAME"], always: [] },
  queues: {
    holds: "queues",
    endpoint: "AWS_ENDPOINT_URL_SQS",
    names: ["WEBHOOKS_QUEUE_URL", "MIRRORS_QUEUE_URL", "REPOSITORY_EVENTS_QUEUE_URL"],
    always: [],
  },
} as const satisfies Record<string, Store>;

/** The variables of a store at the folder's first use; without the endpoint: in the folder. */
type Recorded = Partial<Record<keyof typeof stores, Record<string, string>>>;

const recordOf = (folder: string): string => join(folder, "stores.json");

/**
 * Checks that a data folder is used with its first table, bucket and queues: with others the service would be ready
 * over nothing. Throws a StartError that says what to set.
 */
export function checkStores(folder: string, environment: Environment): void {
  const recorded = readRecorded(folder);
  for (const kind of Object.keys(stores) as (keyof typeof stores)[]) {
    const before = recorded?.[kind];
    const now = valuesOf(stores[kind], environment);
    if (before === undefined || isSame(before, now)) continue;
    const { holds } = stores[kind];
    const path = recordOf(folder);
    throw new StartError(
      `The data folder ${folder} goes with other ${holds} than the settings name: ${adviceOn(before, now)}. ` +
        `Where they were moved on purpose, remove ${path} first.`,
    );
  }
}

/** Ties the data folder to its stores, once they have proved usable. */
export async function recordStores(folder: string, environment: Environment): Promise<void> {
  const kinds = Object.entries(stores).map(([kind, store]) => [kind, valuesOf(store, environment)] as const);
  const text = `${JSON.stringify(Object.fromEntries(kinds), undefined, 2)}\n`;
  if (readText(folder) !== text) await writeDurably(recordOf(folder), text);
}

/** Whether the data folder goes with the table of this environment, which lies elsewhere. */
export function goesWithTable(folder: string, environment: Environment): boolean {
  const recorded = readRecorded(folder)?.table;
  if (recorded === undefined) return false;
  const TABLE_NAME = environment.TABLE_NAME || recorded.TABLE_NAME;
  return isSame(recorded, valuesOf(stores.table, { ...environment, TABLE_NAME }));
}

function valuesOf(store: Store, environment: Environment): Record<string, string> {
  const isElsewhere = (environment[store.endpoint] ?? "") !== "";
  const variables = isElsewhere ? [store.endpoint, ...store.names] : store.always;
  return Object.fromEntries(variables.map((name) => [name, plain(environment[name] ?? "")]));
}

const plain = (value: string): string =>
  URL.canParse(value) ? new URL(value).href.replace(/\/+$/, "") : value;

const isSame = (one: Record<string, string>, other: Record<string, string>): boolean =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => one[name] === other[name]);

/** What to set, and what not to. */
function adviceOn(before: Record<string, string>, now: Record<string, string>): string {
  const differing = Object.entries(before).filter(([name, value]) => now[name] !== value);
  const set = differing.map(([name, value]) => `${name}=${value}`);
  const unset = Object.keys(now).filter((name) => before[name] === undefined);
  return [
    ...(set.length > 0 ? [`set ${set.join(" and ")}`] : []),
    ...(unset.length > 0 ? [`do not set ${unset.join(" or ")}`] : []),
  ].join(", and ");
}

function readRecorded(folder: string): Recorded | undefined {
  const text = readText(folder);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Recorded;
  } catch (error) {
    throw new StartError(`${recordOf(folder)} is damaged. Put it back from a backup, or remove it.`, {
      cause: error,
    });
  }
}

function readText(folder: string): string | undefined {
  try {
    return readFileSync(recordOf(folder), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
