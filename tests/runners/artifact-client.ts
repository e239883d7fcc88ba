import type { Hono } from "hono";
import type { JsonValue } from "#tests/support/api";

const service = "/twirp/github.actions.results.api.v1.ArtifactService";

/** An answer, with its body as JSON where it is some. */
export interface ArtifactAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: JsonValue;
}

/** A small client of the artifact protocol, as a job is: it knows its token, its run and the site. */
export class ArtifactClient {
  readonly site: Hono;
  readonly token: string;
  readonly runId: string;
  readonly rootUrl: string;

  constructor(site: Hono, { token, runId, rootUrl }: { token: string; runId: string; rootUrl: string }) {
    this.site = site;
    this.token = token;
    this.runId = runId;
    this.rootUrl = rootUrl;
  }

  /** Asks for an address, whole or a path. */
  async ask(method: string, url: string, body?: string | Buffer, headers = {}): Promise<ArtifactAnswer> {
    const path = url.startsWith(this.rootUrl) ? url.slice(this.rootUrl.length) : url;
    const response = await this.site.request(
      path,
      { method, headers, ...(body !== undefined && { body: body as never }) },
      { clientAddress: "192.0.2.1" },
    );
    const text = await response.text();
    let json: JsonValue;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    return { status: response.status, headers: response.headers, text, json };
  }

  /** Calls a method with the run of this job, unless the message names another. */
  call(method: string, message: object, token: string | undefined = this.token): Promise<ArtifactAnswer> {
    const ids = { workflow_run_backend_id: this.runId, workflow_job_run_backend_id: "1" };
    return this.ask("POST", `${service}/${method}`, JSON.stringify({ ...ids, ...message }), {
      "content-type": "application/json",
      ...(token !== "" && { authorization: `Bearer ${token}` }),
    });
  }

  /** Opens an upload; answers its address. */
  async create(name: string, more: object = {}): Promise<string> {
    const { status, json, text } = await this.call("CreateArtifact", { name, version: 4, ...more });
    if (status !== 200) throw new Error(`CreateArtifact: ${status} ${text}`);
    return json.signedUploadUrl;
  }

  /** Puts a piece behind an address; answers the status. */
  async put(address: string, query: string, body: string | Buffer): Promise<number> {
    const headers = { "x-ms-version": "2024-11-04", "x-ms-blob-type": "BlockBlob" };
    return (await this.ask("PUT", `${address}${query}`, body, headers)).status;
  }

  order(address: string, ids: readonly string[]): Promise<number> {
    const list = ids.map((id) => `<Latest>${id}</Latest>`).join("");
    const body = `<?xml version="1.0" encoding="utf-8"?>\n<BlockList>${list}</BlockList>`;
    return this.put(address, "&comp=blocklist", body);
  }

  /** Uploads in one piece, and has it confirmed. */
  async upload(name: string, bytes: string | Buffer): Promise<ArtifactAnswer> {
    const address = await this.create(name);
    await this.put(address, "&comp=block", bytes);
    return this.call("FinalizeArtifact", { name, size: String(Buffer.byteLength(bytes)) });
  }
}
