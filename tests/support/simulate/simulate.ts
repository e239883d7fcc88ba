import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import type { Wire } from "#core/table/wire";
import type { Item, TableKey } from "#core/table/write";
import type { Sender } from "../faults.ts";
import { createInFlight, type InFlight } from "./in-flight.ts";
import { createKnownItems, type Found, type KnownItems, textOf } from "./known-items.ts";
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
  readonly known: KnownItems;
  /** Reads items, by the names of their keys. */
  readonly readAll: (keys: readonly TableKey[]) => Promise<Map<string, Item>>;
  /** The tokens of the transactions that were sent. */
  readonly sent: Set<string>;
  readonly options: SimulationOptions;
}

const keyOf = ({ pk, sk }: TableKey): TableKey => ({ pk, sk });

/**
 * Simulates in front of one new table, and wants to see all that is written to it; `wire` leads there without the
 * simulation.
 */
export function createSimulation(wire: Wire, tableName: string, options: SimulationOptions = {}): Simulation {
  const parts: Parts = {
    inFlight: createInFlight(),
    veil: createVeil(),
    index: createLaggingIndex(options.indexLagMs ?? 50),
    options,
    known: createKnownItems(),
    sent: new Set(),
    async readAll(keys) {
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
    await hide(parts, hidden);
    const made = isRepeated(parts, input) ? [] : changes.flatMap(madeBy);
    const answer = await parts.known.change(changes.map(targetOf), () => next(input), made);
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

/** Hides what the keys have from now on behind what they have now. */
async function hide({ known, veil, readAll }: Parts, keys: readonly TableKey[]): Promise<void> {
  const unknown = keys.filter((key) => !known.has(key));
  // Before the reading, beside which another write could make it unknown.
  const former = new Map(keys.map((key) => [textOf(key), known.get(key)]));
  const read = unknown.length === 0 ? new Map<string, Item>() : await readAll(unknown);
  for (const key of keys) veil.hide(key, read.get(textOf(key)) ?? former.get(textOf(key)));
}

/** Whether a transaction was sent before, under its token: if it was applied then, it changes nothing now. */
function isRepeated({ sent }: Parts, { ClientRequestToken: token }: TransactInput): boolean {
  if (token === undefined) return false;
  const wasSent = sent.has(token);
  sent.add(token);
  return wasSent;
}

/** What a write leaves behind; of an update only a reading tells. */
function madeBy(input: WriteInput): Found[] {
  return input.UpdateExpression === undefined ? [[targetOf(input), input.Item]] : [];
}

async function write(parts: Parts, input: WriteInput, next: Sender) {
  const release =
    parts.options.hasConflicts === false ? () => undefined : parts.inFlight.write(textOf(targetOf(input)));
  try {
    const answer = await parts.known.change([targetOf(input)], () => next(input), madeBy(input));
    noteForIndex(parts.index, input);
    return answer;
  } finally {
    release();
  }
}

/** Members whose item a transaction holds come back unprocessed. */
async function batchWrite(
  { inFlight, index, known }: Parts,
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
    const send = () => next({ ...input, RequestItems: { [tableName]: free } });
    const answer = await known.change(free.map(target), send, []);
    for (const one of free) index.wrote(target(one), one.PutRequest?.Item as { a?: string } | undefined);
    return { ...answer, output: { ...answer.output, ...unprocessed } };
  } finally {
    for (const one of release) one();
  }
}

interface BatchGetInput {
  RequestItems: Record<string, { Keys: TableKey[] }>;
}
interface Answer {
  Item?: Item;
  Items?: Item[];
  Responses?: Record<string, Item[]>;
  UnprocessedKeys?: Record<string, { Keys: TableKey[] }>;
}

async function read(parts: Parts, tableName: string, operation: string, input: object, next: Sender) {
  const { veil, index, known } = parts;
  if (operation === "GetItem") {
    const { Key } = input as { Key: TableKey };
    const seen = ({ output }: { output: Answer }): Found[] => [[Key, output.Item]];
    const answer = await known.look(() => next(input), seen);
    const { Item: found, ...rest } = answer.output as Answer;
    const item = veil.item(Key, found);
    return { ...answer, output: item === undefined ? rest : { ...rest, Item: item } };
  }
  if (operation === "BatchGetItem") return readBatch(parts, tableName, input as BatchGetInput, next);
  if (operation !== "Query") return next(input);
  const asked = input as Parameters<Veil["query"]>[0] & { IndexName?: string };
  if (asked.IndexName === undefined) {
    const seen = ({ output }: { output: Answer }) => (output.Items ?? []).map((item): Found => [item, item]);
    const answer = await known.look(() => next(input), seen);
    return { ...answer, output: veil.query(asked, answer.output) };
  }
  const answer = await next(input);
  return { ...answer, output: index.query(asked.ExpressionAttributeValues[":a"] ?? "", answer.output) };
}

async function readBatch({ veil, known }: Parts, tableName: string, input: BatchGetInput, next: Sender) {
  const { Keys } = input.RequestItems[tableName] ?? { Keys: [] };
  const askedOf = ({ UnprocessedKeys }: Answer) => {
    const later = new Set((UnprocessedKeys?.[tableName]?.Keys ?? []).map(textOf));
    return Keys.filter((key) => !later.has(textOf(key)));
  };
  const seen = ({ output }: { output: Answer }) => {
    const items = new Map((output.Responses?.[tableName] ?? []).map((item) => [textOf(item), item]));
    return askedOf(output).map((key): Found => [key, items.get(textOf(key))]);
  };
  const { output, ...answer } = await known.look(() => next(input), seen);
  const items = veil.batch(askedOf(output), (output as Answer).Responses?.[tableName] ?? []);
  return { ...answer, output: { ...output, Responses: { [tableName]: items } } };
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
