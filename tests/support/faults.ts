import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";

/** The service that a request goes to. */
export type Service = "dynamodb" | "s3" | "sqs";

/**
 * What happens to a request. `throttled`: refused, not applied. `unanswered`: the connection breaks before it arrives.
 * `lost-answer`: it is applied, then the connection breaks. `unprocessed`: a batch is taken except for its last half.
 * `broken-body`: the connection breaks inside the first chunk of an object. `refuses`: a queue takes a batch but for
 * the messages with such bodies. An error: thrown instead of sending.
 */
export type Fault =
  | "throttled"
  | "unanswered"
  | "lost-answer"
  | "unprocessed"
  | "broken-body"
  | { readonly refuses: (body: string) => boolean }
  | Error;

/** Which requests a fault meets: the first `times` (1 unless given) after `skip` that fit. */
export interface FaultRule {
  readonly service: Service;
  /** As the SDK names it, such as `PutItem` or `SendMessageBatch`; any when absent. */
  readonly operation?: string;
  readonly fault: Fault;
  readonly skip?: number;
  readonly times?: number;
  /** Looks at the request's input; by default all fit. */
  readonly fits?: (input: never) => boolean;
}

/** The process was killed: what a crash that a test asked for throws, and everything after it until `recover`. */
export class SimulatedCrash extends Error {
  constructor() {
    super("the process was killed here");
    this.name = "SimulatedCrash";
  }
}

/** Faults of all three services, set by a test while it runs. */
export interface Faults {
  /** Adds a rule; `hits` counts how often it has struck. */
  inject(rule: FaultRule): { readonly hits: number };
  /** Kills the process before or after its n-th write from now on (1 is the next one), counted over all services. */
  crashAt(write: number, when: "before" | "after"): void;
  /** Starts the process again: no crash, no rules, the count of writes at 0. */
  recover(): void;
  /** Whether the crash has happened. */
  readonly hasCrashed: boolean;
  /** Whether another write was on its way when the crash came before one. */
  readonly hasCrashedAmong: boolean;
  /** Writes sent since the last `crashAt` or `recover`. */
  readonly writes: number;
}

/** A request as the middleware of any client sees it. */
export type Sender = (input: object) => Promise<{ output: object }>;

/** Faults, and the function through which each client's requests go. */
export interface FaultyServices extends Faults {
  pass(service: Service, operation: string, input: object, next: Sender): Promise<{ output: object }>;
}

const reads = new Set([
  "GetItem",
  "BatchGetItem",
  "Query",
  "Scan",
  "GetObject",
  "HeadObject",
  "ListObjectsV2",
  "ListMultipartUploads",
  "ReceiveMessage",
  "ChangeMessageVisibilityBatch", // changes nothing that lasts
  "GetQueueUrl",
  "GetQueueAttributes",
]);
const throttlingNames: Record<Service, string> = {
  dynamodb: "ProvisionedThroughputExceededException",
  s3: "SlowDown",
  sqs: "RequestThrottled",
};

const named = (name: string, members: object = {}) =>
  Object.assign(new Error(`simulated ${name}`), { name, ...members });
const brokenConnection = () => named("Error", { code: "ECONNRESET" });

/** Services without any fault yet. */
export const createFaults = (): FaultyServices => new RuledServices();

class RuledServices implements FaultyServices {
  hasCrashed = false;
  hasCrashedAmong = false;
  writes = 0;
  #onTheWay = 0;
  #rules: { rule: FaultRule; seen: number; hits: number }[] = [];
  #crash: { write: number; when: "before" | "after" } | undefined;

  inject(rule: FaultRule): { readonly hits: number } {
    const entry = { rule, seen: 0, hits: 0 };
    this.#rules.push(entry);
    return entry;
  }

  crashAt(write: number, when: "before" | "after"): void {
    this.#crash = { write, when };
    this.writes = 0;
  }

  recover(): void {
    this.#rules = [];
    this.#crash = undefined;
    this.writes = 0;
    this.hasCrashed = false;
    this.hasCrashedAmong = false;
  }

  async pass(service: Service, operation: string, input: object, next: Sender) {
    this.#checkAlive();
    const isWrite = !reads.has(operation);
    if (isWrite) this.writes += 1;
    const crash = isWrite && this.#crash?.write === this.writes ? this.#crash.when : undefined;
    if (crash === "before") {
      this.hasCrashed = true;
      this.hasCrashedAmong = this.#onTheWay > 0;
    }
    this.#checkAlive();
    const answer = await this.#counted(isWrite, () =>
      applyFault(this.#faultFor(service, operation, input), service, input, next),
    );
    this.hasCrashed ||= crash === "after";
    this.#checkAlive();
    return answer;
  }

  async #counted<T>(isWrite: boolean, send: () => Promise<T>): Promise<T> {
    if (!isWrite) return send();
    this.#onTheWay += 1;
    return send().finally(() => {
      this.#onTheWay -= 1;
    });
  }

  #checkAlive(): void {
    if (this.hasCrashed) throw new SimulatedCrash();
  }

  #faultFor(service: Service, operation: string, input: object): Fault | undefined {
    for (const entry of this.#rules) {
      const { rule } = entry;
      if (rule.service !== service || (rule.operation ?? operation) !== operation) continue;
      if (rule.fits !== undefined && !rule.fits(input as never)) continue;
      entry.seen += 1;
      if (entry.seen <= (rule.skip ?? 0) || entry.hits >= (rule.times ?? 1)) continue;
      entry.hits += 1;
      return rule.fault;
    }
    return undefined;
  }
}

async function applyFault(fault: Fault | undefined, service: Service, input: object, next: Sender) {
  if (fault === undefined) return next(input);
  await turn();
  if (fault instanceof Error) throw fault;
  if (fault === "throttled") throw named(throttlingNames[service], { $metadata: {} });
  if (fault === "unanswered") throw brokenConnection();
  if (fault === "unprocessed") return halfProcessed(input, next);
  if (typeof fault === "object") return partlyRefused(fault.refuses, input, next);
  const answer = await next(input);
  if (fault === "lost-answer") throw brokenConnection();
  const { Body } = answer.output as { Body: Readable };
  return { ...answer, output: { ...answer.output, Body: Readable.from(broken(Body)) } };
}

async function* broken(body: Readable) {
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    yield chunk.subarray(0, Math.ceil(chunk.length / 2));
    throw brokenConnection();
  }
}

interface SendInput {
  Entries: { Id: string; MessageBody: string }[];
}

async function partlyRefused(refuses: (body: string) => boolean, input: object, next: Sender) {
  const entries = (input as SendInput).Entries;
  const taken = entries.filter((entry) => !refuses(entry.MessageBody));
  const Failed = entries
    .filter((entry) => refuses(entry.MessageBody))
    .map(({ Id }) => ({ Id, Code: "InvalidMessageContents", SenderFault: true }));
  if (taken.length === 0) return { output: { Failed } };
  const answer = await next({ ...input, Entries: taken });
  return { ...answer, output: { ...answer.output, Failed } };
}

interface BatchInput {
  RequestItems: Record<string, { Keys?: object[] } | object[]>;
}

/** Sends the first half of a BatchGetItem or BatchWriteItem and hands the rest back as unprocessed. */
async function halfProcessed(input: object, next: Sender) {
  const [table, wanted] = Object.entries((input as BatchInput).RequestItems)[0] ?? [];
  if (table === undefined || wanted === undefined) throw new TypeError("not a batch");
  const isWrite = Array.isArray(wanted);
  const members = isWrite ? wanted : (wanted.Keys ?? []);
  const half = Math.floor(members.length / 2);
  const some = (part: object[]) => ({ [table]: isWrite ? part : { ...wanted, Keys: part } });
  const rest = some(members.slice(half));
  const unprocessed = isWrite ? { UnprocessedItems: rest } : { UnprocessedKeys: rest };
  if (half === 0) return { output: { Responses: {}, ...unprocessed } };
  const answer = await next({ ...input, RequestItems: some(members.slice(0, half)) });
  return { ...answer, output: { ...answer.output, ...unprocessed } };
}
