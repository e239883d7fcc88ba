import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { repeatedRequests } from "../aws/repeated-requests.ts";
import { giveWay } from "../concurrency/give-way.ts";
import { answerFrom, type PlainAnswer, plainAnswer, requestText, typedRequest } from "./internal/messages.ts";

const commands = {
  GetItem: GetItemCommand,
  BatchGetItem: BatchGetItemCommand,
  Query: QueryCommand,
  Scan: ScanCommand,
  PutItem: PutItemCommand,
  UpdateItem: UpdateItemCommand,
  DeleteItem: DeleteItemCommand,
  BatchWriteItem: BatchWriteItemCommand,
  TransactWriteItems: TransactWriteItemsCommand,
};

/** An operation of DynamoDB, as its API names it. */
export type Operation = keyof typeof commands;

/** Parsing more than this takes a turn of the loop for itself. */
const longText = 2 ** 20;

/** The way to DynamoDB. */
export interface Wire {
  /** Sends one request, once: members as the API names them, items and keys as plain values. Throws the SDK's errors. */
  send(operation: Operation, members: object): Promise<PlainAnswer>;
}

/**
 * Opens the way through the SDK's client. With `repeats` the request that the SDK has made once of an operation serves
 * those after it.
 */
export function openWire(client: DynamoDBClient, repeats: boolean): Wire {
  const repeated = repeats ? repeatedRequests(client) : undefined;
  return {
    async send(operation, members) {
      // The table of commands loses which input belongs to which; the callers' members are the API's own.
      const Command = commands[operation] as unknown as new (input: object) => GetItemCommand;
      const answer = await repeated?.send(`${operation}Command`, requestText(members));
      if (answer !== undefined && "text" in answer) {
        if (answer.text.length > longText) await giveWay();
        return answerFrom(answer.text);
      }
      const input = typedRequest(members);
      if (answer !== undefined) repeated?.refuse(input, answer.refusal);
      return plainAnswer(await client.send(new Command(input)));
    },
  };
}
