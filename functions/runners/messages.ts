/** The messages that the service works on, as the codec gives them: absent fields have their empty values. */

export interface PingRequest {
  readonly data: string;
}

export interface RegisterRequest {
  readonly name: string;
  readonly token: string;
  readonly version: string;
  readonly labels: readonly string[];
  readonly agentLabels: readonly string[];
  readonly customLabels: readonly string[];
  readonly ephemeral: boolean;
}

export interface DeclareRequest {
  readonly version: string;
  readonly labels: readonly string[];
}

export interface FetchTaskRequest {
  readonly tasksVersion: bigint;
}

/** A time of the protocol. */
export interface Timestamp {
  readonly seconds: bigint;
  readonly nanos: number;
}

export interface StepState {
  readonly id: bigint;
  readonly result: number;
  readonly startedAt?: Timestamp;
  readonly stoppedAt?: Timestamp;
  readonly logIndex: bigint;
  readonly logLength: bigint;
}

export interface UpdateTaskRequest {
  readonly state?: {
    readonly id: bigint;
    readonly result: number;
    readonly stoppedAt?: Timestamp;
    readonly steps: readonly StepState[];
  };
  readonly outputs: Readonly<Record<string, string>>;
}

export interface UpdateLogRequest {
  readonly taskId: bigint;
  readonly index: bigint;
  readonly rows: readonly { readonly time?: Timestamp; readonly content: string }[];
  readonly noMore: boolean;
}
