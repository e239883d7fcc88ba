/** A refusal in SQS's terms: the name is the exception as the SDK shows it. */
export class SqsError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(code: string, message: string, status = 400) {
    super(message);
    this.name = "SqsError";
    this.code = code;
    this.status = status;
  }
}

/** The older names that SQS sends along; clients compare with either. */
const queryNames: Record<string, string> = {
  QueueDoesNotExist: "AWS.SimpleQueueService.NonExistentQueue",
  UnsupportedOperation: "AWS.SimpleQueueService.UnsupportedOperation",
  MessageNotInflight: "AWS.SimpleQueueService.MessageNotInflight",
  EmptyBatchRequest: "AWS.SimpleQueueService.EmptyBatchRequest",
  TooManyEntriesInBatchRequest: "AWS.SimpleQueueService.TooManyEntriesInBatchRequest",
  BatchEntryIdsNotDistinct: "AWS.SimpleQueueService.BatchEntryIdsNotDistinct",
  BatchRequestTooLong: "AWS.SimpleQueueService.BatchRequestTooLong",
};

/** The name of an error in the older protocol. */
export const queryName = (code: string): string => queryNames[code] ?? code;

/** 400 for an argument out of its bounds. */
export const invalidParameter = (message: string) => new SqsError("InvalidParameterValue", message);
