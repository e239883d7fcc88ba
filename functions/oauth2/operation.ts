import type { Cost } from "#core/caller/rates";
import type { Forge } from "#core/forge";
import type { RequestBody } from "../http/body/request-body.ts";

/** One request for one of the endpoints. */
export interface Asked {
  readonly forge: Forge;
  readonly request: Request;
  readonly url: URL;
  readonly body: RequestBody;
  readonly address: string;
}

/** One endpoint of the provider. */
export interface Operation {
  readonly methods: readonly string[];
  /** How a request counts for its network (D-RATE): signing and sealing are heavy. */
  readonly cost: Cost;
  readonly handle: (asked: Asked) => Promise<Response>;
}
