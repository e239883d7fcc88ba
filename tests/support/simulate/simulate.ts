import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import type { Wire } from "#core/table/wire";
import type { Item, TableKey } from "#core/table/write";
import type { Sender } from "../faults.ts";
import { createInFlight, type InFlight } from "./in-flight.ts";
import { createLaggingIndex, type LaggingIndex } from "./lagging-index.ts";
import { createVeil, type Veil } from "./veil.ts";

/** What the stand-in never does and AWS may. */
export interface SimulationOptions {
  /** Refuse the later of two writes in flight on one item when one is a transaction. On by default. */
  readonly hasConflicts?: boolean;
  /** How long a transaction keeps its items at least, in milliseconds of real time; by default as long as it takes. */
  readonly holdMs?: number;
  /** Show the items of a transaction one after another while it is in flight. On by default. */
  readonly isStaged?: boolean;
  /** By how much the index `actor` lags, in milliseconds of real time; 50 by default, Infinity until `settle`. */
  readonly indexLagMs?: number;
}

/** A simulation in front of one table. */
export interface Simulation {
  pass(operation: string, input: object, next: Sender): Promise<{ output: object }>;
  /** Lets the lagging index catch up. */
  settle(): void;
}

interface Parts {
  readonly inFlight: InFlight;
  readonly veil: Veil;
  readonly index: LaggingIndex;
  readonly former: (keys: readonly TableKey[]) => Promise<Map<string, Item>>;
  readonly options: SimulationOptions;
}

const textOf = ({ pk, sk }: TableKey) => `${pk}\0${sk}`;
const keyOf = ({ pk, sk }: TableKey): TableKey => ({ pk, sk });

/** Simulates in front of one table; `wire` leads to it without the simulation. */
export function createSimulation(wire: Wire, tableName: string, options: SimulationOptions = {}): Simulation {
  const parts: Parts = {
    inFlight: createInFlight(),
    veil: createVeil(),
    index: createLaggingIndex(options.indexLagMs ?? 50),
    options,
    async former(keys) {
      const RequestItems = { [tableName]: { Keys: keys.map(keyOf), ConsistentRead: true } };
      const { Responses } = (await wire.send("BatchGetItem", { RequestItems })) as Answer;
      return new Map((Responses?.[tableName] ?? []).map((item) => [textOf(item), item]));
    },
  };
  return {
    settle: () => parts.index.settle(),
    pass(operation, input, next) {
      switch (operation) {
        case "TransactWriteItems":
          return transact(parts, input as TransactInput, next);
        case "PutItem":
        case "UpdateItem":
        case "DeleteItem":
          return write(parts, input as WriteInput, next);
        case "BatchWriteItem":
          return batchWrite(parts, tableName, input as BatchWriteInput, next);
        default:
          return read(parts, tableName, operation, input, next);
      }
    },
  };
}

interface WriteInput {
  Item?: Item;
  Key?: TableKey;
  UpdateExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
}
interface TransactInput {
  ClientRequestToken?: string;
  TransactItems: Record<"Put" | "Update" | "Delete" | "ConditionCheck", WriteInput | undefined>[];
}
interface BatchWriteInput {
  RequestItems: Record<string, { DeleteRequest?: { Key: TableKey }; PutRequest?: { Item: Item } }[]>;
}

const targetOf = (input: WriteInput): TableKey => keyOf((input.Item ?? input.Key) as TableKey);

async function transact(parts: Parts, input: TransactInput, next: Sender) {
  const { inFlight, veil, options } = parts;
  const all = input.TransactItems.map(
    (one) => one.Put ?? one.Update ?? one.Delete ?? one.ConditionCheck ?? {},
  );
  const changes = input.TransactItems.flatMap((one) => one.Put ?? one.Update ?? one.Delete ?? []);
  const startedAt = performance.now();
  const release =
    options.hasConflicts === false
      ? () => undefined
      : inFlight.transaction(
          all.map((one) => textOf(targetOf(one))),
          input.ClientRequestToken,
        );
  const hidden = options.isStaged === false ? [] : shuffled(changes.map(targetOf));
  try {
    const former = hidden.length === 0 ? new Map<string, Item>() : await parts.former(hidden);
    for (const key of hidden) veil.hide(key, former.get(textOf(key)));
    const answer = await next(input);
    for (const change of changes) noteForIndex(parts.index, change);
    const restMs = (options.holdMs ?? 0) - (performance.now() - startedAt);
    for (const key of hidden) {
      veil.lift(key);
      await turn();
    }
    if (restMs > 0) await pause(restMs);
    return answer;
  } finally {
    for (const key of hidden) veil.lift(key);
    release();
  }
}

async function write(parts: Parts, input: WriteInput, next: Sender) {
  const release =
    parts.options.hasConflicts === false ? () => undefined : parts.inFlight.write(textOf(targetOf(input)));
  try {
    const answer = await next(input);
    noteForIndex(parts.index, input);
    return answer;
  } finally {
    release();
  }
}

/** Members whose item a transaction holds come back unprocessed. */
async function batchWrite(
  { inFlight, index }: Parts,
  tableName: string,
  input: BatchWriteInput,
  next: Sender,
) {
  const members = input.RequestItems[tableName] ?? [];
  const target = (one: (typeof members)[number]) =>
    targetOf({ ...one.PutRequest, ...one.DeleteRequest } as WriteInput);
  const isFree = (one: (typeof members)[number]) => !inFlight.isHeld(textOf(target(one)));
  const free = members.filter(isFree);
  const held = members.filter((one) => !isFree(one));
  const unprocessed = held.length === 0 ? {} : { UnprocessedItems: { [tableName]: held } };
  if (free.length === 0) return { output: unprocessed };
  const release = free.map((one) => inFlight.write(textOf(target(one))));
  try {
    const answer = await next({ ...input, RequestItems: { [tableName]: free } });
    for (const one of free) index.wrote(target(one), one.PutRequest?.Item as { a?: string } | undefined);
    return { ...answer, output: { ...answer.output, ...unprocessed } };
  } finally {
    for (const one of release) one();
  }
}

interface Answer {
  Item?: Item;
  Items?: Item[];
  Responses?: Record<string, Item[]>;
}

async function read(parts: Parts, tableName: string, operation: string, input: object, next: Sender) {
  const answer = await next(input);
  const output = answer.output as Answer;
  const { veil, index } = parts;
  if (operation === "GetItem") {
    const { Item: seen, ...rest } = output;
    const item = veil.item((input as { Key: TableKey }).Key, seen);
    return { ...answer, output: item === undefined ? rest : { ...rest, Item: item } };
  }
  if (operation === "BatchGetItem") {
    const { Keys } = (input as { RequestItems: Record<string, { Keys: TableKey[] }> }).RequestItems[
      tableName
    ] ?? {
      Keys: [],
    };
    const unread = (output as { UnprocessedKeys?: Record<string, { Keys: TableKey[] }> }).UnprocessedKeys;
    const later = new Set((unread?.[tableName]?.Keys ?? []).map(textOf));
    const asked = Keys.filter((key) => !later.has(textOf(key)));
    const items = veil.batch(asked, output.Responses?.[tableName] ?? []);
    return { ...answer, output: { ...output, Responses: { [tableName]: items } } };
  }
  if (operation !== "Query") return answer;
  const asked = input as Parameters<Veil["query"]>[0] & { IndexName?: string };
  if (asked.IndexName === undefined) return { ...answer, output: veil.query(asked, output) };
  return { ...answer, output: index.query(asked.ExpressionAttributeValues[":a"] ?? "", output) };
}

function noteForIndex(index: LaggingIndex, input: WriteInput): void {
  if (input.UpdateExpression === undefined) {
    index.wrote(targetOf(input), input.Item as { a?: string } | undefined);
    return;
  }
  const names = Object.entries(input.ExpressionAttributeNames ?? {});
  const assigned = (attribute: string) => {
    const placeholder = names.find(([, name]) => name === attribute)?.[0];
    const value = input.UpdateExpression?.match(new RegExp(`${placeholder} = (:\\w+)`))?.[1];
    return value === undefined ? undefined : (input.ExpressionAttributeValues?.[value] as string);
  };
  if (!names.some(([, name]) => name === "a")) return;
  const [a, as] = [assigned("a"), assigned("as")];
  index.wrote(targetOf(input), a === undefined || as === undefined ? undefined : { a, as });
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ value }) => value);
}
