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
